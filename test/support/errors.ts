// Asserts that a caller's mistake is answered by a typed error that says what, which rule, and what came instead.
import assert from "node:assert/strict";
import { VivariumError, type ErrorCode } from "../../src/index.ts";

/** Every message about a mistake has this form. */
export const messageForm = /^Cannot [^]+ as [^]+ must [^]+: [^]+$/;

/** The error with which something rejects or throws; it must be one of ours with this code. */
export async function errorOf(act: () => unknown, code: ErrorCode): Promise<VivariumError> {
  let value: unknown;
  try {
    value = await act();
  } catch (error) {
    assert.ok(error instanceof VivariumError, `expected ${code}, got ${String(error)}`);
    assert.equal(error.code, code, `${error.code}: ${error.message}`);
    return error;
  }
  assert.fail(`expected ${code}, got the value ${String(value)}`);
}

/** As `errorOf`, for a mistake in what was given: the message has the form of all such messages. */
export async function mistakeOf(act: () => unknown, code: ErrorCode): Promise<VivariumError> {
  const error = await errorOf(act, code);
  assert.match(error.message, messageForm);
  return error;
}
