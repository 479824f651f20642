// A mixed run: several callers at work while cells are killed and stopped at random, and a check of the final state at the
// end.
import { MemoryStore } from "../../../src/index.ts";
import { seededRandom } from "../../../src/std/random.ts";
import { startBreakable, type Breakable } from "../../support/breakable.ts";
import { childrenOf, isAlive } from "../../support/processes.ts";
import { until } from "../../support/waiting.ts";
import { Caller, type Setup } from "./caller.ts";
import { numberIn, type Subject } from "./subject.ts";
import { Watch } from "./watch.ts";

export interface MixedOptions {
  readonly seed: number;
  readonly callers: number;
  /** How many sandboxes there are, at least and at most. */
  readonly sandboxes: readonly [number, number];
  /** Whether it has lasted long enough, by the operations so far. */
  readonly isEnough: (operations: number) => boolean;
}

export interface MixedReport {
  readonly faults: readonly string[];
  readonly hangs: number;
  readonly operations: number;
  readonly signals: { readonly SIGKILL: number; readonly SIGSTOP: number };
  /** The report, in lines. */
  readonly text: string;
}

/** Runs callers and signals, and checks the results. */
export async function runMixed(options: MixedOptions): Promise<MixedReport> {
  const { seed, callers, sandboxes, isEnough } = options;
  const children = new Set(childrenOf(process.pid));
  const store = new MemoryStore();
  const broken = await startBreakable({ store, cells: { count: 2, spare: 1 } });
  const watch = new Watch();
  let number = 0;
  const [least, most] = sandboxes;
  const setup: Setup = {
    runtime: broken.runtime,
    watch,
    living: [],
    gone: [],
    least,
    most,
    next: () => ++number,
  };
  const all = Array.from({ length: callers }, (_, n) => new Caller(setup, seededRandom(seed + 1 + n)));
  const signals = { SIGKILL: 0, SIGSTOP: 0 };
  const stopped: number[] = [];
  const work = Promise.all(all.map((caller) => caller.work()));
  const disturb = disturbed(broken, watch, { random: seededRandom(seed), signals, stopped });
  while (!watch.isOver && !isEnough(watch.operations)) await pause();
  watch.stop();
  await Promise.all([work, disturb]);
  const at = `${watch.operations} operations of ${callers} callers on ${number} sandboxes and calls`;
  if (watch.hangs === 0) await lookAtRest(broken, { setup, store, stopped, caller: all[0] as Caller });
  await watch.settled("close", broken.runtime.close());
  const left = childrenOf(process.pid).filter((pid) => !children.has(pid));
  if (left.length > 0) watch.fault(`processes ${left.join()} are left`);
  const told = [
    `seed ${seed}: ${at}; ${signals.SIGKILL} SIGKILL, ${signals.SIGSTOP} SIGSTOP`,
    watch.toText(),
  ];
  const { faults, hangs, operations } = watch;
  return { faults, hangs, operations, signals, text: told.join("\n") };
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

interface Disturbance {
  readonly random: () => number;
  readonly signals: { SIGKILL: number; SIGSTOP: number };
  readonly stopped: number[];
}

// Sends signals to cells, each after some more operations.
async function disturbed(broken: Breakable, watch: Watch, given: Disturbance): Promise<void> {
  const { random, signals, stopped } = given;
  while (!watch.isOver) {
    const goal = watch.operations + 40 + Math.floor(random() * 200);
    while (!watch.isOver && watch.operations < goal) await pause();
    if (watch.isOver) return;
    const { cells } = await broken.runtime.metrics();
    const victim = cells[Math.floor(random() * cells.length)];
    if (victim === undefined) continue;
    const signal = random() < 0.6 ? "SIGKILL" : "SIGSTOP";
    if (signal === "SIGSTOP") stopped.push(victim.pid);
    signals[signal]++;
    await broken.signal(signal, [victim.pid]);
  }
}

interface Rest {
  readonly setup: Setup;
  readonly store: MemoryStore;
  readonly stopped: readonly number[];
  readonly caller: Caller;
}

// When all is quiet: existing sandboxes answer, destroyed ones do not, and the number of isolates is right.
async function lookAtRest(broken: Breakable, { setup, store, stopped, caller }: Rest): Promise<void> {
  const { runtime } = broken;
  const { watch, living, gone } = setup;
  const check = async (what: string, look: () => Promise<boolean> | boolean): Promise<void> => {
    const result = await watch.settled(what, Promise.allSettled([until(what, look, 60_000)]));
    const [ended] = result?.status === "fulfilled" ? result.value : [];
    if (ended?.status === "rejected") watch.fault(`at rest: ${String(ended.reason)}`);
  };
  await check("the stopped cells were found", () => !stopped.some(isAlive));
  await watch.settled("cells are up", broken.whole());
  for (const subject of living) await caller.call(subject, { repeatable: true });
  const ids = living.map(({ id }) => id).toSorted();
  const infos = await runtime.list();
  for (const { id, status, reason } of infos) {
    if (!ids.includes(id)) watch.fault(`at rest: ${id} is ${status}, and nobody has it`);
    else if (status !== "running") watch.fault(`at rest: ${id} is ${status}: ${reason}`);
  }
  for (const { id } of gone) if (await runtime.has(id)) watch.fault(`at rest: ${id} was destroyed`);
  let odd: readonly string[] = [];
  await check("each cell holds those that live in it", async () => {
    odd = await oddCells(broken, living);
    return odd.length === 0;
  });
  for (const cell of odd) watch.fault(`at rest: ${cell}`);
  await check("the store keeps those that live", async () => {
    const kept = (await store.open()).map(({ id }) => id);
    return kept.toSorted().join() === ids.join();
  });
}

// Cells with more or fewer isolates than sandboxes.
async function oddCells(broken: Breakable, living: readonly Subject[]): Promise<readonly string[]> {
  const { runtime } = broken;
  const infos = await runtime.list();
  const homes = infos.map(({ cell }) => cell);
  const isolates = broken.isolates();
  return (await runtime.metrics()).cells.flatMap(({ number, sandboxes }) => {
    const count = homes.filter((home) => home === number).length;
    const made = isolates.get(number) ?? [];
    if (count === sandboxes && count === made.length) return [];
    const left = living
      .filter(({ id }) => infos.some((info) => info.id === id && info.cell === number))
      .map(({ own }) => own);
    const excess = made.flatMap(({ key, modules }) => {
      const own = Number(modules.map(([, text]) => numberIn(text, "own")).join(""));
      const at = left.indexOf(own);
      if (at !== -1) left.splice(at, 1);
      return at === -1 ? [`key ${key} of own number ${own}`] : [];
    });
    return [
      `cell ${number} is said to hold ${sandboxes}, was told to make ${made.length}, and ${count} live in it; too many: ${excess.join()}; missing: ${left.join()}`,
    ];
  });
}
