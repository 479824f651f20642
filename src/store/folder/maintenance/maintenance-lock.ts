// Owns a data folder for as long as its files are changed as a whole.
import { hostname } from "node:os";
import type { Clock } from "../../../std/clock.ts";
import { OwnerLock } from "../owner-lock.ts";

/** Throws `STORE_LOCKED` where a runtime has the folder open. `what` is the name that others see. */
export function lockForMaintenance(path: string, what: string, clock: Clock): Disposable {
  const lock = new OwnerLock(path, {
    name: `vivarium store ${what}`,
    pid: process.pid,
    host: hostname(),
    startedAt: clock.now(),
  });
  return { [Symbol.dispose]: () => lock.release() };
}
