// Closes the runtimes that are still open when their program has nothing left to do, so that what was not yet written is
// written, and nothing is left running. `close()` is the clean way: whoever calls it knows when that is done, and how.
import { afterTurn } from "../../std/clock.ts";
import { isAwaited } from "../../std/keep-alive.ts";

interface Closable {
  close(): Promise<void>;
}

const open = new Set<Closable>();

/** Closes a runtime at the end of the program, unless the returned function is called before. */
export function closeAtEnd(runtime: Closable): () => void {
  if (open.size === 0) process.on("beforeExit", closeAll);
  open.add(runtime);
  return () => {
    if (open.delete(runtime) && open.size === 0) process.off("beforeExit", closeAll);
  };
}

function closeAll(): void {
  // Another listener may go on with its work: it is asked first, whichever was there earlier.
  afterTurn(() => {
    if (isAwaited()) return;
    for (const runtime of open) runtime.close().catch(warn);
  });
}

function warn(error: unknown): void {
  process.emitWarning(`A runtime could not be closed at the end of the program: ${String(error)}`, {
    type: "VivariumWarning",
    code: "RUNTIME_NOT_CLOSED",
  });
}
