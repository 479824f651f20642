// The processes of one sandbox, as its handle gives access to them.
import { InvalidOptionsError, SandboxNotRunningError } from "../../model/errors.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import type { ProcessView, StateCapture } from "../../model/sandboxes/process.ts";
import type { TotalUsage } from "../../model/sandboxes/sandbox-info.ts";
import { show } from "../../model/show.ts";
import { checkCapture } from "../../orchestration/processes/checkpoint.ts";
import { capture, writeDown } from "../../orchestration/processes/checkpoints.ts";
import { askOfProcesses, toTrees } from "../../orchestration/processes/processes.ts";
import type { Cancellable } from "../../orchestration/sandboxes/operations/operations.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { Engine } from "../wiring/engine.ts";
import { encodeValue } from "../../model/runs/arguments.ts";
import { readRunFields, toTerms } from "../options/run-options.ts";
import { signal } from "../options/options.ts";

const describeMs = 5_000;

/** Sends a message to a process by its name, and waits for what comes of it. */
export function tellProcess(
  engine: Engine,
  sandbox: ManagedSandbox,
  sent: {
    readonly kind: "ask" | "send";
    readonly name: unknown;
    readonly message: unknown;
    readonly options: unknown;
    readonly isPrivileged: boolean;
  },
): Promise<Outcome> {
  const { kind, name, message } = sent;
  engine.checkOpen(`reach processes of sandbox "${sandbox.id}"`);
  // Processes whose code changes are held back, so that a verification would wait for itself.
  if (sent.isPrivileged) throw new SandboxNotRunningError("reach processes of", sandbox);
  const fields = readRunFields(sent.options);
  if (typeof name !== "string" || name === "") {
    throw new InvalidOptionsError(
      `Cannot reach a process as its name must be a text: got ${show(name)}`,
      "name",
    );
  }
  requireProcesses(sandbox);
  const { limits } = sandbox;
  const { waitMs } = engine.parts.config.cells;
  const ended = signal.read(fields.signal, "signal");
  const terms = toTerms({ module: "", export: name }, fields, { limits, waitMs });
  // A state that is persisted after every message begins again where nothing was lost: asking twice is asking once.
  const isRepeatable = terms.isRepeatable || sandbox.processes?.checkpoint === "message";
  const args = encodeValue(message, limits.argsBytes);
  return new Promise((settle) => {
    engine.submit(sandbox, { terms: { ...terms, isRepeatable, tell: kind }, args, settle }, ended);
  });
}

/** The tree of processes, and those outside of it. */
export async function describeProcesses(sandbox: ManagedSandbox): Promise<readonly ProcessView[]> {
  if (sandbox.processes === null) return [];
  requireAlive(sandbox, "describe");
  const request = { verb: "describe", first: "", second: "", budgetMs: describeMs, isRepeatable: true };
  return askOfProcesses(sandbox, { ...request, read: toTrees });
}

/** The states of all servers in the tree, as they are now. */
export async function captureStates(sandbox: ManagedSandbox): Promise<StateCapture> {
  requireProcesses(sandbox);
  requireAlive(sandbox, "capture");
  return capture(sandbox);
}

/** The states as they are now, or as they were last persisted where the sandbox does not run; null without any. */
export async function stateOf(sandbox: ManagedSandbox): Promise<StateCapture | null> {
  const { processes, checkpoint, status } = sandbox;
  if (processes === null || processes.supervisor === null) return null;
  if (status === "running" || status === "suspended") return captureStates(sandbox);
  // What was persisted may be old, and the present states cannot be read.
  if (status === "reloading" && processes.checkpoint !== "message") requireAlive(sandbox, "capture");
  return checkpoint.isThere ? checkpoint.toCapture() : null;
}

/** Persists the states: from now on the sandbox begins with them when its isolate is made anew. */
export async function checkpointNow(sandbox: ManagedSandbox): Promise<StateCapture> {
  requireProcesses(sandbox);
  requireAlive(sandbox, "checkpoint");
  return writeDown(sandbox);
}

/** Makes the isolate anew with these states, and keeps them; where it cannot be made anew, what was kept before holds. */
export async function restoreStates(
  sandbox: ManagedSandbox,
  given: unknown,
  options: Cancellable,
): Promise<void> {
  requireProcesses(sandbox);
  await sandbox.restart({ ...options, capture: checkCapture(given) });
}

/** Sums over all runs, and a fresh sample where the sandbox has a cell. */
export async function sampleUsage(sandbox: ManagedSandbox): Promise<TotalUsage> {
  if (sandbox.place !== undefined) await sandbox.control(0, (op, key) => ({ t: "sample", op, key }));
  return { ...sandbox.usage };
}

function requireAlive(sandbox: ManagedSandbox, what: string): void {
  const { status } = sandbox;
  if (status !== "running" && status !== "suspended") throw new SandboxNotRunningError(what, sandbox);
}

function requireProcesses(sandbox: ManagedSandbox): void {
  if (sandbox.processes !== null) return;
  const message =
    'Cannot reach processes as the sandbox must have some: none of its modules imports "vivarium/guest"';
  throw new InvalidOptionsError(message, "processes");
}
