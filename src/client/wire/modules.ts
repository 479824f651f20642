// Modules and specs as they travel: sources only, read from files here where they are named by a path.
import type { Artifact, ReloadModules, SandboxSpec } from "../../index.ts";
import type { WireModules, WireSpec } from "../../contract/run-bodies.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { readPath } from "../../model/module-path.ts";
import { isRecord } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { loadFiles } from "./files.ts";
import { checkNames, checkOptions } from "./names.ts";
import { refuseOptions } from "./not-remote.ts";
import { sent } from "./options.ts";

/** The sources of modules; what was compiled before is compiled again where it goes. */
export function toSources(modules: unknown): WireModules {
  // What is no object of sources is refused where it goes.
  if (!isRecord(modules)) return modules as WireModules;
  checkNames(modules);
  return Object.fromEntries(
    Object.entries(modules).map(([name, module]) => [name, sourceOf(module) as string]),
  );
}

/** As `toSources`, for a reload, where null takes a module away. */
export function toChanges(modules: unknown): Readonly<Record<string, string | null>> {
  return toSources(modules as ReloadModules);
}

function sourceOf(module: unknown): unknown {
  return isRecord(module) && typeof module["source"] === "string" ? module["source"] : module;
}

/** The text of a source that runs once. What was compiled as a module is one, also where it exports nothing. */
export function onceSource(source: string | Artifact): string {
  const text: unknown = sourceOf(source);
  if (typeof text !== "string")
    throw new InvalidOptionsError(
      `Cannot use source as it must be a source or a compiled module: got ${show(source)}`,
      "source",
    );
  const isModule = typeof source === "object" && source.exports.length === 0;
  return isModule ? `${text}\nexport {};` : text;
}

const advice = {
  autoReload: "watch the files here and call hotReload() when they change",
};

interface SpecReading {
  readonly signal?: AbortSignal | undefined;
  /** It has what only sessions have, and an id. */
  readonly isSession?: boolean;
}

/** A spec as it travels, with the sources of its path read. */
export async function toWireSpec(
  spec: unknown,
  { signal, isSession = false }: SpecReading = {},
): Promise<WireSpec> {
  // What is no spec is refused where it goes, with the words of there.
  if (!isRecord(spec)) return spec as unknown as WireSpec;
  checkOptions(spec, isSession ? "session" : "spec", "spec");
  refuseOptions(spec, advice);
  const { path, modules } = spec as SandboxSpec;
  const rest = sent(spec, "path", "modules", "autoReload", "onOutput");
  if (path === undefined) return modules === undefined ? rest : { ...rest, modules: toSources(modules) };
  const folder = readPath(path, modules);
  const files = await loadFiles("read the modules of a path");
  return { ...rest, modules: await files.readSources(folder, signal) };
}

/** A spec of a batch, which may have an id. */
export async function toBatchSpec(given: unknown): Promise<unknown> {
  if (!isRecord(given)) return given;
  const { id, ...spec } = given;
  return { ...(await toWireSpec(spec)), ...(id === undefined ? {} : { id }) };
}
