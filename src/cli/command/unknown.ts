// What is said about a command that there is not.
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { outputOf } from "../display/output.ts";
import { exitCodes } from "../exit-codes.ts";
import { hint } from "./parse.ts";
import { problemOf } from "./problem.ts";

export interface Unknown {
  readonly name: string;
  /** What follows it. */
  readonly args: readonly string[];
  /** The commands that there are. */
  readonly names: readonly string[];
}

export async function refuseCommand({ name, args, names }: Unknown): Promise<number> {
  const output = outputOf(process.stdout, process.stderr);
  const rule = `it must be one of ${names.join(", ")}`;
  const error = new InvalidOptionsError(
    `Cannot run this command as ${rule}: got ${show(name)}${hint("", name, names)}`,
    "command",
  );
  if ([name, ...args].includes("--json")) await output.line(problemOf(error));
  output.note(error.message);
  return exitCodes.mistake;
}
