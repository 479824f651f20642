// Compilation as the runtime offers it: artifacts for later use, and what the compiler has to say.
import { basename } from "node:path";
import type { Artifact } from "../../code/modules/artifact.ts";
import { readSource } from "../../code/files/source-file.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { InvalidLimitsError, InvalidOptionsError, LoadError } from "../../model/errors.ts";
import { parseModuleName } from "../../model/ids.ts";
import { resolveLimits } from "../../model/limit-checks.ts";
import type { Limits } from "../../model/limits.ts";
import { show } from "../../model/show.ts";
import type { Engine } from "../wiring/engine.ts";
import { untilCancelled } from "../options/cancellation.ts";
import { readFields, readSignal } from "../options/options.ts";
import type { Compile, CompiledDirectory, CompileOptions } from "../types/runtime.ts";
import { readModules } from "../options/spec.ts";
import { readModulesFrom } from "../wiring/module-files.ts";

const usualName = "module";
const compileLimits = ["compileMs", "sourceBytes"];

export class LocalCompile implements Compile {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async source(source: string, options?: CompileOptions): Promise<Artifact> {
    this.#engine.checkOpen("compile");
    const given = readFields(options, "options", ["name", "limits", "signal"]);
    if (typeof source !== "string") {
      throw new InvalidOptionsError(
        `Cannot compile the source as it must be a text: got ${show(source)}`,
        "source",
      );
    }
    const name = given["name"] === undefined ? usualName : parseModuleName(given["name"]);
    const limits = this.#limits({ limits: given["limits"] as CompileOptions["limits"] });
    return cancellable(given, () => this.#compile(source, name, limits));
  }

  async file(path: string, options?: Omit<CompileOptions, "name">): Promise<Artifact> {
    this.#engine.checkOpen("compile");
    const limits = this.#limits(options);
    const name = basename(readPath(path));
    return cancellable(options, async () => this.#compile(await readSource(path, name), name, limits));
  }

  async directory(path: string, options?: Omit<CompileOptions, "name">): Promise<CompiledDirectory> {
    this.#engine.checkOpen("compile");
    const limits = this.#limits(options);
    const owner = { limits: { ...limits, fuel: null }, profile: this.#engine.parts.config.profiles.usual };
    const { entry, modules } = await cancellable(options, () =>
      readModulesFrom(readPath(path), owner, this.#engine.parts),
    );
    return { entry, modules: Object.fromEntries(modules) };
  }

  async check(
    source: string,
    options?: CompileOptions & { readonly profile?: string },
  ): Promise<readonly Diagnostic[]> {
    const { profile: named, ...given } = readFields(options, "options", [
      "name",
      "limits",
      "profile",
      "signal",
    ]);
    const { config, gatekeeper } = this.#engine.parts;
    const profile = named === undefined ? config.profiles.usual : config.profiles.find(named);
    try {
      const artifact = await this.source(source, given);
      return gatekeeper.look(String(given["name"] ?? usualName), artifact, profile);
    } catch (error) {
      if (error instanceof LoadError && error.diagnostics.length > 0) return error.diagnostics;
      throw error;
    }
  }

  async types(modules: Readonly<Record<string, string>>): Promise<readonly Diagnostic[]> {
    this.#engine.checkOpen("check types");
    const sources = [...readModules(modules)].map(([name, module]) => {
      return [name, typeof module === "string" ? module : module.source] as const;
    });
    const { compileMs } = this.#engine.parts.config.limits;
    return this.#engine.parts.compiler.checkTypes(Object.fromEntries(sources), compileMs);
  }

  #compile(source: string, name: string, { compileMs, sourceBytes }: Limits): Promise<Artifact> {
    return this.#engine.compile({ name, source, compileMs, sourceBytes, isMetered: false });
  }

  // Of all limits only those that bound a compilation.
  #limits(options: CompileOptions | undefined): Limits {
    const { limits } = readFields(options, "options", ["limits", "signal"]);
    const given = limits as CompileOptions["limits"];
    const resolved = resolveLimits(this.#engine.parts.config.limits, given);
    for (const name of Object.keys(given ?? {})) {
      if (compileLimits.includes(name)) continue;
      const message = `Cannot set limit ${show(name)} as it must be one of ${compileLimits.join(", ")}: got another one`;
      throw new InvalidLimitsError(message, name);
    }
    return resolved;
  }
}

function cancellable<T>(options: unknown, act: () => Promise<T>): Promise<T> {
  const { signal } = (options ?? {}) as { readonly signal?: unknown };
  return untilCancelled({ signal: readSignal(signal, "signal") }, "the compilation", act);
}

function readPath(path: unknown): string {
  if (typeof path === "string" && path !== "") return path;
  throw new InvalidOptionsError(`Cannot compile as the path must be a text: got ${show(path)}`, "path");
}
