// Which reloads a call comes from: what a caller's verification asks of the sandbox must not wait for the reload that it is
// part of.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Operation } from "../sandboxes/operations/operation.ts";

/** The reloads whose verification the current call comes from. */
const verifying = new AsyncLocalStorage<readonly Operation[]>();

/** Calls a verification of this operation. */
export function verifyWithin<T>(operation: Operation, verify: () => Promise<T>): Promise<T> {
  return verifying.run([...(verifying.getStore() ?? []), operation], async () => verify());
}

/** This operation, where the call comes from its own verification, which cannot wait for it. */
export function verifyingNow(current: Operation | undefined): Operation | undefined {
  return verifying.getStore()?.find((operation) => operation === current);
}
