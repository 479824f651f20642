// What a guest left unhandled, as a line of its console. The engine throws the first rejection that nobody handled at the end of
// the entry in which it happened, as a copy whose stack may have frames of this process, before and after those of the guest.
import { thrownMax } from "../../model/runs/thrown-bounds.ts";

/** How the engine replaces what is no error, of which it tells nothing. */
const notAnError = /not an instance of `Error`/;
/** A frame of the guest's, or one of the language's own functions. All others are of this process. */
const guestFrame = /^\s+at .*(?:vivarium:[^\s():]+:\d+:\d+\)?|\(<anonymous>\))$/;
/** Behind it are frames of this process. */
const boundary = "<isolated-vm";
const framesMax = 100;

/** The line that tells of it. */
export function unhandledLine(thrown: unknown): string {
  return `Unhandled rejection: ${textOf(thrown)}`;
}

function textOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown).slice(0, thrownMax.message);
  const { name, message } = thrown;
  if (notAnError.test(message)) return "a value that is no Error";
  const head = `${name.slice(0, thrownMax.name)}: ${message.slice(0, thrownMax.message)}`;
  return [head, ...guestFramesOf(thrown)].join("\n").slice(0, thrownMax.stack);
}

function guestFramesOf({ stack }: Error): readonly string[] {
  const lines = typeof stack === "string" ? stack.split("\n", 2 * framesMax) : [];
  const end = lines.findIndex((line) => line.includes(boundary));
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .filter((line) => guestFrame.test(line))
    .slice(0, framesMax);
}
