// Ends a cell after an unexpected error, with a line on stderr. The error may have left an operation unreported, whose caller
// would otherwise wait.
import { writeSync } from "node:fs";
import { dieNow } from "../../std/tether.ts";

const stderrFd = 2;
const wordsMax = 1_000;

/** Ends the cell. The orchestrator reads the first line of its stderr. */
export function dieOf(error: unknown): never {
  try {
    writeSync(stderrFd, `${inWords(error)}\n`);
  } catch {
    // The orchestrator is gone.
  }
  dieNow();
}

/** Uncaught exceptions and rejections end the cell. */
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
