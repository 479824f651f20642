// Evaluates modules as the language does: dependencies first, each at once; a module that awaits, and those that import it,
// go on when the promise has settled, while the others are evaluated.
import {
  append,
  asyncGeneratorNext,
  at,
  generatorNext,
  make,
  mapGet,
  mapSet,
  setAdd,
  setHas,
} from "../../model/wire/intrinsics.ts";
import { awaitsItself, drive } from "./awaiting-body.ts";
import { groupsOf } from "./groups.ts";
import type { Body, ModuleRecord } from "./records.ts";

/** One module's place in an evaluation. */
interface Turn {
  readonly record: ModuleRecord;
  readonly running: ReturnType<Body>;
  readonly index: number;
  /** The last of the modules that import each other and it. */
  root: Turn;
  /** Modules that wait for it. */
  readonly parents: Turn[];
  /** How many modules it waits for. */
  pending: number;
  /** When it began to wait, among all that did; 0 where it never did. */
  since: number;
  status: "new" | "waiting" | "done" | "failed";
  /** Calls of import() that wait for it. */
  readonly settle: ((error: Thrown | undefined) => void)[];
  /** Why it failed. */
  error: Thrown | undefined;
}

interface Thrown {
  readonly thrown: unknown;
}

export interface EvaluationParts {
  /** The modules that a module imports. */
  readonly dependencies: (record: ModuleRecord) => readonly ModuleRecord[];
  /** Called before code of a module runs; throws where it must not go on. */
  readonly enter: (record: ModuleRecord) => void;
}

export class Evaluation {
  readonly #parts: EvaluationParts;
  readonly #turns: Turn[] = [];
  readonly #byName = new make.Map() as Map<string, Turn>;
  #hasAwait = false;
  #waits = 0;
  #left = 0;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};

  /** Begins every module: its functions are declared, and what it exports of them can be used. */
  constructor(order: readonly ModuleRecord[], parts: EvaluationParts) {
    this.#parts = parts;
    for (let i = 0; i < order.length; i++) {
      const turn = makeTurn(at(order, i), i);
      append(this.#turns, turn);
      mapSet(this.#byName, turn.record.name, turn);
      this.#hasAwait ||= awaits(turn.record);
    }
    for (let i = 0; i < order.length; i++) {
      const { running, record } = at(this.#turns, i);
      parts.enter(record);
      if (awaitsItself(record)) void asyncGeneratorNext(running);
      else generatorNext(running);
    }
  }

  /** Evaluates them in their order. A promise when one of them waits. It fails with the first error. */
  run(): Promise<unknown> | undefined {
    const turns = this.#turns;
    if (this.#hasAwait) this.#findRoots();
    for (let i = 0; i < turns.length; i++) this.#start(at(turns, i));
    for (let i = 0; i < turns.length; i++) if (at(turns, i).status === "waiting") this.#left++;
    if (this.#left === 0) return undefined;
    return new make.Promise((resolve, reject) => {
      this.#resolve = resolve as () => void;
      this.#reject = reject;
    });
  }

  /** Resolves when a module has been evaluated; undefined where it was before. */
  whenDone(record: ModuleRecord): Promise<void> | undefined {
    const own = mapGet(this.#byName, record.name) as Turn | undefined;
    const turn = own?.record === record ? own.root : undefined;
    if (turn === undefined || turn.status === "done") return undefined;
    return new make.Promise((resolve, reject) => {
      if (turn.error !== undefined) reject(turn.error.thrown);
      else append(turn.settle, (error) => (error === undefined ? resolve() : reject(error.thrown)));
    });
  }

  // Needed only where some wait.
  #findRoots(): void {
    const turns = this.#turns;
    const groups = groupsOf(turns.length, (index) => this.#dependencies(at(turns, index)));
    const roots = new make.Map() as Map<number, Turn>;
    for (let i = 0; i < turns.length; i++) mapSet(roots, at(groups, i), at(turns, i));
    for (let i = 0; i < turns.length; i++) at(turns, i).root = mapGet(roots, at(groups, i)) as Turn;
  }

  // Also through modules that a reload leaves as they are.
  #dependencies({ record }: Turn): number[] {
    const indexes: number[] = [];
    const seen = new make.Set() as Set<string>;
    const queue: ModuleRecord[] = [record];
    for (let i = 0; i < queue.length; i++) {
      const found = this.#parts.dependencies(at(queue, i));
      for (let j = 0; j < found.length; j++) {
        const next = at(found, j);
        if (setHas(seen, next.name)) continue;
        setAdd(seen, next.name);
        const turn = mapGet(this.#byName, next.name) as Turn | undefined;
        if (turn === undefined) append(queue, next);
        else append(indexes, turn.index);
      }
    }
    return indexes;
  }

  #start(turn: Turn): void {
    const found = this.#hasAwait ? this.#dependencies(turn) : [];
    for (let i = 0; i < found.length; i++) {
      const needed = at(this.#turns, at(found, i));
      // Within a cycle there are some that come later; they do not wait for each other.
      if (needed.index >= turn.index) continue;
      const awaited = needed.root === turn.root ? needed : needed.root;
      if (awaited.status !== "waiting") continue;
      turn.pending++;
      append(awaited.parents, turn);
    }
    if (turn.pending > 0 || awaits(turn.record)) {
      turn.status = "waiting";
      turn.since = ++this.#waits;
      if (turn.pending === 0) this.#startAsync(turn);
    } else {
      this.#runNow(turn);
      turn.status = "done";
      settleAll(turn, undefined);
    }
  }

  #runNow({ record, running }: Turn): void {
    this.#parts.enter(record);
    generatorNext(running);
  }

  #startAsync(turn: Turn): void {
    void this.#follow(turn, drive(turn.record, turn.running, this.#parts.enter));
  }

  async #follow(turn: Turn, driven: Promise<unknown>): Promise<void> {
    try {
      await driven;
    } catch (error) {
      return this.#fail(turn, error);
    }
    this.#finish(turn);
  }

  // Whoever waited for it alone goes on, in the order in which they began to wait.
  #finish(turn: Turn): void {
    if (turn.status !== "waiting") return;
    this.#end(turn, undefined);
    const ready: Turn[] = [turn];
    for (let i = 0; i < ready.length; i++) {
      const done = at(ready, i);
      // What awaits itself lets its parents go on when it has ended.
      if (done !== turn && awaits(done.record)) continue;
      for (let j = 0; j < done.parents.length; j++) {
        const parent = at(done.parents, j);
        if (parent.status === "waiting" && --parent.pending === 0) append(ready, parent);
      }
    }
    const order = bySince(ready);
    for (let i = 0; i < order.length; i++) if (at(order, i) !== turn) this.#goOn(at(order, i));
  }

  #goOn(turn: Turn): void {
    if (turn.status !== "waiting") return;
    if (awaits(turn.record)) return this.#startAsync(turn);
    try {
      this.#runNow(turn);
    } catch (error) {
      return this.#fail(turn, error);
    }
    this.#end(turn, undefined);
  }

  #fail(turn: Turn, thrown: unknown): void {
    const failed: Turn[] = [turn];
    for (let i = 0; i < failed.length; i++) {
      const next = at(failed, i);
      if (next.status !== "waiting") continue;
      this.#end(next, { thrown });
      for (let j = 0; j < next.parents.length; j++) append(failed, at(next.parents, j));
    }
    this.#reject(thrown);
  }

  #end(turn: Turn, error: Thrown | undefined): void {
    turn.error = error;
    turn.status = error === undefined ? "done" : "failed";
    settleAll(turn, error);
    if (--this.#left === 0 && error === undefined) this.#resolve();
  }
}

function makeTurn(record: ModuleRecord, index: number): Turn {
  const { body } = record;
  const turn: Omit<Turn, "root"> & { root?: Turn } = {
    record,
    // Not as a method, which would give the module a `this`.
    running: body(),
    index,
    parents: [],
    pending: 0,
    since: 0,
    status: "new",
    settle: [],
    error: undefined,
  };
  turn.root = turn as Turn;
  return turn as Turn;
}

function settleAll({ settle }: Turn, error: Thrown | undefined): void {
  for (let i = 0; i < settle.length; i++) at(settle, i)(error);
}

const awaits = ({ links }: ModuleRecord): boolean => links[5] !== "sync";

function bySince(turns: readonly Turn[]): Turn[] {
  const sorted: Turn[] = [];
  for (let i = 0; i < turns.length; i++) {
    const turn = at(turns, i);
    append(sorted, turn);
    let place = sorted.length - 1;
    for (; place > 0 && at(sorted, place - 1).since > turn.since; place--)
      sorted[place] = at(sorted, place - 1);
    sorted[place] = turn;
  }
  return sorted;
}
