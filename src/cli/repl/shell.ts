// The console behind its prompt: lines come in, statements are put together from them and run in a session, and what comes of
// them is written.
import type { Runtime, ScriptOutcome, Session } from "../../index.ts";
import { asVivariumError } from "../../model/errors.ts";
import { problemOf } from "../command/problem.ts";
import { exitCodeOfError, exitCodeOfFailure } from "../exit-codes.ts";
import { yellow } from "../display/lines.ts";
import { wireOutcome } from "../outcome/wire.ts";
import { complete, type Completions } from "./completion.ts";
import { commandNames, exitCommand, isCommand, runCommand, type ReplContext } from "./commands.ts";
import { isUnfinished } from "./statement.ts";
import type { ReplWriter } from "./writer.ts";

/** More than this is no statement that goes on. */
const pendingLengthMax = 2 ** 20;
/** How long a script that was ended may take until its isolate is free. */
const freeMs = 500;

export type Fed = "more" | "done" | "exit";

export interface ShellOptions {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly writer: ReplWriter;
  readonly timeoutMs: number | undefined;
  readonly json: boolean;
  readonly width: () => number;
}

export class Shell {
  readonly #options: ShellOptions;
  readonly #loaded: ReplContext["loaded"] = new Map();
  #pending: string[] = [];
  #running: AbortController | undefined;
  /** Of the last script or command that failed; 0 where none did. */
  exitCode = 0;

  constructor(options: ShellOptions) {
    this.#options = options;
  }

  /** Whether a statement has begun that is not finished. */
  get isPending(): boolean {
    return this.#pending.length > 0;
  }

  /** One more line. */
  async feed(line: string): Promise<Fed> {
    if (!this.isPending && isCommand(line)) return this.#command(line);
    this.#pending.push(line);
    const source = this.#pending.join("\n");
    if (source.length <= pendingLengthMax && (await isUnfinished(this.#options.runtime.compile, source)))
      return "more";
    await this.flush();
    return "done";
  }

  /** Runs what there is, finished or not. */
  async flush(): Promise<void> {
    const source = this.#pending.join("\n");
    this.#pending = [];
    if (source.trim() !== "") await this.#run(source);
  }

  /** Ctrl-C: ends the script that runs, or else drops what was typed. Whether there was any of that. */
  interrupt(): boolean {
    const wasPending = this.isPending;
    this.#pending = [];
    if (this.#running === undefined) return wasPending;
    this.#running.abort();
    return true;
  }

  complete(line: string): Promise<Completions> {
    if (this.#running !== undefined) return Promise.resolve([[], line]);
    return complete(this.#options.session.sandbox, line, commandNames);
  }

  async #command(line: string): Promise<Fed> {
    if (line.trim() === exitCommand) return "exit";
    const { runtime, session, writer, width } = this.#options;
    try {
      writer.lines(await runCommand({ runtime, session, loaded: this.#loaded, width: width() }, line));
    } catch (thrown) {
      this.#fail(thrown);
    }
    return "done";
  }

  async #run(source: string): Promise<void> {
    const { session, writer, timeoutMs, json } = this.#options;
    this.#running = new AbortController();
    try {
      const { signal } = this.#running;
      const outcome = await session.run(source, {
        signal,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      if (!outcome.ok) this.exitCode = exitCodeOfFailure(outcome.error.kind);
      if (json) writer.document(wireOutcome(outcome));
      else this.#tell(outcome);
      if (signal.aborted) await this.#endForGood();
    } catch (thrown) {
      this.#fail(thrown);
    } finally {
      this.#running = undefined;
    }
  }

  #tell(outcome: ScriptOutcome): void {
    const { writer } = this.#options;
    if (outcome.fresh)
      writer.note(yellow("note "), "What was declared before is gone: the isolate was made anew.");
    if (outcome.ok) writer.value(outcome.value);
    else writer.failure(outcome.error);
  }

  /** A script that was ended while it computes may keep its isolate busy up to its deadline: then the sandbox begins anew. */
  async #endForGood(): Promise<void> {
    const { session, writer } = this.#options;
    const isFree = await session.sandbox.run("0", { signal: AbortSignal.timeout(freeMs) });
    if (isFree.ok) return;
    await session.sandbox.restart();
    writer.note(yellow("note "), "The script did not stop by itself, so the sandbox was restarted.");
  }

  #fail(thrown: unknown): void {
    const { writer, json } = this.#options;
    const error = asVivariumError(thrown);
    this.exitCode = exitCodeOfError(error);
    if (json) writer.document(problemOf(error));
    writer.error(error);
  }
}
