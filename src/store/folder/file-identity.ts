// Whether the file at a path is still the one that was opened there.
import { statSync } from "node:fs";

export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Of what is at a path; it is not opened, as closing it would drop the locks that this process has on it. */
export function identityOf(path: string): FileIdentity | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

export function isSameFile(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}
