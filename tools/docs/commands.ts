// docs/commands.md: the help of every command, as the command itself prints it.
import { helpOf } from "../../src/cli/command/help.ts";
import { parserOf } from "../../src/cli/command/parse.ts";
import { commands } from "../../src/cli/commands.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import type { Table } from "./markdown.ts";

export const commandsPath = "docs/commands.md";

const introduction = `<!-- Written by node tools/docs.ts from the commands; do not edit. -->

# Commands

What \`vivarium COMMAND --help\` prints, for every command. [The command line](command-line.md) says what they have in common.`;

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "It is done, or nobody reads the output any more.",
  failed: "It failed: there is no such sandbox or version, or the machine, the server or Vivarium failed.",
  mistake: "A mistake in the command line, or in a file that it names; said in one line.",
  guestFailed: "The guest failed: it threw, could not be compiled or loaded, was rejected.",
  guestLimited: "The guest reached a limit: time, processor time, memory, output.",
  refused: "The server refused it: the token, its scope or its quota.",
  interrupted: "Ended by Ctrl-C.",
};

/** The whole document. */
export async function commandsDocument(): Promise<string> {
  const sections: string[] = [];
  for (const [name, { about, load }] of Object.entries(commands)) {
    const file = await load();
    const actions = parserOf(name, file).commands.map((action) => action.name());
    for (const action of [undefined, ...actions]) {
      const title = action === undefined ? `## ${name}` : `### ${name} ${action}`;
      const text = untouchedByTerminal(() => helpOf([name, action], about, file));
      sections.push(`${title}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\``);
    }
  }
  return `${introduction}\n\n${sections.join("\n\n")}\n`;
}

/** As wide as where the output is no terminal. */
function untouchedByTerminal(act: () => string): string {
  const { stdout } = process;
  const { isTTY } = stdout;
  stdout.isTTY = false;
  try {
    return act();
  } finally {
    stdout.isTTY = isTTY;
  }
}

export function commandTable(): Table {
  const rows = Object.entries(commands).map(([name, { about }]) => [
    `[\`${name}\`](commands.md#${name})`,
    about,
  ]);
  return [["command", "what it does"], ...rows];
}

export function exitCodeTable(): Table {
  // It has a meaning for each code and for nothing else.
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return [["code", "when"], ...names.map((name) => [String(exitCodes[name]), meanings[name]])];
}
