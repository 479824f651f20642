// The `vivarium` command: what it shows of itself is said without loading anything; a command is loaded when it is run.
import { commands } from "./commands.ts";
import { watchStandardStreams } from "./standard-streams.ts";
import { version } from "./version.ts";

const nameWidth = Math.max(...Object.keys(commands).map((name) => name.length)) + 2;

const help = `Vivarium runs thousands of untrusted code variants side by side, each in a sandbox of its own.

Usage: vivarium COMMAND [options]

${Object.entries(commands)
  .map(([name, { about }]) => `  ${name.padEnd(nameWidth)}${about}`)
  .join("\n")}

vivarium COMMAND --help shows a command's options, vivarium --version (-V) which version this is.
With --json a command prints one JSON document, or lines of JSON; an error is one too, as the HTTP API has it.
Exit codes: 0 done, or nobody reads the output any more; 1 it failed: the machine, the store, the connection, or there is no
such sandbox; 2 a mistake in the command line; 3 the guest failed; 4 the guest hit a limit; 5 refused by the server: token,
right or quota; 130 ended by Ctrl-C.`;

watchStandardStreams();
process.exitCode = await main(process.argv.slice(2));

async function main([name = "--help", ...args]: readonly string[]): Promise<number> {
  if (name === "--version" || name === "-V") return say(version());
  const isHelp = name === "--help" || name === "-h" || name === "help";
  if (isHelp && args.length === 0) return say(help);
  const wanted = isHelp ? (args[0] ?? "") : name;
  const entry = Object.hasOwn(commands, wanted) ? commands[wanted] : undefined;
  if (entry === undefined)
    return (await import("./command/unknown.ts")).refuseCommand({
      name: wanted,
      args,
      names: Object.keys(commands),
    });
  const { dispatch, showHelp } = await import("./command/dispatch.ts");
  return isHelp ? showHelp(wanted, entry, args.slice(1)) : dispatch([wanted, entry], commands, args);
}

function say(text: string): number {
  console.log(text);
  return 0;
}
