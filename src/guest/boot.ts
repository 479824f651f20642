// The first script of every isolate. It evaluates to a function that the cell calls once with its host functions;
// what that function answers is all the cell ever calls.
import { parse } from "../model/wire/intrinsics.ts";
import { makeDeterministic } from "./chance.ts";
import { SandboxClock } from "./clock.ts";
import { furnish } from "./globals.ts";
import type { Character, Host } from "./host.ts";
import { ModuleTable } from "./modules.ts";
import { Runs } from "./runs.ts";
import { flatten } from "./thrown.ts";
import { Timers } from "./timers.ts";

const errorLevel = 4;

/** The cell's view of a guest runtime. Every function takes and gives primitives only (or functions, for code). */
export interface GuestApi {
  /** Gives the sandbox its character (JSON), before its modules are defined. */
  shape(character: string): void;
  define(name: string, factory: unknown): void;
  load(op: number, order: string): number | string;
  aim(index: number, module: string, name: string): void;
  call(op: number, target: number, argsText: string, bytesMax: number): number | string;
  callShipped(op: number, callee: unknown, argsText: string, bytesMax: number): number | string;
  collect(op: number): number | string;
  forget(op: number): void;
  /** Fires the timer that is due first; answers the delay until the next, or -1. */
  tick(): number;
  nextDelay(): number;
  /** Answers 1: entered after a cut to prove that the isolate is quiet and whole. */
  probe(): number;
}

export function boot(
  write: Host["write"],
  arm: Host["arm"],
  parseUrl: Host["parseUrl"],
  changeUrl: Host["changeUrl"],
): GuestApi {
  const host: Host = { write, arm, parseUrl, changeUrl };
  const clock = new SandboxClock();
  const timers = new Timers(clock, arm);
  const modules = new ModuleTable();
  let startOver = (): void => {};
  const runs = new Runs(modules, { begin: () => startOver(), isWaiting: () => timers.count > 0 });
  furnish({ host, clock, timers });
  return {
    shape(text) {
      const character = parse(text) as Character;
      if (character.deterministic === null) return;
      const { seed, now } = character.deterministic;
      const reseed = makeDeterministic(seed, clock);
      startOver = () => {
        reseed();
        clock.freeze(now);
      };
      startOver();
    },
    define: (name, factory) => modules.define(name, factory as never),
    load: (op, order) => runs.load(op, parse(order) as string[]),
    aim: (index, module, name) => runs.aim(index, module, name),
    call: (op, target, argsText, bytesMax) => runs.call(op, target, argsText, bytesMax),
    callShipped: (op, callee, argsText, bytesMax) => runs.callShipped(op, callee as never, argsText, bytesMax),
    collect: (op) => runs.collect(op),
    forget: (op) => runs.forget(op),
    tick() {
      try {
        timers.fire();
      } catch (error) {
        const { stack, name, message } = flatten(error);
        host.write(errorLevel, `Uncaught in a timer: ${stack === "" ? `${name}: ${message}` : stack}`);
      }
      return timers.nextDelay();
    },
    nextDelay: () => timers.nextDelay(),
    probe: () => 1,
  };
}
