// What a command of `vivarium` is: a file that exports `command: CommandFile`, and a line in `commands.ts` with its name, what it
// does and where it is loaded from. The dispatcher adds `--json`, `--help` and the options of the place, reads the command line,
// and turns what is thrown into a sentence, a problem document and an exit code.
import type { Command } from "commander";
import type { LineageReport, PopulationReport } from "../evolution/reports.ts";
import type { Runtime, RuntimeOptions } from "../index.ts";
import type { Given } from "./command/given.ts";
import type { Output } from "./display/output.ts";

/**
 * Where the runtime of a command may be. `none`: it has none. `any`: made for this command and closed with it, unless the command
 * line or `VIVARIUM_URL` names a data folder or a server. `living`: it needs sandboxes that are there, so it takes a data folder,
 * a server, or a server that was found on this machine.
 */
export type Place = "none" | "any" | "living";

export interface CommandFile {
  /** What follows `vivarium NAME`. Default: what commander makes of the arguments and options. */
  readonly usage?: string;
  /** What it does in a sentence or two, at the top of its help. Default: the line of the table. */
  readonly description?: string;
  readonly place: Place;
  /** Adds arguments, options (`addOption` of `command/options.ts`) and actions (subcommands of one level). */
  readonly declare: (command: Command) => void;
  /** Command lines without the leading `vivarium`. */
  readonly examples: readonly string[];
  /** What else there is to know, below the options: whole sentences. */
  readonly notes?: string;
  /** The exit codes as the end of a sentence. Default: those of every command. */
  readonly exits?: string;
  /** Runs it; returns the exit code (`exit-codes.ts`). A mistake or a failure is thrown as a `VivariumError`. */
  readonly run: (context: CommandContext) => Promise<number> | number;
}

/** A line of the table of commands. */
export interface CommandEntry {
  /** What it does, in half a line. */
  readonly about: string;
  readonly load: () => Promise<CommandFile>;
}

export type CommandTable = Readonly<Record<string, CommandEntry>>;

export interface CommandContext {
  /** All commands there are. */
  readonly commands: CommandTable;
  /** The name of the command. */
  readonly name: string;
  /** The subcommand that was named, of a command that has such. */
  readonly action: string | undefined;
  readonly given: Given;
  /** Whether one JSON document, or lines of them, are wanted instead of text for a person. */
  readonly json: boolean;
  readonly output: Output;
  /** Aborted by the first Ctrl-C; the second one ends the process at once. */
  readonly signal: AbortSignal;
  /**
   * The runtime that this command uses: `await using opened = await context.open()`. The options are for one that is made here.
   */
  readonly open: (options?: RuntimeOptions) => Promise<OpenedRuntime>;
}

/** A runtime for the time of a command. Disposing of it closes one that was made here, and ends the connection to one elsewhere. */
export interface OpenedRuntime extends AsyncDisposable {
  readonly runtime: Runtime;
  /** `new`: nothing but what this command makes is in it. */
  readonly where: "new" | "data" | "server";
  /** For a person: the folder, or the address of the server. */
  readonly name: string;
  lineage(id: string, limit?: number): Promise<LineageReport>;
  population(options?: {
    readonly best?: number;
    readonly direction?: "maximise" | "minimise";
  }): Promise<PopulationReport>;
}
