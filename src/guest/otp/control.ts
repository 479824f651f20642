// What the cell can do with a sandbox's processes: start the tree, deliver messages, run turns, and what the other files
// of this folder export for it.
import {
  append,
  make,
  mapDelete,
  mapEach,
  mapSet,
  parse,
  slice,
  stringify,
} from "../../model/wire/intrinsics.ts";
import type { StateCapture } from "../../model/sandboxes/process.ts";
import { AskFailure, infoOf, ownFunctions } from "./api.ts";
import { connectCapture, dynamicChildren, forgetCapture, restoreTree } from "./states/capture.ts";
import { connectChildren, startServer } from "./supervision/child.ts";
import type { ProcessHost, ProcessLimits } from "./core.ts";
import * as definitions from "./definitions.ts";
import { connectSuspension } from "./states/suspension.ts";
import { connectPlain } from "./plain.ts";
import * as process from "./process.ts";
import type { Request } from "./proc.ts";
import { connectReasons, endOfTree, reasonText, thrownIn } from "./reasons.ts";
import { connectReload } from "./states/reload.ts";
import * as scheduler from "./scheduler.ts";
import { connectServers } from "./server.ts";
import { connectSupervisors, startSupervisor, exitText } from "./supervision/supervisor.ts";
import type { ExitReason } from "./types.ts";

const namesShownMax = 20;
const nameLengthMax = 100;

let host: ProcessHost;
const hostRequests = new Map<number, Request>();
const treeAdvice =
  ", as the sandbox was created without the option supervisor, which names the module whose supervisor or server is started";
let hasTree = false;

export function connectControl(given: ProcessHost, limits: ProcessLimits): void {
  host = given;
  process.connect({ host, limits, ready: scheduler.enqueue });
  scheduler.connectScheduler(host);
  connectReasons(host);
  connectPlain(host, ownFunctions);
  connectServers(host);
  definitions.connectDefinitions(host);
  connectSupervisors(host);
  connectCapture(host);
  connectReload(host);
  connectSuspension(host);
  connectChildren({
    host,
    startSupervisor: (key, position) => startSupervisor(key, position, dynamicChildren(position.path)),
  });
  process.watchRoot((root, reason) => host.report("gave-up", endOfTree(exitText(root, reason), reason)));
}

/** Starts the tree of a module, from a capture where there is one. Resolves when all its processes have started. */
export async function startTree(root: unknown, captureText: string, module: string): Promise<void> {
  const capture = captureText === "" ? undefined : (parse(captureText) as StateCapture);
  const { kind, key } = (typeof root === "object" && root !== null ? root : {}) as {
    kind?: string;
    key?: string;
  };
  if (typeof key !== "string" || (kind !== "supervisor" && kind !== "server")) {
    throw new TypeError(
      `Cannot start the tree as module "${module}" must export a supervisor or a server, as default or as \`supervisor\`: it does not`,
    );
  }
  hasTree = true;
  if (capture !== undefined) restoreTree(capture);
  const position = { parent: undefined, path: "", name: null };
  try {
    if (kind === "supervisor") await startSupervisor(key, position, dynamicChildren(""));
    else await startServer(key, undefined, { ...position, name: "root" });
  } catch (reason) {
    throw reason instanceof make.Error
      ? reason
      : new TypeError(`Cannot start the tree: ${reasonText(reason as string)}`, causeOf(reason as string));
  } finally {
    forgetCapture();
  }
}

function causeOf(reason: ExitReason): ErrorOptions {
  const cause = thrownIn(reason);
  return cause === undefined ? {} : { cause };
}

/**
 * Delivers a question of the host's. `done` is called even where the step that answers is cut: this function may then
 * never return.
 */
export function askFromHost(
  op: number,
  { name, message }: { readonly name: string; readonly message: unknown },
  done: (answer: () => unknown) => void,
): void {
  const proc = process.find(name);
  if (proc === undefined) throw nobodyOf(name);
  const settle: Request["settle"] = (result) => {
    mapDelete(hostRequests, op);
    done(() => {
      if ("value" in result) return result.value;
      throw new AskFailure(result.failure, `"${name}"`, { reason: result.systemReason });
    });
  };
  const request = { asker: undefined, isOpen: true, holder: undefined, isTaken: false, settle };
  mapSet(hostRequests, op, request);
  process.deliver(proc, { kind: "call", content: { message, request } });
  takeTurn();
}

/** Asks the cell for a turn although no process has work, so that it collects answers. */
export function wakeCell(): void {
  host.wake();
}

// Processes left over after this turn need another one, which only the cell can start.
function takeTurn(): void {
  if (scheduler.turn()) host.wake();
}

/** The answer is no longer wanted. */
export function forgetAsk(op: number): void {
  mapDelete(hostRequests, op);
}

/** Questions of the host's that a process has begun to handle and not answered: any state may show their effects. */
export function begunAsks(): number[] {
  const begun: number[] = [];
  mapEach(hostRequests, (request, op) => {
    if ((request as Request).isTaken === true) append(begun, op as number);
  });
  return begun;
}

/** Delivers a message of the host's that gets no answer. */
export function sendFromHost(name: string, message: unknown): undefined {
  const proc = process.find(name);
  if (proc === undefined) throw nobodyOf(name);
  const isServer = proc.behaviour?.kind === "server";
  process.deliver(proc, { kind: isServer ? "cast" : "info", content: message });
  takeTurn();
  return undefined;
}

// The host asked for a name that no process has: it is told those that there are.
function nobodyOf(name: string): AskFailure {
  let names = "";
  let count = 0;
  process.eachProc((proc) => {
    if (proc.name === null || ++count > namesShownMax) return;
    names += `${count === 1 ? "" : ", "}${slice(proc.name, 0, nameLengthMax)}`;
  });
  const more = count > namesShownMax ? ` and ${count - namesShownMax} more` : "";
  const nobody = `no process has a name${hasTree ? "" : treeAdvice}`;
  const why = count === 0 ? nobody : `those that have a name are ${names}${more}`;
  return new AskFailure("noproc", `"${slice(name, 0, nameLengthMax)}"`, { reason: "noproc", why });
}

/** All processes as data, inside the tree and outside of it. */
export function describeAll(): string {
  const list: unknown[] = [];
  process.eachProc((proc) => {
    append(list, { ...infoOf(proc), path: proc.path, parent: proc.parent?.id ?? null });
  });
  return stringify(list);
}

export const { turn, cutStep, hasWork, clearLast } = scheduler;
export const { count, mostProcesses, longestQueue, setLimits } = process;
export { capture, captureChanges } from "./states/capture.ts";
export {
  migrateServers,
  migrationReport,
  suspendAndCapture,
  resumeServers,
  preparedStates,
} from "./states/reload.ts";
export { suspendServers } from "./states/suspension.ts";
