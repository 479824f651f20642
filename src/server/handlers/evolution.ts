// What became of individuals, and what evolutions say of themselves.
import { individualReport, lineageReport, populationReport } from "../../evolution/index.ts";
import { individualsPageSteps } from "../../evolution/individual-reports.ts";
import { runEntry, runsCollection, type RunEntry } from "../../model/run-entry.ts";
import { inSlices } from "../../std/slicing.ts";
import type { Caller } from "../gate.ts";
import type { Handlers, Parts } from "../handler.ts";

/** How many runs are told of. */
const runsMax = 1_000;

export const evolutionHandlers: Handlers<
  "lineage" | "population" | "listIndividuals" | "getIndividual" | "listRuns"
> = {
  lineage: async ({ parts, caller, params, query }) => {
    const owned = (id: string): boolean => parts.gate.ownsId(caller, id);
    return lineageReport(await parts.tracker(), params.id, { ...query, isShown: owned });
  },
  population: async ({ parts, caller, query }) => {
    const listed = await parts.runtime.list();
    return populationReport(
      listed.filter(({ id }) => parts.gate.ownsId(caller, id)),
      query,
    );
  },
  listIndividuals: async ({ parts, caller, query }) =>
    inSlices(
      individualsPageSteps(await parts.tracker(), { ...query, ...shownTo(parts, caller) }),
      caller.tenant,
    ),
  getIndividual: async ({ parts, caller, params }) =>
    individualReport(await parts.tracker(), params.id, shownTo(parts, caller)),
  listRuns: async ({ parts, query, signal }) => {
    const { documents } = parts.runtime;
    const runs: RunEntry[] = [];
    for (let after = ""; runs.length < runsMax;) {
      const page = await documents.read(runsCollection, after, { ...query, signal });
      runs.push(...page.map(([name, value]) => runEntry(name, value)));
      const last = page.at(-1);
      if (last === undefined) break;
      [after] = last;
    }
    return { runs: runs.slice(0, runsMax) };
  },
};

// Whoever may see all is not asked about each.
function shownTo({ gate }: Parts, caller: Caller): { readonly isShown?: (id: string) => boolean } {
  return caller.tenant === null ? {} : { isShown: (id) => gate.ownsId(caller, id) };
}
