// Requests to the store whose failure a caller gets as `STORE_FAILED`.
import { VivariumError } from "../../model/errors.ts";

/** `what` continues "Cannot". */
export async function orStoreFailed<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof VivariumError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new VivariumError("STORE_FAILED", `Cannot ${what} as the store failed: ${why}`, cause);
  }
}
