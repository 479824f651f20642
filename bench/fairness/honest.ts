// The honest owner: what it waits for a call, a new sandbox and a reload, and what a plain program waits for meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import type { PlacementSpec, Runtime, Sandbox } from "vivarium";
import type { Peer } from "../peers/child.ts";
import { timed } from "../measure.ts";
import { summarise, type Summary } from "../statistics.ts";
import { unwrap } from "../subject.ts";

export const measures = ["call", "create", "new code", "reload", "peer call", "peer create"] as const;
export type Measure = (typeof measures)[number];
export type Figures = Readonly<Record<Measure, Summary>>;

const source = "export const double = (n) => n * 2;";
const callsPerRound = 5;
const pauseMs = 10;
/** As of a program that has been at work for a while: until then the engine interprets much of what a call takes. */
const warmUpCalls = 10_000;
const firstCalls = 100;
const opMsMax = 30_000;

/** The honest owner's sandbox, which has used little; runtime and cell are warm by the calls of another one before it. */
export async function settleIn(runtime: Runtime, placement: PlacementSpec): Promise<Sandbox> {
  const make = async (calls: number): Promise<Sandbox> => {
    const sandbox = await runtime.create({ modules: { main: source }, placement });
    for (let n = 0; n < calls; n++) unwrap(await sandbox.call("main.double", { args: [n] }));
    return sandbox;
  };
  const earlier = await make(warmUpCalls);
  const sandbox = await make(firstCalls);
  await earlier.destroy();
  return sandbox;
}

export interface Watch {
  readonly runtime: Runtime;
  readonly sandbox: Sandbox;
  readonly placement: PlacementSpec;
  readonly peer: Peer;
  readonly lengthMs: number;
}

/** Measures in turn until the time is over; what takes longer than 30 s counts as that long. */
export async function watch({ runtime, sandbox, placement, peer, lengthMs }: Watch): Promise<Figures> {
  const taken = Object.fromEntries(measures.map((name) => [name, [] as number[]])) as Record<
    Measure,
    number[]
  >;
  const endMs = performance.now() + lengthMs;
  const create = async (main: string): Promise<Sandbox> => runtime.create({ modules: { main }, placement });
  let made: Sandbox | undefined;
  const acts: Readonly<Record<Measure, () => Promise<number>>> = {
    call: () => bounded(async () => unwrap(await sandbox.call("main.double", { args: [21] }))),
    create: () => bounded(async () => (made = await create(source))),
    "new code": () => bounded(async () => (made = await create(`${source} // ${freshMark()}`))),
    reload: () => bounded(() => sandbox.hotReload({ main: `${source} // ${freshMark()}` })),
    "peer call": () => peer.ask("call"),
    "peer create": () => peer.ask("create"),
  };
  do {
    for (const name of measures) {
      const times = name === "call" || name === "peer call" ? callsPerRound : 1;
      for (let n = 0; n < times; n++) {
        await sleep(pauseMs);
        taken[name].push(await acts[name]());
        void made?.destroy().catch(() => {});
        made = undefined;
      }
    }
  } while (performance.now() < endMs);
  return Object.fromEntries(measures.map((name) => [name, summarise(taken[name])])) as Figures;
}

let lastMark = 0;
const freshMark = (): number => ++lastMark;

async function bounded(act: () => PromiseLike<unknown>): Promise<number> {
  const giveUp = new AbortController();
  const late = sleep(opMsMax, undefined, { signal: giveUp.signal }).catch(() => {});
  // What fails for the attack's sake counts with the time after which it did.
  const ms = await timed(() => Promise.race([Promise.resolve(act()).catch(() => {}), late]));
  giveUp.abort();
  return ms;
}
