// The end of a cell that met something nobody expected: it says what, then ends at once. What went wrong may have left
// an operation unreported, and a cell that goes on with that would keep its caller waiting.
import { writeSync } from "node:fs";
import { dieNow } from "../../std/tether.ts";

const stderrFd = 2;
const wordsMax = 1_000;

/** Ends the cell for a fault of its own. The orchestrator reads the first line of what it said. */
export function dieOf(error: unknown): never {
  try {
    writeSync(stderrFd, `${inWords(error)}\n`);
  } catch {
    // Nobody listens any more.
  }
  dieNow();
}

/** Whatever is thrown or rejected and caught by nobody ends the cell. */
export function dieOfTheUnexpected(): void {
  process.on("uncaughtException", dieOf);
  process.on("unhandledRejection", dieOf);
}

/** One line: what happened and where. */
export function inWords(error: unknown): string {
  const [what = "", where = ""] = (error instanceof Error ? (error.stack ?? error.message) : String(error))
    .split("\n")
    .map((line) => line.trim());
  return `Cannot go on: ${what} ${where}`.trim().slice(0, wordsMax);
}
