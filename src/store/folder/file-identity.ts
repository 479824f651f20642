// What can be known of a file without opening it: closing it again would drop the locks that this process has on it.
import { accessSync, constants, statSync } from "node:fs";

export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Of what is at a path. */
export function identityOf(path: string): FileIdentity | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

export function isSameFile(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

/** Throws where there is a file at this path that this process may not read and write. */
export function checkWritable(path: string): void {
  if (identityOf(path) !== undefined) accessSync(path, constants.R_OK | constants.W_OK);
}
