// Compiled modules in the store: what was compiled before a restart need not be compiled again.
import type { Artifact, Compilation, CompileRequest } from "../../code/modules/artifact.ts";
import { admitCompiled } from "../../code/compiler/compiler.ts";
import { artifactKeyOf, compileKeyOf } from "../../code/compiler/compile-cache.ts";
import { Lru } from "../../std/lru.ts";
import type { ArtifactTexts } from "../../store/store.ts";

/** How many keys are remembered, the latest ones; others may be stored once more. */
const notedMax = 20_000;

export class StoredArtifacts {
  readonly #texts: ArtifactTexts;
  /** Says which compiler made them: those of another one are compiled again. */
  readonly #compiler: string;
  /** The keys of those that are stored, or on their way. */
  readonly #noted = new Lru<true>(notedMax);
  /** What was read while sandboxes are restored: many of them may have the same code. */
  #read: Map<string, Promise<Artifact | undefined>> | undefined = new Map();

  constructor(texts: ArtifactTexts, compiler: string) {
    this.#texts = texts;
    this.#compiler = compiler;
  }

  /** Stores modules that are not stored yet. Nobody waits for that: they can be compiled again. */
  note(modules: ReadonlyMap<string, Artifact>): void {
    for (const [name, artifact] of modules) {
      const key = artifactKeyOf(name, artifact);
      if (this.#noted.get(key) !== undefined) continue;
      this.#noted.set(key, true, 1);
      const { source: _source, warnings: _warnings, ...rest } = artifact;
      this.#texts.write(this.#keyed(key), JSON.stringify(rest)).catch(() => {});
    }
  }

  /** The stored compilation of a source; undefined where there is none. */
  async find(request: CompileRequest): Promise<Compilation | undefined> {
    const key = compileKeyOf(request);
    const reading = this.#read?.get(key) ?? this.#fetch(key, request.source);
    this.#read?.set(key, reading);
    const artifact = await reading;
    return artifact === undefined ? undefined : admitCompiled(artifact, request);
  }

  /** All sandboxes are restored: what was read is remembered no longer. */
  forget(): void {
    this.#read = undefined;
  }

  async #fetch(key: string, source: string): Promise<Artifact | undefined> {
    try {
      const text = await this.#texts.read(this.#keyed(key));
      if (text === undefined) return undefined;
      const artifact = {
        ...(JSON.parse(text) as Omit<Artifact, "source" | "warnings">),
        source,
        warnings: [],
      };
      this.#noted.set(key, true, 1);
      return artifact;
    } catch {
      // It is compiled again.
      return undefined;
    }
  }

  #keyed(key: string): string {
    return `${key}@${this.#compiler}`;
  }
}
