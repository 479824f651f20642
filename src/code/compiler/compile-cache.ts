// Compilations shared by all sandboxes of a runtime, found by content. A source that is being compiled is waited for, so
// that a population with one source compiles it once.
import { Lru } from "../../std/lru.ts";
import type { Artifact, Compilation, CompileRequest } from "../modules/artifact.ts";
import { checksumOf } from "./compiler.ts";

export interface CompileCacheStatistics {
  readonly hits: number;
  readonly misses: number;
  readonly entries: number;
  readonly bytes: number;
}

type Compile = (request: CompileRequest) => Promise<Compilation>;

interface Underway {
  readonly request: CompileRequest;
  readonly result: Promise<Compilation>;
}

export class CompileCache {
  readonly #compile: Compile;
  readonly #kept: Lru<Artifact>;
  readonly #underway = new Map<string, Underway>();
  #hits = 0;
  #misses = 0;

  constructor(compile: Compile, bytesMax: number) {
    this.#compile = compile;
    this.#kept = new Lru(bytesMax);
  }

  async compile(request: CompileRequest): Promise<Compilation> {
    const { source, sourceBytes } = request;
    const checksum = keyOf(request);
    const kept = this.#kept.get(checksum);
    // What is too large, or no text, is the compiler's to refuse; the latter has the checksum of another source.
    const isShared = Buffer.byteLength(source) <= sourceBytes && source.isWellFormed();
    if (kept !== undefined && isShared) {
      this.#hits++;
      return { ok: true, artifact: kept };
    }
    // Another's limits are not ours: a failure is shared only between requests that have all in common.
    const underway = this.#underway.get(checksum);
    if (underway !== undefined && isShared) {
      const result = await underway.result;
      if (result.ok || isSame(underway.request, request)) {
        this.#hits++;
        return result;
      }
    }
    return this.#fresh(request, checksum);
  }

  /** Forgets everything; sandboxes keep what they run. */
  clear(): void {
    this.#kept.clear();
  }

  statistics(): CompileCacheStatistics {
    return { hits: this.#hits, misses: this.#misses, entries: this.#kept.size, bytes: this.#kept.weight };
  }

  async #fresh(request: CompileRequest, checksum: string): Promise<Compilation> {
    this.#misses++;
    const underway = { request, result: this.#compile(request) };
    this.#underway.set(checksum, underway);
    try {
      const result = await underway.result;
      if (result.ok) this.#kept.set(checksum, result.artifact, weightOf(result.artifact));
      return result;
    } finally {
      if (this.#underway.get(checksum) === underway) this.#underway.delete(checksum);
    }
  }
}

function isSame(a: CompileRequest, b: CompileRequest): boolean {
  return a.name === b.name && a.compileMs === b.compileMs && a.sourceBytes === b.sourceBytes;
}

/** What a finding takes, about. */
const findingWeight = 100;

function weightOf(artifact: Artifact): number {
  return (
    artifact.source.length +
    artifact.code.length +
    artifact.findings.length * findingWeight +
    artifact.sourceMaps.reduce((sum, map) => sum + map.length, 0)
  );
}

// Whatever makes the compilation another one: the source, the language that its name tells, and what is woven in.
function keyOf({ name, source, isMetered }: CompileRequest): string {
  const extension = /\.(?:[cm]?[jt]sx?|json)$/.exec(name)?.[0] ?? "";
  return `${checksumOf(source)}${extension}${isMetered ? "+fuel" : ""}`;
}
