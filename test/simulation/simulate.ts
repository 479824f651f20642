// One run from a seed: several callers, whatever goes wrong, a quiet end, and what did not fit.
import { sliceBy } from "../../src/std/slicing.ts";
import * as births from "./births.ts";
import { Caller, Company } from "./caller.ts";
import * as changes from "./changes.ts";
import { checkDestroyed, checkQuiet } from "./checks.ts";
import { Dice } from "./dice.ts";
import type { Violation } from "./ledger.ts";
import type { OperationName, Plan } from "./plan.ts";
import { generation } from "./generations.ts";
import { closeRuntime, reopen, startAgain } from "./reopening.ts";
import * as runs from "./runs.ts";
import * as scripts from "./scripts.ts";
import { stream } from "./streams.ts";
import { World } from "./world.ts";

const { createAll, born: _, wishFor: __, withoutSignal: ___, ...birthOperations } = births;
const { judge: ____, boundOf: _____, optionsFor: ______, chooseExport: _______, ...runOperations } = runs;
const operations: Readonly<Record<OperationName, (caller: Caller) => Promise<void>>> = {
  ...birthOperations,
  ...changes,
  ...runOperations,
  ...scripts,
  generation,
  stream,
  reopen,
};

export interface SimulateOptions {
  readonly isTraced?: boolean;
  /** Rules that are not looked at. */
  readonly ignored?: readonly string[];
}

export interface Result {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Simulated. */
  readonly lastedMs: number;
  readonly timers: number;
  readonly trace: readonly string[];
}

const timersMax = 400_000;
const graceMs = 3_000;
/** However long callers have to wait, nothing goes wrong any more from here on. */
const troubleMsMax = 90_000;
const strays: unknown[] = [];
let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  process.on("unhandledRejection", (error) => strays.push(error));
  process.on("uncaughtException", (error) => strays.push(error));
}

/** Runs a plan to its end. The same plan gives the same run, each time. */
export async function simulate(plan: Plan, options: SimulateOptions = {}): Promise<Result> {
  listen();
  strays.length = 0;
  // Stacks are for those who look at one run.
  Error.stackTraceLimit = options.isTraced === true ? 20 : 0;
  const world = new World(plan);
  sliceBy(world.clock);
  world.trace.isOn = options.isTraced === true;
  world.ledger.ignored = new Set(options.ignored);
  const progress = { isDone: false };
  const life = live(world).then(
    () => void (progress.isDone = true),
    (error: unknown) => {
      world.ledger.blame(
        "simulation",
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
      progress.isDone = true;
    },
  );
  await turn();
  while (!progress.isDone && world.clock.fired < timersMax) {
    if (!world.clock.step()) {
      world.ledger.blame("stopped", `nothing is left to happen, and ${world.openCount} promises are open`);
      break;
    }
    await turn();
    for (const stray of strays.splice(0))
      world.ledger.blame(
        "stray-error",
        stray instanceof Error ? (stray.stack ?? stray.message) : String(stray),
      );
    if (world.ledger.violations.length > 0) break;
  }
  if (world.clock.fired >= timersMax) world.ledger.blame("endless", `${timersMax} timers have fired`);
  void life;
  const { violations } = world.ledger;
  return {
    seed: plan.seed,
    violations,
    lastedMs: world.clock.nowMs,
    timers: world.clock.fired,
    trace: world.trace.last(4_000),
  };
}

// All that follows from what just happened, before time goes on.
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

async function live(world: World): Promise<void> {
  const { plan } = world;
  const company = new Company();
  await startAgain(world);
  world.clock.after(troubleMsMax, () => void (world.trouble.isOver = true));
  await Promise.all(Array.from({ length: plan.callers }, (_, number) => work(world, company, number)));
  // What was begun may still go wrong for a while.
  await world.clock.sleep(graceMs);
  world.trouble.isOver = true;
  while (world.openCount > 0 || world.isReopening) await world.clock.sleep(500);
  if (world.runtime === undefined) {
    await startAgain(world);
  }
  const isClosedAtOnce = new Dice(plan.seed, "end").chance(0.2);
  if (!isClosedAtOnce) {
    await checkQuiet(world, company);
    await checkDestroyed(world);
  }
  await closeRuntime(world);
}

async function work(world: World, company: Company, number: number): Promise<void> {
  const { plan, clock } = world;
  const at = (step: number): Caller => new Caller(world, company, { number, step });
  const { dice } = at(-1);
  const pauseMs = dice.pick([0, 20, 200]);
  const paceMs = dice.pick([20, 200, 1_500]);
  // The first thing is to have something to work with.
  const ids = Array.from({ length: plan.ids }, (_, index) => `s${index}`);
  if (number === 0) await createAll(at(-1), ids);
  for (let step = 0; step < plan.steps; step++) {
    const caller = at(step);
    await clock.sleep(caller.dice.between(0, caller.dice.chance(0.5) ? pauseMs : paceMs));
    const name = caller.dice.weighted<OperationName>(plan.weights);
    const isWaited = caller.dice.chance(0.7);
    if (!plan.operations.includes(name) || plan.skipped.includes(`${number}.${step}`)) continue;
    if (world.runtime === undefined) continue;
    const operation = operations[name](caller);
    // Not everyone waits for what he asked for.
    if (isWaited) await operation;
    else void operation;
  }
}
