// A runtime in this process, with or without a data folder.
import { lineageReport, populationReport } from "../../evolution/index.ts";
import { createRuntime, type RuntimeOptions } from "../../index.ts";
import { ownTracker, type OwnTracker } from "../../server/own-tracker.ts";
import type { OpenedRuntime } from "../command-file.ts";

export async function openHere(options: RuntimeOptions): Promise<OpenedRuntime> {
  const runtime = await createRuntime(options);
  const path = runtime.data?.path;
  let tracker: OwnTracker | undefined;
  return {
    runtime,
    where: path === undefined ? "new" : "data",
    name: path === undefined ? "a runtime of its own" : `data folder ${path}`,
    lineage: async (id, limit) => {
      tracker ??= ownTracker(runtime);
      return lineageReport(await tracker.get(), id, limit === undefined ? {} : { limit });
    },
    population: async (choice = {}) => populationReport(await runtime.list(), choice),
    [Symbol.asyncDispose]: async () => {
      await tracker?.close();
      await runtime.close();
    },
  };
}
