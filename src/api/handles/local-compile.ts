// Compilation as the runtime offers it: artifacts for later use, and what the compiler has to say.
import { nobody } from "../../code/compiler/compile-owner.ts";
import { basename } from "node:path";
import type { Artifact } from "../../code/modules/artifact.ts";
import { readSource } from "../../code/files/source-file.ts";
import type { Diagnostic } from "../../model/code/diagnostic.ts";
import { InvalidLimitsError, InvalidOptionsError, LoadError } from "../../model/errors.ts";
import { parseModuleName } from "../../model/ids.ts";
import { resolveLimits } from "../../model/limit-checks.ts";
import type { Limits } from "../../model/limits.ts";
import { custom, fields, unread, type Read, type Shape } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { awaitMethods } from "../../std/keep-alive.ts";
import type { Engine } from "../wiring/engine.ts";
import { bounded, cancelTable, readCancel, type WaitBounds } from "../options/cancellation.ts";
import type { CancelOptions } from "../types/cancel.ts";
import type { Compile, CompiledDirectory, CompileOptions } from "../types/runtime.ts";
import { readModules } from "../options/spec.ts";
import { readModulesFrom } from "../wiring/module-files.ts";

const usualName = "module";
const compileLimits = ["compileMs", "sourceBytes"];

const fileOptions = fields({ limits: unread, ...cancelTable } satisfies Shape<Omit<CompileOptions, "name">>);
const sourceOptions = fields({
  name: custom((value = usualName) => parseModuleName(value)),
  limits: unread,
  ...cancelTable,
} satisfies Shape<CompileOptions>);
const checkOptions = fields({ ...sourceOptions.fields, profile: unread });

export class LocalCompile implements Compile {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async source(source: string, options?: CompileOptions): Promise<Artifact> {
    return this.#source(source, sourceOptions.read(options, "options"));
  }

  async file(path: string, options?: Omit<CompileOptions, "name">): Promise<Artifact> {
    this.#engine.checkOpen("compile");
    const given = fileOptions.read(options, "options");
    const limits = this.#limits(given);
    const name = basename(readPath(path));
    return this.#within(given, async () => this.#compile(await readSource(path, name), name, limits));
  }

  async directory(path: string, options?: Omit<CompileOptions, "name">): Promise<CompiledDirectory> {
    this.#engine.checkOpen("compile");
    const given = fileOptions.read(options, "options");
    const limits = { ...this.#limits(given), fuel: null };
    const owner = { limits, profile: this.#engine.parts.config.profiles.usual };
    const { entry, modules } = await this.#within(given, () =>
      readModulesFrom(readPath(path), owner, this.#engine.parts),
    );
    return { entry, modules: Object.fromEntries(modules) };
  }

  async check(
    source: string,
    options?: CompileOptions & { readonly profile?: string },
  ): Promise<readonly Diagnostic[]> {
    const { profile: named, ...given } = checkOptions.read(options, "options");
    const { config, gatekeeper } = this.#engine.parts;
    const profile = named === undefined ? config.profiles.usual : config.profiles.find(named);
    try {
      return gatekeeper.preview(given.name, await this.#source(source, given), profile);
    } catch (error) {
      if (error instanceof LoadError && error.diagnostics.length > 0) return error.diagnostics;
      throw error;
    }
  }

  async types(
    modules: Readonly<Record<string, string>>,
    options?: CancelOptions,
  ): Promise<readonly Diagnostic[]> {
    this.#engine.checkOpen("check types");
    const bounds = readCancel(options);
    const sources = [...readModules(modules)].map(([name, module]) => {
      return [name, typeof module === "string" ? module : module.source] as const;
    });
    const { compileMs } = this.#engine.parts.config.limits;
    const { compiler, config } = this.#engine.parts;
    return bounded(bounds, { clock: config.clock, what: "the check of types" }, () =>
      compiler.checkTypes(Object.fromEntries(sources), compileMs),
    );
  }

  // A compilation goes on where its caller gives up: its result is cached.
  #within<T>(bounds: WaitBounds, act: () => Promise<T>): Promise<T> {
    return bounded(bounds, { clock: this.#engine.parts.config.clock, what: "the compilation" }, act);
  }

  async #source(source: unknown, options: Read<typeof sourceOptions>): Promise<Artifact> {
    this.#engine.checkOpen("compile");
    if (typeof source !== "string") {
      throw new InvalidOptionsError(
        `Cannot compile the source as it must be a text: got ${show(source)}`,
        "source",
      );
    }
    const limits = this.#limits(options);
    return this.#within(options, () => this.#compile(source, options.name, limits));
  }

  #compile(source: string, name: string, { compileMs, sourceBytes }: Limits): Promise<Artifact> {
    return this.#engine.compile({ name, source, compileMs, sourceBytes, isMetered: false, owner: nobody });
  }

  // Of all limits only those that bound a compilation.
  #limits({ limits = {} }: Read<typeof fileOptions>): Limits {
    const resolved = resolveLimits(this.#engine.parts.config.limits, limits);
    const other = Object.keys(limits as object).find((name) => !compileLimits.includes(name));
    if (other === undefined) return resolved;
    const rule = `it must be one of ${compileLimits.join(", ")}`;
    throw new InvalidLimitsError(`Cannot set limit ${show(other)} as ${rule}: got another one`, other);
  }
}

function readPath(path: unknown): string {
  if (typeof path === "string" && path !== "") return path;
  throw new InvalidOptionsError(`Cannot compile as the path must be a text: got ${show(path)}`, "path");
}

awaitMethods(LocalCompile.prototype);
