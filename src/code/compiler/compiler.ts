// The compiler for the orchestrator: requests in, compilations out. An error in a source is a value.
import { hash } from "node:crypto";
import type { Diagnostic } from "../../model/code/diagnostic.ts";
import { VivariumError } from "../../model/errors.ts";
import type { Artifact, Compilation, CompileRequest } from "../modules/artifact.ts";
import { nobody, queueOwnerOf, type CompileOwner } from "./compile-owner.ts";
import { outputBytesMaxFor, type BundledPackage, type CompiledModule } from "./compiler-protocol.ts";
import { CompilerQueue, type QueueOptions } from "./compiler-queue.ts";
import type { TaskResult } from "./compiler-worker.ts";
import type { CompilerLaunch } from "./compiler-launch.ts";

/** A bundled package: a source to be compiled, or why there is none. */
export type Bundled =
  | ({ readonly ok: true } & BundledPackage)
  | { readonly ok: false; readonly message: string };

export interface CompilerParts extends QueueOptions {
  readonly launchModules: () => CompilerLaunch;
  readonly launchTools: () => CompilerLaunch;
}

export class Compiler {
  readonly #modules: CompilerQueue;
  readonly #tools: CompilerQueue;

  constructor({ launchModules, launchTools, ...options }: CompilerParts) {
    this.#modules = new CompilerQueue(options, launchModules);
    this.#tools = new CompilerQueue(options, launchTools);
  }

  /** How often a process had to be replaced. */
  get restarts(): number {
    return this.#modules.restarts + this.#tools.restarts;
  }

  /** Compiles one module. A source that cannot be compiled is a value; only a compiler that cannot start rejects. */
  async compile(request: CompileRequest): Promise<Compilation> {
    const { name, source, compileMs, isMetered, owner, script } = request;
    const tooLong = refusalOfLength(request);
    if (tooLong !== undefined) return tooLong;
    const terms = { compileMs, owner: queueOwnerOf(owner), request };
    const task = { t: "module", name, source, isMetered } as const;
    const result = await this.#modules.ask(script === undefined ? task : { ...task, script }, terms);
    return toCompilation(request, result);
  }

  /** Another owner waits for the compilation of a request as well: it does not have to wait for the first one's turn. */
  alsoFor(request: CompileRequest, owner: CompileOwner): void {
    this.#modules.alsoFor(request, queueOwnerOf(owner));
  }

  /** Bundles an npm package into one source, as seen from a folder. */
  async bundle(
    specifier: string,
    root: string,
    { compileMs, owner }: Pick<CompileRequest, "compileMs" | "owner">,
  ): Promise<Bundled> {
    const terms = { compileMs, owner: queueOwnerOf(owner) };
    const result = await this.#tools.ask({ t: "package", specifier, root }, terms);
    if ("source" in result) {
      const { source, from, files } = result;
      return { ok: true, source, from, files };
    }
    const why = "refusal" in result ? result.refusal : whyUnanswered(result, compileMs);
    return { ok: false, message: `Cannot import package "${specifier}" as ${why}` };
  }

  /** Checks the types of modules. Rejects where TypeScript is missing or failed. */
  async checkTypes(
    modules: Readonly<Record<string, string>>,
    compileMs: number,
  ): Promise<readonly Diagnostic[]> {
    const terms = { compileMs, owner: queueOwnerOf(nobody) };
    const result = await this.#tools.ask({ t: "types", modules }, terms);
    if ("findings" in result) return result.findings;
    const why = "refusal" in result ? result.refusal : whyUnanswered(result, compileMs);
    throw new VivariumError("COMPILER_UNAVAILABLE", `Cannot check types as ${why}`);
  }

  /** Starts the process ahead of the first request. */
  warm(): void {
    this.#modules.warm();
  }

  /** Ends everything; resolves when no process is left. */
  async close(): Promise<void> {
    await Promise.all([this.#modules.close(), this.#tools.close()]);
  }
}

function toCompilation(request: CompileRequest, result: TaskResult): Compilation {
  if ("module" in result) return toArtifact(request, result.module);
  if (!("diagnostics" in result)) return refusal(request, whyUnanswered(result, request.compileMs));
  const { diagnostics } = result;
  const [first] = diagnostics;
  const at = first === undefined ? "" : ` (${first.module}:${first.line}:${first.column})`;
  const why = `it must be a program: ${first?.message ?? "it is not"}${at}`;
  return {
    ok: false,
    phase: "parse",
    message: `Cannot compile ${shownName(request)} as ${why}`,
    diagnostics,
  };
}

function toArtifact(request: CompileRequest, module: CompiledModule): Compilation {
  const { source, isMetered } = request;
  const bytes = Buffer.byteLength(module.code) + module.sourceMaps.reduce((sum, map) => sum + map.length, 0);
  const bytesMax = outputBytesMaxFor(source.length);
  if (bytes > bytesMax) return refusal(request, `its output must be at most ${bytesMax} bytes: got ${bytes}`);
  const artifact: Artifact = {
    ...module,
    source,
    metered: isMetered,
    checksum: checksumOf(source),
    warnings: [],
  };
  return { ok: true, artifact };
}

function whyUnanswered(result: TaskResult, compileMs: number): string {
  if ("unanswered" in result && result.unanswered === "crashed") {
    return `the compiler must survive it: its process ended with ${result.how}`;
  }
  const advice = "raise the limit compileMs, or split it into smaller modules";
  return `it must be done within compileMs, ${compileMs}: it was not; ${advice}`;
}

/** Checks a compiled module against the limits of the sandbox that uses it now. */
export function admitCompiled(artifact: Artifact, request: CompileRequest): Compilation {
  return refusalOfLength(request) ?? { ok: true, artifact };
}

function refusalOfLength(request: CompileRequest): Compilation | undefined {
  const bytes = Buffer.byteLength(request.source);
  if (bytes <= request.sourceBytes) return undefined;
  return refusal(request, `the source must be at most sourceBytes, ${request.sourceBytes}: got ${bytes}`);
}

function refusal(request: CompileRequest, why: string): Compilation {
  const message = `Cannot compile ${shownName(request)} as ${why}`;
  return { ok: false, phase: "compile", message, diagnostics: [] };
}

const shownName = ({ name, script }: CompileRequest): string =>
  script === undefined ? `module "${name}"` : name;

/** SHA-256 of a source. */
export function checksumOf(source: string): string {
  return hash("sha256", source);
}
