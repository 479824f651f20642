// The client of the load, a process of its own, so that what it costs is not the server's.
import { answer } from "../peers/child.ts";
import { annoy, type NuisancePlan } from "./nuisances.ts";
import { load, oneByOne } from "./requests.ts";
import { openStreams, type StreamPlan } from "./streams.ts";

let closeStreams: Awaited<ReturnType<typeof openStreams>> | undefined;
let stopNuisances: Awaited<ReturnType<typeof annoy>> | undefined;

answer({
  load,
  oneByOne,
  openStreams: async (plan: StreamPlan) => {
    closeStreams = await openStreams(plan);
  },
  closeStreams: () => closeStreams?.(),
  annoy: async (plan: NuisancePlan) => {
    stopNuisances = await annoy(plan);
  },
  stopNuisances: () => stopNuisances?.(),
});
