// Stores the states of processes: on demand, and regularly where a sandbox asked for it.
import { asVivariumError } from "../../model/errors.ts";
import { isStateCapture, type StateCapture } from "../../model/sandboxes/process.ts";
import { every, type Clock, type Timer } from "../../std/clock.ts";
import { askOfProcesses } from "./processes.ts";
import type { ManagedSandbox } from "../sandboxes/managed-sandbox.ts";

/** The states of all servers in the tree, as they are now. */
export async function capture(sandbox: ManagedSandbox): Promise<StateCapture> {
  const request = { verb: "capture", first: "", second: "", budgetMs: sandbox.limits.loadMs };
  const read = (value: unknown): StateCapture | undefined => (isStateCapture(value) ? value : undefined);
  return askOfProcesses(sandbox, { ...request, isRepeatable: true, read });
}

/** Captures the states and stores them; rejects where they are no data, or the store fails. */
export async function writeDown(sandbox: ManagedSandbox): Promise<StateCapture> {
  const { revision } = sandbox.versions.head;
  const { changes } = sandbox.checkpoint;
  const taken = await capture(sandbox);
  // A reload meanwhile has stored states of its own: these have the form of the old code.
  if (sandbox.versions.head.revision !== revision) return taken;
  await sandbox.storeStates(JSON.stringify(taken), changes);
  return taken;
}

/** Stores the states of sandboxes that asked for it, each at its own interval. */
export class Checkpoints {
  readonly #clock: Clock;
  readonly #timers = new Map<ManagedSandbox, Timer>();
  readonly #underway = new Set<ManagedSandbox>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins with a sandbox, where it asked for it. */
  start(sandbox: ManagedSandbox): void {
    const mode = sandbox.processes?.checkpoint ?? null;
    if (mode === null || mode === "message" || this.#timers.has(sandbox)) return;
    this.#timers.set(
      sandbox,
      every(this.#clock, mode.everyMs, () => void this.#write(sandbox)),
    );
  }

  stop(sandbox: ManagedSandbox): void {
    this.#timers.get(sandbox)?.cancel();
    this.#timers.delete(sandbox);
  }

  close(): void {
    for (const sandbox of [...this.#timers.keys()]) this.stop(sandbox);
  }

  // One at a time: where storing takes longer than the interval, a turn is skipped.
  async #write(sandbox: ManagedSandbox): Promise<void> {
    if (sandbox.status !== "running" || this.#underway.has(sandbox)) return;
    this.#underway.add(sandbox);
    try {
      await writeDown(sandbox);
    } catch (error) {
      const { code, message } = asVivariumError(error);
      sandbox.noteError({ code, message, diagnostics: [] });
    } finally {
      this.#underway.delete(sandbox);
    }
  }
}
