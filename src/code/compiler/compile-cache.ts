// Compilations shared by all sandboxes of a runtime, keyed by content. A compilation under way is shared too, so that a
// population with one source compiles it once.
import { Lru } from "../../std/lru.ts";
import { slicing } from "../../std/slicing.ts";
import type { Artifact, Compilation, CompileRequest } from "../modules/artifact.ts";
import type { CompileOwner } from "./compile-owner.ts";
import { checksumOf } from "./compiler.ts";

export interface CompileCacheStatistics {
  readonly hits: number;
  readonly misses: number;
  readonly entries: number;
  readonly bytes: number;
}

export interface CompileParts {
  readonly compile: (request: CompileRequest) => Promise<Compilation>;
  /** Another owner waits for a request that is under way. */
  readonly alsoFor: (request: CompileRequest, owner: CompileOwner) => void;
}

interface Underway {
  readonly request: CompileRequest;
  readonly result: Promise<Compilation>;
}

export class CompileCache {
  readonly #parts: CompileParts;
  readonly #cached: Lru<Artifact>;
  readonly #underway = new Map<string, Underway>();
  #hits = 0;
  #misses = 0;

  constructor(parts: CompileParts, bytesMax: number) {
    this.#parts = parts;
    this.#cached = new Lru(bytesMax);
  }

  async compile(request: CompileRequest): Promise<Compilation> {
    const { source, sourceBytes } = request;
    const checksum = compileKeyOf(request);
    const cached = this.#cached.get(checksum);
    // The compiler refuses what is too large or not well-formed; the latter could have the checksum of another source.
    const isShared = Buffer.byteLength(source) <= sourceBytes && source.isWellFormed();
    if (cached !== undefined && isShared) {
      this.#hits++;
      return { ok: true, artifact: cached };
    }
    const result = await (isShared ? this.#shared(request, checksum) : this.#fresh(request, checksum));
    // What is made of it takes its owner's turn, whoever asked for it first.
    await slicing.turn(request.owner.tenant);
    return result;
  }

  async #shared(request: CompileRequest, checksum: string): Promise<Compilation> {
    // A failure is shared only between requests with the same limits.
    const underway = this.#underway.get(checksum);
    if (underway !== undefined) {
      this.#parts.alsoFor(underway.request, request.owner);
      const result = await underway.result;
      if (result.ok || isSame(underway.request, request)) {
        this.#hits++;
        return result;
      }
    }
    return this.#fresh(request, checksum);
  }

  /** Empties the cache; sandboxes keep the artifacts that they use. */
  clear(): void {
    this.#cached.clear();
  }

  statistics(): CompileCacheStatistics {
    return { hits: this.#hits, misses: this.#misses, entries: this.#cached.size, bytes: this.#cached.weight };
  }

  async #fresh(request: CompileRequest, checksum: string): Promise<Compilation> {
    this.#misses++;
    const underway = { request, result: this.#parts.compile(request) };
    this.#underway.set(checksum, underway);
    try {
      const result = await underway.result;
      if (result.ok) this.#cached.set(checksum, result.artifact, weightOf(result.artifact));
      return result;
    } finally {
      if (this.#underway.get(checksum) === underway) this.#underway.delete(checksum);
    }
  }
}

function isSame(a: CompileRequest, b: CompileRequest): boolean {
  return a.name === b.name && a.compileMs === b.compileMs && a.sourceBytes === b.sourceBytes;
}

/** The approximate bytes of an entry beside its texts: without them, a cache of short modules would take many times its bound. */
const entryWeight = 1_500;
/** The same of one finding, and of one name that is imported or exported. */
const findingWeight = 100;
const nameWeight = 50;

function weightOf({ source, code, sourceMaps, findings, linkage, exports }: Artifact): number {
  const names = exports.length + linkage.imports.length + linkage.reexports.length;
  const texts = source.length + code.length + sourceMaps.reduce((sum, map) => sum + map.length, 0);
  return entryWeight + texts + findings.length * findingWeight + names * nameWeight;
}

/** What a compilation depends on: the source, the language that the name's extension gives, fuel, and what it is wanted as. */
export function compileKeyOf({ name, source, isMetered, script }: CompileRequest): string {
  const key = artifactKeyOf(name, { checksum: checksumOf(source), metered: isMetered });
  return script === undefined ? key : `${key}+${script}`;
}

/** The same of a compiled module. */
export function artifactKeyOf(
  name: string,
  { checksum, metered }: Pick<Artifact, "checksum" | "metered">,
): string {
  const extension = /\.(?:[cm]?[jt]sx?|json)$/.exec(name)?.[0] ?? "";
  return `${checksum}${extension}${metered ? "+fuel" : ""}`;
}
