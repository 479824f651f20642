// Which of the sandboxes that a batch made live on: those that the caller's function chose, or the best by score.
import { InvalidOptionsError, type VivariumError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { KeepRule } from "../options/batch-options.ts";
import { reasonOf } from "../../model/runs/arguments.ts";
import type { BatchItem } from "../types/batch.ts";
import type { SpecSandbox } from "./spec-sandboxes.ts";

/** A result that says whether its sandbox lives on. */
export type Keepable = BatchItem & { kept?: boolean };

interface Held {
  readonly result: Keepable;
  readonly made: SpecSandbox;
  /** Greater is better. */
  readonly rank: number;
}

export class Keeping {
  readonly #rule: KeepRule | undefined;
  /** With a number: the best so far, best first. */
  readonly #best: Held[] = [];
  readonly #ending = new Set<Promise<void>>();

  constructor(rule: KeepRule | undefined) {
    this.#rule = rule;
  }

  /** Asks the caller's function, where there is one; its mistake is returned. */
  ask(result: Keepable): boolean | VivariumError {
    const rule = this.#rule;
    if (typeof rule !== "function") return rule !== undefined;
    try {
      const answer: unknown = rule(result);
      if (typeof answer === "boolean") return answer;
      if (answer instanceof Promise) answer.catch(() => {});
      return wrongKeep(`must return true or false: got ${show(answer)}`);
    } catch (error) {
      return wrongKeep(`must not throw: ${reasonOf(error)}`);
    }
  }

  /** Keeps a sandbox, for good or for now, or ends it. A score is there where it has one of its own. */
  async settle(held: Omit<Held, "rank">, isWanted: boolean, score?: number): Promise<void> {
    const { result, made } = held;
    const rule = this.#rule;
    if (isWanted && typeof rule === "object" && score !== undefined) {
      this.#insert({ ...held, rank: rule.direction === "minimise" ? -score : score }, rule.best);
    } else if (isWanted && typeof rule === "function" && (await made.keep())) result.kept = true;
    else await made.end();
  }

  /** Every item has its result: the best are stored. Resolves when nothing of the others is left. */
  async end(): Promise<void> {
    await Promise.all(
      this.#best.map(async ({ result, made }) => {
        result.kept = await made.keep();
      }),
    );
    await Promise.all(this.#ending);
  }

  // Whatever can no longer be among the best is ended at once.
  #insert(held: Held, count: number): void {
    held.result.kept = true;
    const at = this.#best.findIndex((other) => isBetter(held, other));
    this.#best.splice(at < 0 ? this.#best.length : at, 0, held);
    if (this.#best.length <= count) return;
    const last = this.#best.pop();
    if (last === undefined) return;
    last.result.kept = false;
    const ending = last.made.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function isBetter(one: Held, other: Held): boolean {
  return one.rank === other.rank ? one.result.index < other.result.index : one.rank > other.rank;
}

function wrongKeep(why: string): VivariumError {
  return new InvalidOptionsError(`Cannot tell what to keep as keep ${why}`, "keep");
}
