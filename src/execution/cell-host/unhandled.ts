// What a guest left unhandled, as a line of its console. The engine throws the first rejection that nobody handled at the end of
// the entry in which it happened, as a copy whose stack goes on with frames of this process.
import { thrownMax } from "../../model/runs/thrown-bounds.ts";

/** How the engine marks where the frames of this process begin. */
const boundary = "<isolated-vm";
/** How the engine replaces an object that is no error, of which it tells nothing. */
const notAnError = /not an instance of `Error`/;

/** The line that tells of it. */
export function unhandledLine(thrown: unknown): string {
  return `Unhandled rejection: ${textOf(thrown)}`;
}

function textOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown).slice(0, thrownMax.message);
  const { name, message, stack = "" } = thrown;
  if (notAnError.test(message)) return "an object that is no Error";
  const lines = stack.split("\n");
  const end = lines.findIndex((line) => line.includes(boundary));
  // Without the mark it is not known whose frames they are.
  const own = end < 0 ? "" : lines.slice(0, end).join("\n");
  return own === ""
    ? `${name}: ${message}`.slice(0, thrownMax.name + thrownMax.message)
    : own.slice(0, thrownMax.stack);
}
