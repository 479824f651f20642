// The commands of the console, which begin with a point: they are about the session itself.
import type { CompiledDirectory, Runtime, Sandbox, Session } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { nearest } from "../../model/option-places.ts";
import { show } from "../../model/show.ts";
import { logLines } from "../display/failures.ts";
import { bold, dim, green, type Line } from "../display/lines.ts";
import { tableLines } from "../display/table.ts";
import { counted } from "../display/texts.ts";
import { countText, memoryText } from "../display/units.ts";

export interface ReplContext {
  readonly runtime: Runtime;
  readonly session: Session;
  /** The paths that were loaded, with the modules of each. */
  readonly loaded: Map<string, readonly string[]>;
  /** How wide lines may be. */
  readonly width: number;
}

interface ReplCommand {
  readonly usage: string;
  readonly about: string;
  readonly argsMin: number;
  readonly argsMax: number;
  readonly run: (context: ReplContext, args: readonly string[]) => Promise<readonly Line[]> | readonly Line[];
}

const commands: Readonly<Record<string, ReplCommand>> = {
  ".load": {
    usage: ".load PATH",
    about: "loads a file or folder as modules, and imports it",
    argsMin: 1,
    argsMax: 1,
    run: load,
  },
  ".reload": {
    usage: ".reload",
    about: "loads all of them again; what scripts declared stays",
    argsMin: 0,
    argsMax: 0,
    run: reload,
  },
  ".versions": {
    usage: ".versions [MODULE]",
    about: "the versions of modules that are kept",
    argsMin: 0,
    argsMax: 1,
    run: versions,
  },
  ".rollback": {
    usage: ".rollback MODULE N",
    about: "makes version N of a module the current one",
    argsMin: 2,
    argsMax: 2,
    run: rollback,
  },
  ".limits": {
    usage: ".limits",
    about: "the limits of the sandbox, and what was used",
    argsMin: 0,
    argsMax: 0,
    run: limits,
  },
  ".logs": { usage: ".logs", about: "the console lines that are kept", argsMin: 0, argsMax: 0, run: logs },
  ".help": { usage: ".help", about: "these commands and keys", argsMin: 0, argsMax: 0, run: help },
  ".exit": { usage: ".exit", about: "ends it, as Ctrl-D does", argsMin: 0, argsMax: 0, run: () => [] },
};

export const commandNames = Object.keys(commands);
export const exitCommand = ".exit";

/** Whether a line is one for this table: `.5 + 1` is a statement. */
export function isCommand(line: string): boolean {
  return /^\s*\.[a-z]/i.test(line);
}

/** Runs a line that begins with a point; what it shows. A mistake is thrown. */
export async function runCommand(context: ReplContext, line: string): Promise<readonly Line[]> {
  const [name = "", ...args] = line.trim().split(/\s+/);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const near = nearest(name, commandNames);
    const hint = near === undefined ? "" : `, did you mean ${near}?`;
    const message = `Cannot run this command as it must be one of ${commandNames.join(", ")}: got ${show(name)}${hint}`;
    throw new InvalidOptionsError(message, "command");
  }
  if (args.length < command.argsMin || args.length > command.argsMax) {
    const message = `Cannot run ${name} as it must be used as ${command.usage}: got ${countText(args.length)} arguments`;
    throw new InvalidOptionsError(message, "command");
  }
  return command.run(context, args);
}

async function load(context: ReplContext, [path = ""]: readonly string[]): Promise<readonly Line[]> {
  const { runtime, session } = context;
  const compiled = await runtime.compile.directory(path);
  await put(context, path, compiled);
  const name = variableOf(compiled.entry);
  const imported = await session.run(`import * as ${name} from ${JSON.stringify(`./${compiled.entry}`)};`);
  const exported = Object.values(compiled.modules).length;
  const names = compiled.modules[compiled.entry]?.exports ?? [];
  const count = exported === 1 ? "1 module" : `${countText(exported)} modules`;
  return [
    [
      green("loaded "),
      `${count} from ${path}; `,
      ...(imported.ok ? [bold(name), ` has ${names.join(", ")}`] : []),
    ],
  ];
}

async function reload(context: ReplContext): Promise<readonly Line[]> {
  if (context.loaded.size === 0) return [[dim("Nothing was loaded: .load PATH does.")]];
  const lines: Line[] = [];
  for (const path of context.loaded.keys()) {
    const changed = await put(context, path, await context.runtime.compile.directory(path));
    lines.push([
      ...(changed.length === 0 ? [dim("unchanged ")] : [green("reloaded ")]),
      path,
      ...(changed.length === 0 ? [] : [`: ${changed.join(", ")}`]),
    ]);
  }
  return lines;
}

/** Puts modules into the sandbox, and takes those away that the path no longer has. What changed, with its new version. */
async function put(
  { session, loaded }: ReplContext,
  path: string,
  { modules }: CompiledDirectory,
): Promise<readonly string[]> {
  const before = loaded.get(path) ?? [];
  const others = new Set([...loaded].flatMap(([other, names]) => (other === path ? [] : names)));
  const gone = before.filter((name) => modules[name] === undefined && !others.has(name));
  const changes = { ...modules, ...Object.fromEntries(gone.map((name) => [name, null])) };
  const old = await versionsOf(session.sandbox);
  const report = await session.sandbox.hotReload(changes);
  loaded.set(path, Object.keys(modules));
  return Object.entries(report.modules)
    .filter(([name, version]) => version !== (old[name] ?? null))
    .map(([name, version]) => (version === null ? `${name} is gone` : `${name} ${version}`));
}

async function versionsOf(sandbox: Sandbox): Promise<Readonly<Record<string, number>>> {
  const { modules } = await sandbox.info();
  return Object.fromEntries(Object.entries(modules).map(([name, { version }]) => [name, version]));
}

/** The name by which scripts have it: `lib/some-thing` is `some_thing`. */
function variableOf(module: string): string {
  const last = module.split("/").at(-1) ?? module;
  const name = last.replaceAll(/[^\w$]/g, "_");
  return /^\d/.test(name) ? `_${name}` : name;
}

async function versions(
  { session, width }: ReplContext,
  [only]: readonly string[],
): Promise<readonly Line[]> {
  const names = only === undefined ? Object.keys((await session.sandbox.info()).modules) : [only];
  if (names.length === 0) return [[dim("There are no modules: .load PATH loads some.")]];
  const rows: string[][] = [];
  for (const name of names)
    for (const { version, current, bytes, createdAt, exports } of await session.sandbox.history(name))
      rows.push([
        name,
        `${version}${current ? " *" : ""}`,
        new Date(createdAt).toTimeString().slice(0, 8),
        `${countText(bytes)} B`,
        exports.join(", "),
      ]);
  const columns = [
    { title: "MODULE", widthMin: 8 },
    { title: "VERSION" },
    { title: "MADE" },
    { title: "SIZE", side: "right" },
    { title: "EXPORTS", widthMin: 8 },
  ] as const;
  return tableLines(columns, rows, width);
}

async function rollback(
  { session }: ReplContext,
  [module = "", text = ""]: readonly string[],
): Promise<readonly Line[]> {
  const version = Number(text);
  if (!/^\d+$/.test(text))
    throw new InvalidOptionsError(`Cannot roll back as N must be a version: got ${show(text)}`, "version");
  const { status, revision } = await session.sandbox.rollback(module, version);
  return [
    status === "unchanged"
      ? [dim(`${module} is at version ${version} already`)]
      : [green("rolled back "), `${module} to version ${version}, revision ${revision}`],
  ];
}

async function limits({ session, width }: ReplContext): Promise<readonly Line[]> {
  const [{ limits: all, profile }, usage] = await Promise.all([
    session.sandbox.info(),
    session.sandbox.usage(),
  ]);
  const rows = Object.entries(all).map(([name, value]) => [name, limitText(name, value)]);
  const used =
    `used: ${counted(usage.runs, "run")}, ${Math.round(usage.cpuMs)} ms of processor time, ` +
    `${memoryText(usage.heapBytes)} of heap, at most ${memoryText(usage.heapPeakBytes)}`;
  return [
    ...tableLines([{ title: "LIMIT" }, { title: "VALUE", side: "right" }], rows, width),
    [dim(`profile ${profile}; ${used}`)],
  ];
}

function limitText(name: string, value: number | null): string {
  if (value === null) return "off";
  if (name.endsWith("Bytes")) return memoryText(value);
  return /Ms(Max)?$/.test(name) ? `${countText(value)} ms` : countText(value);
}

async function logs({ session }: ReplContext): Promise<readonly Line[]> {
  const kept = await session.sandbox.logs();
  return kept.length === 0 ? [[dim("no console lines yet")]] : kept.flatMap(logLines);
}

function help(): readonly Line[] {
  const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length)) + 2;
  return [
    ...Object.values(commands).map(({ usage, about }): Line => [bold(usage.padEnd(width)), about]),
    [],
    [
      dim(
        "Ctrl-C ends the script that runs, or drops what was typed; Ctrl-D ends the console; Tab completes names.",
      ),
    ],
  ];
}
