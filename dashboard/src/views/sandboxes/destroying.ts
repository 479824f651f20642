// Destroys many sandboxes, and says how many went and why others did not.
import type { RemoteRuntime } from "../../../../src/client/types.ts";
import { countText, oneLine } from "../../text.ts";

/** What is to be said of it; rejects where one could not be destroyed. One that is gone already was wanted so. */
export async function destroyAll(
  runtime: Pick<RemoteRuntime, "batch">,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const results = await runtime.batch.destroy(ids, { signal });
  const failed = results.filter((result) => !result.ok && result.error.code !== "SANDBOX_NOT_FOUND");
  const done = results.length - failed.length;
  const [first] = failed;
  if (first === undefined || first.ok) return `${countText(done)} sandboxes are destroyed.`;
  throw new Error(
    `${countText(done)} are destroyed, ${countText(failed.length)} are not: ${oneLine(first.error.message, 300)}`,
  );
}
