// What the commands about one sandbox have in common.
import type { Command } from "commander";
import type { Sandbox } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { CommandContext, CommandFile, OpenedRuntime } from "../command-file.ts";
import { exitCodes } from "../exit-codes.ts";

/** What a command knows of its sandbox. */
export interface OneSandbox {
  readonly context: CommandContext;
  readonly opened: OpenedRuntime;
  readonly id: string;
  /** The arguments behind the id. */
  readonly rest: readonly string[];
}

/** A command about one sandbox: `act` returns the exit code, or nothing where all went well. */
export function commandOfOne(
  file: Omit<CommandFile, "place" | "run" | "declare"> & { readonly declare?: (command: Command) => void },
  act: (one: OneSandbox) => Promise<number | void>,
): CommandFile {
  return {
    ...file,
    place: "living",
    declare: (parser) => {
      parser.argument("<ID>", "the id of the sandbox");
      file.declare?.(parser);
    },
    run: async (context) => {
      const [id = "", ...rest] = context.given.args;
      await using opened = await context.open();
      return (await act({ context, opened, id, rest })) ?? exitCodes.done;
    },
  };
}

/** The handle of the sandbox, which must be living. */
export function handleOf({ opened, id }: OneSandbox): Promise<Sandbox> {
  return opened.runtime.get(id);
}

/** A number of a version or revision, as an argument of the command line. */
export function countOf(what: string, given: string): number {
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= 1 && Number.isSafeInteger(value)) return value;
  throw new InvalidOptionsError(
    `Cannot use ${what} as it must be a whole number from 1 on: got ${show(given)}`,
    what,
  );
}
