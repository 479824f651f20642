// Owns a data folder for as long as its files are changed as a whole.
import { hostname } from "node:os";
import type { Clock } from "../../../std/clock.ts";
import { OwnerLock } from "../owner-lock.ts";
import { openError } from "../sqlite-error.ts";

/**
 * Throws `STORE_LOCKED` where a runtime has the folder open, and `STORE_FAILED` where it may not be written. `what` is the
 * name that others see.
 */
export function lockForMaintenance(path: string, what: string, clock: Clock): Disposable {
  const name = `vivarium store ${what}`;
  try {
    return new OwnerLock(path, { name, pid: process.pid, host: hostname(), startedAt: clock.now() });
  } catch (error) {
    throw openError(path, error);
  }
}
