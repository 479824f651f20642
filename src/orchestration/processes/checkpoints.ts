// States written down: on demand, and regularly where a sandbox asked for it.
import { asVivariumError } from "../../model/errors.ts";
import { isStateCapture, type StateCapture } from "../../model/process.ts";
import { every, type Clock, type Timer } from "../../std/clock.ts";
import { askOfProcesses } from "./processes.ts";
import type { Resident } from "../sandboxes/resident.ts";

/** The states of all servers in the tree, as they are now. */
export async function capture(resident: Resident): Promise<StateCapture> {
  const order = { verb: "capture", first: "", second: "", budgetMs: resident.limits.loadMs };
  const read = (value: unknown): StateCapture | undefined => (isStateCapture(value) ? value : undefined);
  return askOfProcesses(resident, { ...order, isRepeatable: true, read });
}

/** Takes the states and keeps them; rejects where they are no data, or the store fails. */
export async function writeDown(resident: Resident): Promise<StateCapture> {
  const { revision } = resident.versions.head;
  const { changes } = resident.checkpoint;
  const taken = await capture(resident);
  // A reload meanwhile has written down states of its own: these are in the form of the old code.
  if (resident.versions.head.revision !== revision) return taken;
  await resident.keepStates(JSON.stringify(taken), changes);
  return taken;
}

/** Writes down the states of sandboxes that asked for it, each at its own interval. */
export class Checkpoints {
  readonly #clock: Clock;
  readonly #timers = new Map<Resident, Timer>();
  readonly #underway = new Set<Resident>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins with a sandbox that wants it; any other is left alone. */
  start(resident: Resident): void {
    const mode = resident.processes?.checkpoint ?? null;
    if (mode === null || mode === "message" || this.#timers.has(resident)) return;
    this.#timers.set(
      resident,
      every(this.#clock, mode.everyMs, () => void this.#write(resident)),
    );
  }

  stop(resident: Resident): void {
    this.#timers.get(resident)?.cancel();
    this.#timers.delete(resident);
  }

  close(): void {
    for (const resident of [...this.#timers.keys()]) this.stop(resident);
  }

  // One at a time: where writing takes longer than the interval, a turn is left out.
  async #write(resident: Resident): Promise<void> {
    if (resident.status !== "running" || this.#underway.has(resident)) return;
    this.#underway.add(resident);
    try {
      await writeDown(resident);
    } catch (error) {
      const { code, message } = asVivariumError(error);
      resident.noteError({ code, message, diagnostics: [] });
    } finally {
      this.#underway.delete(resident);
    }
  }
}
