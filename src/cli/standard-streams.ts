// What happens when the command can write no more to stdout or stderr: an error of either belongs to no call of ours.
import { reasonOf } from "./reasons.ts";

const doneCode = 0;
const brokenCode = 1;

/**
 * Ends the process at the first text that stdout cannot take. Whoever closed a pipe has read enough, so that is no failure.
 * Without stderr the command goes on, as its result and its exit code need none.
 */
export function watchStandardStreams(): void {
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(doneCode);
    console.error(`Cannot write to stdout as it must take all of the output: ${reasonOf(error)}`);
    process.exit(brokenCode);
  });
}
