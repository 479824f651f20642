// What was called from the page, and what came of it: the latest 20, newest first.
import type { CallTarget, Outcome, Sandbox } from "../../../../src/index.ts";
import { failureText } from "./failures.ts";

export interface Called {
  readonly number: number;
  readonly target: string;
  readonly args: readonly unknown[];
  readonly at: number;
  /** The versions of its modules when it began, by their names. */
  readonly versions: Readonly<Record<string, number>>;
  /** Null while it is under way. */
  readonly outcome: Outcome | null;
  /** Why it was not run, or why nothing came back. */
  readonly problem: string | null;
}

export interface CallInput {
  readonly target: string;
  readonly args: readonly unknown[];
  readonly timeoutMs: number | undefined;
  readonly versions: Readonly<Record<string, number>>;
}

const callsMax = 20;

export class Calls {
  list: readonly Called[] = $state.raw([]);
  /** How many are under way. */
  underway = $state(0);
  #count = 0;
  readonly #ends = new Map<number, AbortController>();

  async call(
    sandbox: () => Promise<Sandbox>,
    { target, args, timeoutMs, versions }: CallInput,
  ): Promise<void> {
    const number = ++this.#count;
    const end = new AbortController();
    this.#ends.set(number, end);
    this.underway = this.#ends.size;
    const begun: Called = { number, target, args, versions, at: Date.now(), outcome: null, problem: null };
    this.list = [begun, ...this.list].slice(0, callsMax);
    try {
      const options = { args, signal: end.signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
      const outcome = await (await sandbox()).call(target as CallTarget, options);
      this.#change(number, { outcome });
    } catch (error) {
      this.#change(number, { problem: failureText(error) });
    } finally {
      this.#ends.delete(number);
      this.underway = this.#ends.size;
    }
  }

  cancel(number: number): void {
    this.#ends.get(number)?.abort();
  }

  cancelAll(): void {
    for (const end of this.#ends.values()) end.abort();
  }

  #change(number: number, change: Partial<Called>): void {
    this.list = this.list.map((called) => (called.number === number ? { ...called, ...change } : called));
  }
}
