// Iterators of the guest's that the host pulls from, one part in each run. They are known by a number of the host's, so that an
// isolate that was made anew has none of those before it.
import { decode } from "../model/wire/decode.ts";
import { apply, make, mapDelete, mapGet, mapSet, setAdd, setDelete } from "../model/wire/intrinsics.ts";
import { classNameOf } from "../model/wire/kinds.ts";
import { viewOf } from "./modules.ts";
import { answerOf, calleeOf, goOn, type Answer } from "./runs.ts";
import type { Callee } from "./shipped.ts";

interface Stream {
  readonly iterator: object;
  readonly next: Callee;
  /** Its parts may be promises, which are awaited, as `for await` does it. */
  readonly isSync: boolean;
}

/** One step of an iteration. It has no prototype, so that nothing the guest patches makes it a promise. */
interface Step {
  readonly __proto__: null;
  readonly done: boolean;
  readonly value: unknown;
}

// Saved before a guest can replace `Symbol`.
const asyncKey: typeof Symbol.asyncIterator = Symbol.asyncIterator;
const syncKey: typeof Symbol.iterator = Symbol.iterator;

const streams = new Map<number, Stream>();
/** Those whose function has not returned yet. */
const opening = new Set<number>();

export interface StreamTarget {
  readonly module: string;
  readonly name: string;
  readonly argsText: string;
}

/** Calls a function, takes the iterator of what it returns, and gives its first part. */
export function openStream(op: number, id: number, target: StreamTarget): Answer {
  return answerOf(op, () => {
    setAdd(opening, id);
    const { module, name, argsText } = target;
    const made = apply(calleeOf(viewOf(module, name)), undefined, decode(argsText) as unknown[]);
    return begin(id, made, `${module}.${name}`);
  });
}

/** Gives the next part; null where the isolate knows of no such stream. */
export function pullStream(op: number, id: number): Answer {
  return goOn(op, () => {
    const stream = mapGet(streams, id) as Stream | undefined;
    return stream === undefined ? null : pull(id, stream);
  });
}

/** Ends a stream before its time, as `break` ends a loop. */
export function endStream(op: number, id: number): Answer {
  return goOn(op, () => {
    setDelete(opening, id);
    const stream = mapGet(streams, id) as Stream | undefined;
    mapDelete(streams, id);
    return stream === undefined ? undefined : close(stream);
  });
}

async function begin(id: number, made: unknown, target: string): Promise<Step> {
  const stream = streamOf(await made, target);
  // Its caller may have given up meanwhile.
  if (!setDelete(opening, id)) {
    await close(stream);
    return stepOf(true, undefined);
  }
  mapSet(streams, id, stream);
  return pull(id, stream);
}

function streamOf(made: unknown, target: string): Stream {
  const isObject = (typeof made === "object" && made !== null) || typeof made === "function";
  if (!isObject) throw notIterable(target, made === null ? "null" : `a value of type ${typeof made}`);
  const given = made as { [asyncKey]?: unknown; [syncKey]?: unknown }; // Whatever it has there is checked below.
  const asyncMethod = given[asyncKey];
  const isSync = asyncMethod === undefined || asyncMethod === null;
  const method = isSync ? given[syncKey] : asyncMethod;
  if (typeof method !== "function") throw notIterable(target, `an instance of ${classNameOf(made)}`);
  const iterator: unknown = apply(method as Callee, made, []);
  if (typeof iterator !== "object" || iterator === null) throw notIterable(target, "one without an iterator");
  const { next } = iterator as { readonly next?: unknown };
  if (typeof next !== "function") throw notIterable(target, "one whose iterator has no next()");
  return { iterator, next: next as Callee, isSync };
}

function notIterable(target: string, got: string): TypeError {
  const rule = "it must return an iterable or async iterable, as a generator does";
  return new make.TypeError(`Cannot stream "${target}" as ${rule}: it returned ${got}`);
}

async function pull(id: number, stream: Stream): Promise<Step> {
  try {
    const result = apply(stream.next, stream.iterator, []);
    const step: unknown = stream.isSync ? result : await result;
    if (typeof step !== "object" || step === null)
      throw new make.TypeError("Cannot go on with the stream as its next() must give an object");
    const { done, value } = step as { readonly done?: unknown; readonly value?: unknown };
    const isDone = Boolean(done);
    if (isDone) mapDelete(streams, id);
    return stepOf(isDone, stream.isSync ? await value : value);
  } catch (error) {
    mapDelete(streams, id);
    throw error;
  }
}

const stepOf = (done: boolean, value: unknown): Step => ({ __proto__: null, done, value });

async function close({ iterator }: Stream): Promise<undefined> {
  const method = (iterator as { readonly return?: unknown }).return;
  if (typeof method === "function") await apply(method as Callee, iterator, []);
  return undefined;
}
