// `vivarium mcp`: serves one agent by the Model Context Protocol on stdin and stdout, over a runtime here or elsewhere.
import type { About } from "../../contract/bodies.ts";
import type { Runtime } from "../../index.ts";
import { serveStdio } from "../../mcp/stdio.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { CommandContext, CommandFile, OpenedRuntime } from "../command-file.ts";
import { addOption, integer, text } from "../command/options.ts";
import { exitCodes } from "../exit-codes.ts";
import { version } from "../version.ts";
import { clientNames, configFor } from "./clients.ts";

const group = "What bounds the agent:";

export const command: CommandFile = {
  usage: "[config CLIENT] [--data DIR | --url URL] [--agent NAME [--keep]] [options]",
  description:
    "Serves one agent by the Model Context Protocol on stdin and stdout. Its sandboxes are its own, and end with the connection.",
  place: "any",
  declare: (parser) => {
    parser.argument(
      "[WORDS...]",
      `config and one of ${clientNames.join(", ")}: prints what its settings need`,
    );
    addOption(
      parser,
      ["--agent <NAME>", "whose sandboxes these are; with the same name it finds them again"],
      text(),
    );
    addOption(parser, ["--keep", "they live on when the connection ends; with --agent"]);
    addOption(
      parser,
      ["--sandboxes <N>", "how many may live at a time (default: 256)", group],
      integer(1, 100_000),
    );
    addOption(
      parser,
      ["--timeout-ms <MS>", "the highest timeoutMs of a run (default: 60,000)", group],
      integer(1, 3_600_000),
    );
    addOption(
      parser,
      ["--call-ms <MS>", "how long one tool call may take (default: 600,000)", group],
      integer(1, 86_400_000),
    );
  },
  examples: [
    "mcp",
    "mcp --data ./agent --agent planner --keep",
    "mcp --url http://127.0.0.1:7420",
    "mcp config claude",
  ],
  notes: `stdout carries only the protocol; what there is to say of the server stands on stderr. It ends when stdin does, and on
SIGTERM or Ctrl-C. For clients over HTTP a server has the same tools at /mcp.`,
  exits: "0 the client ended the connection, 1 it failed, 2 a wrong option, 130 ended by Ctrl-C",
  run: (context) => (context.given.args.length === 0 ? serve(context) : printConfig(context)),
};

function printConfig({ given, output }: CommandContext): number {
  const [word, client = "", ...others] = given.args;
  const config = word === "config" && others.length === 0 ? configFor(client, passedOn(given)) : undefined;
  if (config === undefined)
    throw new InvalidOptionsError(
      `Cannot run mcp as there must be nothing, or config and one of ${clientNames.join(", ")}: got ${given.args.map(show).join(" ")}`,
      "client",
    );
  output.json(config);
  return exitCodes.done;
}

/** The options that the client is to start the command with. A token has no place in a file of settings. */
function passedOn(given: CommandContext["given"]): readonly string[] {
  const named = ["data", "url", "agent"].flatMap((name) => {
    const value = given.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  return given.flag("keep") ? [...named, "--keep"] : named;
}

async function serve(context: CommandContext): Promise<number> {
  const { given, output, signal } = context;
  const [agent, keep] = [given.text("agent"), given.flag("keep")];
  if (keep && agent === undefined)
    throw new InvalidOptionsError(
      "Cannot use --keep as there must be --agent NAME, by which the sandboxes are found again: there is none",
      "keep",
    );
  await using opened = await context.open();
  const server = serveStdio(opened.runtime, {
    input: process.stdin,
    output: process.stdout,
    agent,
    keep,
    tenant: tenantOf(opened),
    mcp: {
      version: version(),
      onError: (error) => output.note(String(error)),
      ...boundsOf(given),
    },
  });
  const close = (): void => void server.close();
  signal.addEventListener("abort", close);
  process.once("SIGTERM", close);
  output.note(
    `Serving an agent on stdin and stdout over ${opened.name}; its ids begin with ${server.prefix}`,
  );
  try {
    await server.ended;
  } finally {
    process.off("SIGTERM", close);
    signal.removeEventListener("abort", close);
  }
  return exitCodes.done;
}

function boundsOf(given: CommandContext["given"]): Record<string, number> {
  const bounds = {
    sandboxes: given.number("sandboxes"),
    timeoutMs: given.number("timeout-ms"),
    callMs: given.number("call-ms"),
  };
  return Object.fromEntries(
    Object.entries(bounds).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The tenant of the token, with which all ids must begin on a server. */
function tenantOf({ runtime, where }: OpenedRuntime): string | null {
  // A runtime elsewhere knows what its token may do.
  const { about } = runtime as Runtime & { readonly about?: About };
  return where === "server" ? (about?.tenant ?? null) : null;
}
