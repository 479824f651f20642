// The first script of every isolate. It evaluates to a function that the cell calls once with its host functions; the
// object that it returns is all that the cell ever calls.
import { slotShift } from "../model/runs/call-slots.ts";
import { apply, parse } from "../model/wire/intrinsics.ts";
import { answerRequest, defineCapabilities } from "./capabilities.ts";
import { fuelUp, fuelUsed, onExhausted } from "./fuel.ts";
import { freezeClock } from "./globals/clock.ts";
import { collectGarbage } from "./globals/garbage.ts";
import { dropFinalizers, hasFinalizers } from "./globals/finalizers.ts";
import { installGlobals } from "./globals/globals.ts";
import { defineFetch, madeBy, seedRandom } from "./globals/late.ts";
import { enable } from "./globals/features.ts";
import type { GuestSetup, Host } from "./host.ts";
import type { DeterministicMode } from "./late/deterministic.ts";
import type { Factory } from "./modules.ts";
import { patient } from "./patient.ts";
import { installProcesses, type Install, manage, processes, sendProcess } from "./processes.ts";
import * as loads from "./loads.ts";
import * as runs from "./runs.ts";
import { ending, goOnWithSeries, runSeries, seriesSoFar } from "./series.ts";
import { endStream, openStream, pullStream } from "./streams.ts";
import { flatten } from "./thrown.ts";
import { fireTimer, connectTimers } from "./globals/timers.ts";
import { hideOwnFrames } from "./stack-traces.ts";

/** What a load is, as the cell sends it. */
interface LoadPlan extends Pick<loads.Load, "order" | "tree"> {
  /** Null where the sandbox is set up already. */
  readonly setup: GuestSetup | null;
}

const errorLevel = 4;
// Saved before a guest can replace it.
const Overflow = RangeError;

type CallArguments = [a?: unknown, b?: unknown, c?: unknown];

/** The one function of the cell's: the name of what is asked for, and up to three values. */
// oxlint-disable-next-line max-params -- as it is called
type Ask = (name: keyof Host, a?: unknown, b?: unknown, c?: unknown) => unknown;

/** The cell's view of a guest runtime. Every function takes and gives primitives only (or functions, for code). */
export interface GuestApi {
  /** Sets the sandbox up (JSON), where more is installed before its modules are loaded. */
  shape(setup: string): void;
  /** The plan, as JSON, and the code of the modules in the order of evaluation. */
  load(op: number, plan: string, ...factories: unknown[]): number | string;
  /** The plan, as JSON, and the code of the modules in the order of evaluation. */
  reload(op: number, plan: string, ...factories: unknown[]): number | string;
  settleReload(isCommitted: boolean): boolean;
  setTarget(index: number, module: string, name: string): void;
  /** How long an encoded result may be. */
  limitResults(bytesMax: number): void;
  /** The fuel of the code that runs next, and how much of it was used before. */
  fuelUp(amount: number, used: number): void;
  fuelUsed(): number;
  /** With up to three arguments that are primitives, or with all of them as a text. */
  // oxlint-disable-next-line max-params -- as the trampoline
  call(op: number, slot: number, a?: unknown, b?: unknown, c?: unknown): number | string;
  /** Gives a target its number, and calls it. */
  // oxlint-disable-next-line max-params -- as the trampoline
  callFirst(op: number, slot: number, module: string, name: string, ...args: CallArguments): number | string;
  // oxlint-disable-next-line max-params -- as the trampoline
  callShipped(
    op: number,
    callee: unknown,
    argsText: string,
    script: string | undefined,
    waits: boolean,
  ): number | string;
  /** One step of a stream: the first calls a function, with its arguments as text. */
  // oxlint-disable-next-line max-params -- what crosses are primitives
  stream(
    op: number,
    verb: string,
    id: number,
    module: string,
    name: string,
    argsText: string,
  ): number | string;
  /** Calls the cases of a list (JSON), each with so much fuel, or uncounted below zero; returns as `seriesSoFar`. */
  // oxlint-disable-next-line max-params -- as the series
  runSeries(op: number, cases: string, fuel: number, isStrict: boolean): string;
  /** Goes on once the promise of the latest case is settled. */
  goOnWithSeries(): string;
  /** The answers of the series, also after it was cut. */
  seriesSoFar(op: number): string;
  /** Installs the process runtime, with its limits as JSON. */
  installProcesses(install: unknown, limits: string): void;
  /** Something about processes that may take time; returns as a run whose value is a text or undefined. */
  manage(op: number, verb: string, first: string, second: string): number | string;
  /** A message for a process, answered or not. */
  tell(op: number, kind: string, name: string, messageText: string): number | string;
  /** Runs steps of processes for at most one turn; true when some still wait. */
  turn(): boolean;
  /** After a cut: ends the process whose step was running; returns whether there was one. */
  cutStep(isInPromise: boolean): boolean;
  /** What changed in the states of processes, with the answers that belong to it. */
  changes(): string;
  /** How many processes there are, the most that there ever were, and the longest that any mailbox ever was. */
  processUsage(): string;
  collect(op: number): number | string;
  forget(op: number): void;
  /** Fires a timer by its number, or with 0 the one that is due first. */
  tick(id: number): void;
  /** The host's answer to a request: an encoded value, or a code and the reason why there is none. */
  answer(id: number, code: string, text: string): void;
  /** Returns 1: entered after a cut to prove that the isolate is quiet and whole. */
  probe(): number;
  /** Whether nothing of the guest runs again once its context is gone. */
  retire(): boolean;
  /** Collects all garbage, where the engine does not do so by itself. No guest code runs in it. */
  collectGarbage(): void;
}

/** The functions that are entered most. */
type Direct = Pick<GuestApi, "load" | "call" | "callFirst" | "fuelUp" | "fuelUsed" | "tell" | "turn">;

/** What the cell gets: a reference to each function takes time and memory, so most are behind one. */
export interface GuestEntries extends Direct {
  /** Calls one of the other functions by its name. */
  other(name: Exclude<keyof GuestApi, keyof Direct>, ...args: unknown[]): unknown;
}

/** Called once with the cell's function. */
export function boot(ask: Ask): GuestEntries {
  const host = hostOf(ask);
  hideOwnFrames();
  onExhausted(host.exhausted);
  connectTimers(host);
  installGlobals(host);
  defineCapabilities(host.request);
  const others = othersOf(host);
  const entries: GuestEntries & { readonly __proto__: null } = {
    __proto__: null,
    load: (op, text, ...factories) => {
      const plan = parse(text) as LoadPlan;
      const { setup } = plan;
      const prepare = (): void => {
        if (setup !== null) shape(setup, host);
      };
      return loads.load(op, { ...plan, factories: factories as Factory[], prepare });
    },
    call: runs.call,
    // oxlint-disable-next-line max-params -- as the interface has it
    callFirst: (op, slot, module, name, a, b, c) => {
      runs.setTarget(slot >> slotShift, module, name);
      return runs.call(op, slot, a, b, c);
    },
    fuelUp,
    fuelUsed,
    // oxlint-disable-next-line max-params -- as the interface has it
    tell: (op, kind, name, text) => {
      if (kind === "ask") return runs.ask(op, name, text);
      return runs.answerOf(op, () => sendProcess(name, text));
    },
    turn: () => processes()?.control.turn() ?? false,
    other: (name, ...args) => apply(others[name], undefined, args),
  };
  return entries;
}

type OtherFunctions = Omit<GuestApi, keyof Direct>;

// Without a prototype, as a literal with one takes the engine several times as long.
function othersOf(host: Host): OtherFunctions {
  const others: OtherFunctions & { readonly __proto__: null } = {
    __proto__: null,
    shape: (setup) => shape(parse(setup) as GuestSetup, host),
    reload: (op, plan, ...factories) =>
      loads.reload(op, parse(plan) as loads.ReloadPlan, factories as Factory[]),
    settleReload: loads.settleReload,
    setTarget: runs.setTarget,
    limitResults: runs.limitResults,
    callShipped: runs.callShipped as GuestApi["callShipped"],
    // oxlint-disable-next-line max-params -- as the interface has it
    stream: (op, verb, id, module, name, argsText) => {
      if (verb === "open") return openStream(op, id, { module, name, argsText });
      return verb === "next" ? pullStream(op, id) : endStream(op, id);
    },
    runSeries,
    goOnWithSeries,
    seriesSoFar,
    installProcesses: (install, limits) => installProcesses(install as Install, limits, host),
    // oxlint-disable-next-line max-params -- as the interface has it
    manage: (op, verb, first, second) => runs.answerOf(op, () => manage(verb, first, second)),
    cutStep: (isInPromise) => processes()?.control.cutStep(isInPromise) !== undefined,
    changes: runs.changes,
    processUsage,
    collect: runs.collect,
    forget: runs.forget,
    tick: (id) => tick(id, host),
    answer: answerRequest,
    probe: () => 1,
    retire: () => !hasFinalizers(),
    collectGarbage,
  };
  return others;
}

/**
 * The cell's function, which throws nothing of the cell's: an error from there, as where the stack ends, has the frames and paths
 * of another program. What is thrown instead is made here.
 */
function guard(ask: Ask): Ask {
  // oxlint-disable-next-line max-params -- as the cell's function
  return (name, a, b, c) => {
    try {
      return ask(name, a, b, c);
    } catch {
      throw new Overflow("Maximum call stack size exceeded");
    }
  };
}

// The cell answers what `Host` says.
function hostOf(ask: Ask): Host {
  const asked = patient(guard(ask));
  return {
    write: ending((level, text) => asked("write", level, text) as boolean),
    arm: ending((id, delayMs) => void asked("arm", id, delayMs)),
    disarm: (id) => void asked("disarm", id),
    wake: () => void asked("wake"),
    report: (kind, detail) => void asked("report", kind, detail),
    exhausted: () => void asked("exhausted"),
    request: ending((id, name, argsText) => asked("request", id, name, argsText) as string),
    parseUrl: (input, base) => asked("parseUrl", input, base) as string,
    changeUrl: (href, property, value) => asked("changeUrl", href, property, value) as string,
    random: (length) => asked("random", length) as string,
    late: (script) => asked("late", script) as string,
  };
}

function processUsage(): string {
  const control = processes()?.control;
  if (control === undefined) return "0 0 0";
  return `${control.count()} ${control.mostProcesses()} ${control.longestQueue()}`;
}

function shape({ deterministic, features, fetchBy, isDense, resultBytes }: GuestSetup, host: Host): void {
  runs.limitResults(resultBytes);
  enable(features);
  if (fetchBy !== undefined) defineFetch(fetchBy, host);
  if (isDense) dropFinalizers();
  if (deterministic === null) return;
  const { makeDeterministic } = madeBy("deterministic", host) as DeterministicMode;
  const seeded = makeDeterministic(deterministic.seed);
  seedRandom(seeded.random);
  const startOver = (): void => {
    seeded.restart();
    freezeClock(deterministic.now);
  };
  startOver();
  runs.beforeEach(startOver);
}

function tick(id: number, host: Host): void {
  processes()?.control.clearLast();
  try {
    fireTimer(id);
  } catch (error) {
    const { stack, name, message } = flatten(error);
    host.write(errorLevel, `Uncaught in a timer: ${stack === "" ? `${name}: ${message}` : stack}`);
  }
}
