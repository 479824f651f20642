// The last states of servers that begin again with them, kept from the end of one life to the beginning of the next.
import { mapDelete, mapEach, mapGet, mapSet, slice } from "../../model/wire/intrinsics.ts";

/** The state of a server as its last finished message left it. */
export interface LastState {
  readonly key: string;
  readonly module: string;
  /** Encoded. */
  readonly state: string;
}

const lasts = new Map<string, LastState>();

/** Keeps the state of a server that has ended. */
export function keepLast(path: string, last: LastState): void {
  mapSet(lasts, path, last);
}

/** What a server begins with at this place; undefined where there is nothing, or another server stood there. */
export function lastAt(path: string, key: string): LastState | undefined {
  const last = mapGet(lasts, path) as LastState | undefined;
  return last?.key === key ? last : undefined;
}

/** Visits those who have not begun again. */
export function eachLast(visit: (last: LastState, path: string) => void): void {
  mapEach(lasts, (last, path) => visit(last as LastState, path as string));
}

/** The one at this place lives again, or never will. */
export function forgetLast(path: string): void {
  mapDelete(lasts, path);
}

/** The same for all that stand below a place in the tree. */
export function forgetLastsBelow(path: string): void {
  const above = path === "" ? "" : `${path}/`;
  eachLast((_, at) => {
    if (slice(at, 0, above.length) === above) forgetLast(at);
  });
}

/** The same for all whose code is another now: old states never meet new code. */
export function forgetLastsOf(isChanged: (module: string) => boolean): void {
  eachLast(({ module }, at) => {
    if (isChanged(module)) forgetLast(at);
  });
}
