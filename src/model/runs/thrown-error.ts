// What a guest threw as an error of the host's, to be the cause of one of ours.
import type { Thrown } from "./outcome.ts";

/** An error with the texts, the causes and the properties of what was thrown. */
export function errorOf(thrown: Thrown): Error {
  const { name, message, stack, cause, errors, properties = {}, error: later, suppressed } = thrown;
  const options = cause === undefined ? undefined : { cause: errorOf(cause) };
  const error =
    errors === undefined
      ? new Error(message, options)
      : new AggregateError(errors.map(errorOf), message, options);
  if (later !== undefined) hide(error, "error", errorOf(later));
  if (suppressed !== undefined) hide(error, "suppressed", errorOf(suppressed));
  hide(error, "name", name);
  hide(error, "stack", stack === "" ? `${name}: ${message}` : stack);
  for (const [key, value] of Object.entries(properties)) {
    // A guest cannot replace what errors are used by, such as `toString`.
    if (!(key in error)) (error as unknown as Record<string, unknown>)[key] = value;
  }
  return error;
}

function hide(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, enumerable: false, configurable: true });
}
