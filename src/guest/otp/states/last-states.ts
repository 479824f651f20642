// The last states of servers with `restartFrom: "last"`, stored between their exit and their restart.
import { mapDelete, mapEach, mapGet, mapSet, slice } from "../../../model/wire/intrinsics.ts";
import { leaveRoom } from "./room.ts";

/** The state of a server as its last finished message left it. */
export interface LastState {
  readonly key: string;
  readonly module: string;
  /** Encoded. */
  readonly state: string;
}

const lasts = new Map<string, LastState>();

/** Stores the state of a server that has exited. */
export function saveLast(path: string, last: LastState): void {
  mapSet(lasts, path, last);
}

/** The last state at this path; undefined where there is none, or it is another server's. */
export function lastAt(path: string, key: string): LastState | undefined {
  const last = mapGet(lasts, path) as LastState | undefined;
  return last?.key === key ? last : undefined;
}

/** Visits the states of servers that have not been restarted. */
export function eachLast(visit: (last: LastState, path: string) => void): void {
  mapEach(lasts, (last, path) => visit(last as LastState, path as string));
}

/** The server at this path was restarted. */
export function forgetLast(path: string): void {
  mapDelete(lasts, path);
}

/** The server at this path will not be restarted. */
export function dropLast(path: string): void {
  if (mapDelete(lasts, path)) leaveRoom(path);
}

/** The same for all servers below a path in the tree. */
export function forgetLastsBelow(path: string): void {
  const above = path === "" ? "" : `${path}/`;
  eachLast((_, at) => {
    if (slice(at, 0, above.length) === above) dropLast(at);
  });
}

/** The same for all servers whose code has changed: old states never meet new code. */
export function forgetLastsOf(isChanged: (module: string) => boolean): void {
  eachLast(({ module }, at) => {
    if (isChanged(module)) dropLast(at);
  });
}
