// The trampoline: the only way into guest code. It calls, catches, waits and encodes inside the bounded entry, so
// that what leaves the isolate is a number or a short text, whatever the guest returns or throws.
import { encode, Refusal } from "../model/wire/encode.ts";
import { decode } from "../model/wire/decode.ts";
import { apply, hasOwn, mapDelete, mapGet, mapSet, setAdd, setDelete, stringify } from "../model/wire/intrinsics.ts";
import type { ModuleTable } from "./modules.ts";
import { flatten } from "./thrown.ts";

/** First letters of what a run answers; a value starts with the letter of its encoding. */
export const answers = {
  thrown: "T",
  refused: "R",
  missing: "X",
  pending: "P",
  never: "N",
} as const;

type Answer = number | string;

export class Runs {
  readonly #modules: ModuleTable;
  readonly #isWaiting: () => boolean;
  readonly #begin: () => void;
  readonly #pending = new Set<number>();
  readonly #settled = new Map<number, Answer>();
  // The answer of the latest synchronous run, in case an unhandled rejection replaces it on its way out.
  #lastOp = 0;
  #lastAnswer: Answer = "";
  readonly #targets = new Map<number, { readonly module: string; readonly name: string }>();

  constructor(modules: ModuleTable, around: { readonly begin: () => void; readonly isWaiting: () => boolean }) {
    this.#modules = modules;
    this.#begin = around.begin;
    this.#isWaiting = around.isWaiting;
  }

  /** Names a target once, so that later runs need only its number. */
  aim(index: number, module: string, name: string): void {
    mapSet(this.#targets, index, { module, name });
  }

  /** Calls an exported function. */
  call(op: number, target: number, argsText: string, bytesMax: number): Answer {
    return this.#keep(op, this.#guarded(op, bytesMax, () => {
      const { module, name } = mapGet(this.#targets, target) as { module: string; name: string };
      const namespace = this.#modules.namespace(module);
      if (namespace === undefined) return new Missing("module", module);
      const callee = hasOwn(namespace, name) ? namespace[name] : undefined;
      if (typeof callee !== "function") return new Missing("export", name);
      return apply(callee as (...args: unknown[]) => unknown, undefined, decode(argsText) as unknown[]);
    }));
  }

  /** Calls a function that was shipped as source, with the sandbox's modules before its arguments. */
  callShipped(op: number, callee: (...args: unknown[]) => unknown, argsText: string, bytesMax: number): Answer {
    return this.#keep(op, this.#guarded(op, bytesMax, () => {
      const args = decode(argsText) as unknown[];
      const all: unknown[] = [this.#modules.namespaces];
      all.length = args.length + 1;
      for (let i = 0; i < args.length; i++) all[i + 1] = args[i];
      return apply(callee, undefined, all);
    }));
  }

  /** Evaluates the modules; answers as a call whose value is undefined. */
  load(op: number, order: readonly string[]): Answer {
    return this.#keep(op, this.#guarded(op, 64, () => this.#modules.evaluate(order)));
  }

  /** The answer of a run that was pending or interrupted, or whether it can still come. */
  collect(op: number): Answer {
    if (op === this.#lastOp) return this.#lastAnswer;
    const answer = mapGet(this.#settled, op) as Answer | undefined;
    if (answer === undefined) return this.#isWaiting() ? answers.pending : answers.never;
    mapDelete(this.#settled, op);
    return answer;
  }

  /** A run that ended otherwise: its late answer is not kept. */
  forget(op: number): void {
    setDelete(this.#pending, op);
    mapDelete(this.#settled, op);
  }

  #keep(op: number, answer: Answer): Answer {
    if (answer === answers.pending) return answer;
    this.#lastOp = op;
    this.#lastAnswer = answer;
    return answer;
  }

  #guarded(op: number, bytesMax: number, act: () => unknown): Answer {
    try {
      this.#begin();
      const result = act();
      if (!isThenable(result)) return finish(result, bytesMax);
      setAdd(this.#pending, op);
      void this.#settle(op, result, bytesMax);
      return answers.pending;
    } catch (error) {
      return fail(error);
    }
  }

  async #settle(op: number, result: unknown, bytesMax: number): Promise<void> {
    let answer: Answer;
    try {
      answer = finish(await result, bytesMax);
    } catch (error) {
      answer = fail(error);
    }
    if (setDelete(this.#pending, op)) mapSet(this.#settled, op, answer);
  }
}

class Missing {
  readonly what: string;
  readonly name: string;
  constructor(what: string, name: string) {
    this.what = what;
    this.name = name;
  }
}

function isThenable(value: unknown): boolean {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  return typeof (value as { then?: unknown }).then === "function";
}

function finish(value: unknown, bytesMax: number): Answer {
  // A plain number crosses as itself. Minus zero and what JSON cannot say take the long way.
  if (typeof value === "number" && value - value === 0 && value !== 0) return value;
  if (value instanceof Missing) return answers.missing + stringify([value.what, value.name]);
  return encode(value, bytesMax);
}

function fail(error: unknown): string {
  if (error instanceof Refusal) return answers.refused + stringify([error.reason, error.path, error.what]);
  const flat = flatten(error);
  return answers.thrown + stringify([flat.name, flat.message, flat.stack]);
}
