// How much the checkpointed states of a sandbox take together: they leave the cell in one report, whose length is bounded. A
// state that does not fit is refused when it is set, so that what is captured always fits.
import { captureBytesMaxFor } from "../../../model/runs/report-bounds.ts";
import { quotedBytes } from "../../../model/wire/lengths.ts";
import { mapDelete, mapGet, mapSet } from "../../../model/wire/intrinsics.ts";

/** Of one captured server besides its state: the names of the fields, its version, brackets. */
const rowBytes = 128;
/** How many bytes one character of a name takes at most. */
const nameUnitBytes = 6;

const bytesByPath = new Map<string, number>();
let usedBytes = 0;

/** Enters the state of the server at this path in place of its former one; false where it does not fit beside the others. */
export function takeRoom(
  path: string,
  { key, text }: { readonly key: string; readonly text: string },
  resultBytes: number,
): boolean {
  const bytes = quotedBytes(text) + (path.length + key.length) * nameUnitBytes + rowBytes;
  const before = (mapGet(bytesByPath, path) as number | undefined) ?? 0;
  if (usedBytes - before + bytes > captureBytesMaxFor(resultBytes)) return false;
  usedBytes += bytes - before;
  mapSet(bytesByPath, path, bytes);
  return true;
}

/** The state at this path is no longer captured. */
export function leaveRoom(path: string): void {
  usedBytes -= (mapGet(bytesByPath, path) as number | undefined) ?? 0;
  mapDelete(bytesByPath, path);
}
