// What a server remembers of an evolution: where individuals come from, how they compare, and what it says of itself.
import type { IndividualReport, IndividualsPage, RunEntry } from "../../contract/evolution-bodies.ts";
import type { LineageReport, PopulationReport } from "../../evolution/reports.ts";
import type { CancelOptions } from "../../index.ts";
import { parseSandboxId } from "../../model/ids.ts";
import type { Transport } from "../transport/transport.ts";
import type { IndividualsOptions, LineageOptions, PopulationOptions } from "../types.ts";
import { boundsIn, readCancel, sent } from "../wire/options.ts";

export class RemoteEvolution {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async lineage(id: string, options?: LineageOptions): Promise<LineageReport> {
    const params = { id: parseSandboxId(id) };
    const bounds = boundsIn(options);
    const query = sent(options, "deadlineMs");
    return this.#transport.json({ id: "lineage", what: "read the lineage", params, query, bounds });
  }

  async population(options?: PopulationOptions): Promise<PopulationReport> {
    const bounds = boundsIn(options);
    const query = sent(options, "deadlineMs");
    return this.#transport.json({ id: "population", what: "read the population", query, bounds });
  }

  async individuals(options?: IndividualsOptions): Promise<IndividualsPage> {
    const bounds = boundsIn(options);
    const query = sent(options, "deadlineMs");
    return this.#transport.json({ id: "listIndividuals", what: "read individuals", query, bounds });
  }

  async individual(id: string, options?: CancelOptions): Promise<IndividualReport> {
    const params = { id: parseSandboxId(id) };
    const bounds = readCancel(options);
    return this.#transport.json({ id: "getIndividual", what: "read an individual", params, bounds });
  }

  async runs(options?: CancelOptions): Promise<readonly RunEntry[]> {
    const bounds = readCancel(options);
    const query = sent(bounds);
    const { runs } = await this.#transport.json({
      id: "listRuns",
      what: "read the runs",
      noun: "the reading of the runs",
      query,
      bounds,
    });
    return runs;
  }
}
