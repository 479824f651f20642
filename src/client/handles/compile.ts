// The server's compiler. Files are read here.
import type {
  Artifact,
  CancelOptions,
  CheckOptions,
  Compile,
  CompiledDirectory,
  CompileOptions,
  Diagnostic,
} from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { Transport } from "../transport/transport.ts";
import { loadFiles, type ReadFolder } from "../wire/files.ts";
import { toSources } from "../wire/modules.ts";
import { checkOptions } from "../wire/names.ts";
import { boundsIn, readCancel, sent } from "../wire/options.ts";

const noun = "the compilation";
/** How many modules of a folder are compiled at a time. */
const concurrency = 8;

export class RemoteCompile implements Compile {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async source(source: string, options?: CompileOptions): Promise<Artifact> {
    checkOptions(options, "compile");
    const body = { ...sent(options), source: checkSource(source) };
    return this.#transport.json({ id: "compile", what: "compile", noun, body, bounds: boundsIn(options) });
  }

  async file(path: string, options?: Omit<CompileOptions, "name">): Promise<Artifact> {
    this.#transport.checkOpen("compile");
    checkPath(path);
    const files = await loadFiles("compile a file");
    const { name, source } = await files.readFile(path);
    return this.source(source, { ...options, name });
  }

  async directory(path: string, options?: Omit<CompileOptions, "name">): Promise<CompiledDirectory> {
    this.#transport.checkOpen("compile");
    checkPath(path);
    const files = await loadFiles("compile a folder");
    const { signal } = boundsIn(options);
    const { entry, modules } = await files.readFolder(path, signal);
    const artifacts = await this.#compileEach(modules, options);
    return { entry, modules: Object.fromEntries(artifacts) };
  }

  async check(source: string, options?: CheckOptions): Promise<readonly Diagnostic[]> {
    const body = { ...sent(options), source: checkSource(source) };
    const bounds = boundsIn(options);
    const { diagnostics } = await this.#transport.json({ id: "check", what: "compile", noun, body, bounds });
    return diagnostics;
  }

  async types(
    modules: Readonly<Record<string, string>>,
    options?: CancelOptions,
  ): Promise<readonly Diagnostic[]> {
    const bounds = readCancel(options);
    const { diagnostics } = await this.#transport.json({
      id: "checkTypes",
      what: "check types",
      noun: "the check of types",
      body: { ...sent(bounds), modules: toSources(modules) },
      bounds,
    });
    return diagnostics;
  }

  async #compileEach(
    modules: ReadFolder["modules"],
    options: Omit<CompileOptions, "name"> | undefined,
  ): Promise<readonly (readonly [string, Artifact])[]> {
    const compiled: (readonly [string, Artifact])[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < modules.length; index = next++) {
        const module = modules[index];
        if (module === undefined) return;
        const { name, fileName, source } = module;
        compiled[index] = [name, await this.source(source, { ...options, name: fileName })];
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return compiled;
  }
}

function checkSource(source: unknown): string {
  if (typeof source === "string") return source;
  throw new InvalidOptionsError(
    `Cannot compile the source as it must be a text: got ${show(source)}`,
    "source",
  );
}

function checkPath(path: unknown): void {
  if (typeof path === "string" && path !== "") return;
  throw new InvalidOptionsError(`Cannot compile as the path must be a text: got ${show(path)}`, "path");
}
