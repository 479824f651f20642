// The processes of one sandbox, as its handle gives access to them.
import { InvalidOptionsError, SandboxNotRunningError } from "../model/errors.ts";
import type { Outcome } from "../model/outcome.ts";
import type { ProcessView, StateCapture } from "../model/process.ts";
import type { TotalUsage } from "../model/sandbox-info.ts";
import { show } from "../model/show.ts";
import { checkCapture } from "../orchestration/processes/checkpoint.ts";
import { capture, writeDown } from "../orchestration/processes/checkpoints.ts";
import { askOfProcesses, toTrees } from "../orchestration/processes/processes.ts";
import type { Cancellable } from "../orchestration/sandboxes/operations.ts";
import type { Resident } from "../orchestration/sandboxes/resident.ts";
import { untilCancelled } from "./cancelling.ts";
import type { Engine } from "./engine.ts";
import { readSignal, type Fields } from "./options.ts";
import { encodeValue, toTerms } from "./run-request.ts";

const describeMs = 5_000;

/** Sends a message to a process by its name, and waits for what comes of it. */
export function tellProcess(
  engine: Engine,
  resident: Resident,
  told: {
    readonly kind: "ask" | "send";
    readonly name: unknown;
    readonly message: unknown;
    readonly fields: Fields;
  },
): Promise<Outcome> {
  const { kind, name, message, fields } = told;
  if (typeof name !== "string" || name === "") {
    throw new InvalidOptionsError(
      `Cannot reach a process as its name must be a text: got ${show(name)}`,
      "name",
    );
  }
  requireProcesses(resident);
  const { limits } = resident;
  const { waitMs } = engine.parts.config.cells;
  const signal = readSignal(fields["signal"], "signal");
  const terms = toTerms({ module: "", export: name }, fields, { limits, waitMs });
  // What is written down after every message begins again where nothing was lost: asking twice is asking once.
  const isRepeatable = terms.isRepeatable || resident.processes?.checkpoint === "message";
  const args = encodeValue(message, limits.argsBytes);
  return new Promise((settle) => {
    engine.submit(resident, { terms: { ...terms, isRepeatable, tell: kind }, args, settle }, signal);
  });
}

/** The tree of processes, and those outside of it. */
export async function describeProcesses(resident: Resident): Promise<readonly ProcessView[]> {
  if (resident.processes === null) return [];
  requireAlive(resident, "describe");
  const order = { verb: "describe", first: "", second: "", budgetMs: describeMs, isRepeatable: true };
  return askOfProcesses(resident, { ...order, read: toTrees });
}

/** The states of all servers in the tree, as they are now. */
export async function captureStates(resident: Resident, options: Cancellable = {}): Promise<StateCapture> {
  requireProcesses(resident);
  requireAlive(resident, "capture");
  return untilCancelled(options, `the capture of sandbox "${resident.id}"`, () => capture(resident));
}

/** The states as they are now, or as they were last written down where the sandbox does not run; null without any. */
export async function stateOf(resident: Resident): Promise<StateCapture | null> {
  const { processes, checkpoint, status } = resident;
  if (processes === null || processes.supervisor === null) return null;
  if (status === "running" || status === "suspended") return captureStates(resident);
  // What was written down may be long ago, and what is there now is not to be had.
  if (status === "reloading" && processes.checkpoint !== "message") requireAlive(resident, "capture");
  return checkpoint.isThere ? checkpoint.toCapture() : null;
}

/** Writes the states down: from here on the sandbox begins with them when its isolate is made anew. */
export async function checkpointNow(resident: Resident, options: Cancellable): Promise<StateCapture> {
  requireProcesses(resident);
  requireAlive(resident, "checkpoint");
  return untilCancelled(options, `the checkpoint of sandbox "${resident.id}"`, () => writeDown(resident));
}

/** Makes the isolate anew with these states, and keeps them; where it cannot be made anew, what was kept before holds. */
export async function restoreStates(resident: Resident, given: unknown, options: Cancellable): Promise<void> {
  requireProcesses(resident);
  await resident.restart({ ...options, capture: checkCapture(given) });
}

/** Sums over all runs, and a fresh sample where the sandbox has a cell. */
export async function sampleUsage(resident: Resident): Promise<TotalUsage> {
  if (resident.place !== undefined) await resident.control(0, (op, key) => ({ t: "sample", op, key }));
  return { ...resident.usage };
}

function requireAlive(resident: Resident, what: string): void {
  const { status } = resident;
  if (status !== "running" && status !== "suspended") throw new SandboxNotRunningError(what, resident);
}

function requireProcesses(resident: Resident): void {
  if (resident.processes !== null) return;
  const message =
    'Cannot reach processes as the sandbox must have some: none of its modules imports "vivarium/guest"';
  throw new InvalidOptionsError(message, "processes");
}
