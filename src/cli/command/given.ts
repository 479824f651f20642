// What a command line gave, as a command asks for it. Asking for what it did not declare is a mistake in the command.
import type { Command } from "commander";
import { assert } from "../../std/assert.ts";

export class Given {
  /** The arguments that are no options. */
  readonly args: readonly string[];
  readonly #command: Command;

  constructor(command: Command, args: readonly string[]) {
    this.#command = command;
    this.args = args;
  }

  flag(name: string): boolean {
    return this.#valueOf(name) === true;
  }

  text(name: string): string | undefined {
    // The rules of texts, words, files and folders give nothing else.
    return this.#valueOf(name) as string | undefined;
  }

  number(name: string): number | undefined {
    return this.#valueOf(name) as number | undefined;
  }

  /** Of an option that may be repeated. */
  texts(name: string): readonly string[] {
    return (this.#valueOf(name) as readonly string[] | undefined) ?? [];
  }

  /** Whatever the rule of the option gives. */
  value(name: string): unknown {
    return this.#valueOf(name);
  }

  #valueOf(name: string): unknown {
    const option = this.#command.options.find(({ long }) => long === `--${name}`);
    assert(option !== undefined, `a command asks for --${name}, which it did not declare`);
    return this.#command.getOptionValue(option.attributeName()) as unknown;
  }
}
