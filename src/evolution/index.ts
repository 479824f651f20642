// The "./evolution" entry: what is remembered of an evolution, and questions to it. The core does not need it.
export {
  type FitnessRecords,
  type FitnessEntry,
  type FitnessRecord,
  type Ranked,
} from "./fitness-records.ts";
export type { Sources } from "./table/codes.ts";
export type { FitnessResult } from "./table/individual-row.ts";
export {
  type Lineage,
  type LineageStep,
  type Birth,
  type Mutation,
  type Origin,
  type PathEntry,
} from "./lineage.ts";
export { crowdingOf, dominates, paretoFronts, type Direction, type ParetoEntry } from "./pareto.ts";
export type { Generation } from "./generation.ts";
export type { Populations } from "./populations.ts";
export type { Member, MemberFilter, Migration, Population, PopulationOptions } from "./population-options.ts";
export {
  individualReport,
  individualsPage,
  type IndividualEntry,
  type IndividualReport,
  type IndividualReportOptions,
  type IndividualsPage,
  type IndividualsPageOptions,
} from "./individual-reports.ts";
export { openTracker } from "./persistence/open-tracker.ts";
export {
  lineageReport,
  populationReport,
  type LineageEntry,
  type LineageReport,
  type LineageReportOptions,
  type PopulationReport,
  type PopulationReportOptions,
} from "./reports.ts";
export { Shadow, type ShadowOptions, type ShadowReport } from "./shadow.ts";
export type { Diversity, FitnessStatistics } from "./statistics.ts";
export { Tracker, type TrackerOptions, type TrackerSize } from "./tracker.ts";
