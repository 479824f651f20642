// What the cell does with the processes of a sandbox, through the guest runtime: start the tree, bring messages in, give
// turns, and what the files beside this one add.
import { append, make, mapDelete, mapEach, mapSet, parse, stringify } from "../../model/wire/intrinsics.ts";
import type { StateCapture } from "../../model/process.ts";
import { AskFailure, infoOf, ownFunctions } from "./api.ts";
import { bringBack, connectCapture, dynamicChildren, forgetCapture } from "./capture.ts";
import { connectChildren, startServer } from "./child.ts";
import type { ProcessHost, ProcessLimits } from "./core.ts";
import * as definitions from "./definitions.ts";
import { connectHolding } from "./holding.ts";
import { connectPlain } from "./plain.ts";
import * as process from "./process.ts";
import type { Request } from "./proc.ts";
import { connectReasons, reasonText } from "./reasons.ts";
import { connectReload } from "./reload.ts";
import * as scheduler from "./scheduler.ts";
import { connectServers } from "./server.ts";
import { connectSupervisors, startSupervisor, storyOf } from "./supervisor.ts";

let host: ProcessHost;
const hostRequests = new Map<number, Request>();

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
  connectHolding(host);
  connectChildren({
    host,
    startSupervisor: (key, place) => startSupervisor(key, place, dynamicChildren(place.path)),
  });
  process.watchRoot((root, reason) => host.report("gave-up", storyOf(root, reason)));
}

/** Starts the root of the tree, from a capture where there is one. Resolves when all are up. */
export async function startTree(root: unknown, captureText: string): Promise<void> {
  const capture = captureText === "" ? undefined : (parse(captureText) as StateCapture);
  const { kind, key } = (typeof root === "object" && root !== null ? root : {}) as {
    kind?: string;
    key?: string;
  };
  if (typeof key !== "string" || (kind !== "supervisor" && kind !== "server")) {
    throw new TypeError(
      "Cannot start the tree as its module must export a supervisor or a server, as default or as `supervisor`",
    );
  }
  if (capture !== undefined) bringBack(capture);
  const place = { parent: undefined, path: "", name: null };
  try {
    if (kind === "supervisor") await startSupervisor(key, place, dynamicChildren(""));
    else await startServer(key, undefined, { ...place, name: "root" });
  } catch (reason) {
    throw reason instanceof make.Error
      ? reason
      : new TypeError(`Cannot start the tree: ${reasonText(reason as string)}`);
  } finally {
    forgetCapture();
  }
}

/**
 * A message from the host that is answered. Who waits is called back, even where the step that answers is cut: this
 * function may then never return.
 */
export function askFromHost(
  op: number,
  { name, message }: { readonly name: string; readonly message: unknown },
  done: (answer: () => unknown) => void,
): void {
  const proc = process.find(name);
  if (proc === undefined) throw new AskFailure("noproc", `"${name}"`, "noproc");
  const settle: Request["settle"] = (result) => {
    mapDelete(hostRequests, op);
    done(() => {
      if ("value" in result) return result.value;
      throw new AskFailure(result.failure, `"${name}"`, result.verdict);
    });
  };
  const request = { asker: undefined, isOpen: true, isTaken: false, settle };
  mapSet(hostRequests, op, request);
  process.deliver(proc, { kind: "call", message, request });
  takeTurn();
}

/** Asks the cell for a turn, though no process has work: it looks for answers then. */
export function wakeCell(): void {
  host.wake();
}

// Whoever has no turn in this one must have another: nobody else gives it.
function takeTurn(): void {
  if (scheduler.turn()) host.wake();
}

/** Nobody waits for the answer any more. */
export function forgetAsk(op: number): void {
  mapDelete(hostRequests, op);
}

/** Questions of the host's that a process has begun with and not answered: their traces may be in any state. */
export function begunAsks(): number[] {
  const begun: number[] = [];
  mapEach(hostRequests, (request, op) => {
    if ((request as Request).isTaken === true) append(begun, op as number);
  });
  return begun;
}

/** A message from the host that is not answered. */
export function sendFromHost(name: string, message: unknown): undefined {
  const proc = process.find(name);
  if (proc === undefined) throw new AskFailure("noproc", `"${name}"`, "noproc");
  const isServer = proc.behaviour?.kind === "server";
  process.deliver(proc, { kind: isServer ? "cast" : "info", message });
  takeTurn();
  return undefined;
}

/** All processes as data: the tree, and those outside of it. */
export function describeAll(): string {
  const list: unknown[] = [];
  process.eachProc((proc) => {
    append(list, { ...infoOf(proc), path: proc.path, parent: proc.parent?.id ?? null });
  });
  return stringify(list);
}

export const { turn, cutStep, hasWork, forgetLast } = scheduler;
export const { count, mostProcesses, longestQueue, setLimits } = process;
export { capture, captureChanges } from "./capture.ts";
export { migrateServers, migrationReport, holdStates, resumeServers, preparedStates } from "./reload.ts";
export { holdServers } from "./holding.ts";
