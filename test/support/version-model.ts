// The version log as simply as it can be said: what a sandbox of any history must show.

export const versionsMax = 4;

export interface ModelVersion {
  readonly version: number;
  readonly source: string;
  readonly parent: number | null;
}

type Heads = ReadonlyMap<string, number>;

/** A change of one module: a source, a version it had, or null to take it away. */
export type ModelChange = string | number | null;

export class VersionModel {
  #heads: Heads = new Map();
  readonly #revisions: Heads[] = [new Map()];
  readonly #kept = new Map<string, ModelVersion[]>();
  readonly #given = new Map<string, number>();

  get revision(): number {
    return this.#revisions.length - 1;
  }

  get heads(): Heads {
    return this.#heads;
  }

  kept(module: string): readonly ModelVersion[] {
    return this.#kept.get(module) ?? [];
  }

  get modules(): readonly string[] {
    return [...this.#kept.keys()];
  }

  currentSource(module: string): string | undefined {
    return this.kept(module).find(({ version }) => version === this.#heads.get(module))?.source;
  }

  has(module: string, version: number): boolean {
    return this.kept(module).some((entry) => entry.version === version);
  }

  /** What leads back to a revision; undefined where it never was or can no longer be had. */
  changesTo(revision: number): Map<string, ModelChange> | undefined {
    const target = revision >= 1 ? this.#revisions[revision] : undefined;
    if (target === undefined) return undefined;
    const changes = new Map<string, ModelChange>();
    for (const module of this.#heads.keys()) if (!target.has(module)) changes.set(module, null);
    for (const [module, version] of target) {
      if (!this.has(module, version)) return undefined;
      changes.set(module, version);
    }
    return changes;
  }

  /** Makes the changes; answers whether anything became other than it was. */
  change(changes: ReadonlyMap<string, ModelChange>): boolean {
    const heads = new Map(this.#heads);
    const touched: string[] = [];
    for (const [module, change] of changes) {
      const next = change === null ? undefined : this.#numberOf(module, change, heads.get(module));
      if (next === heads.get(module)) continue;
      touched.push(module);
      if (next === undefined) heads.delete(module);
      else heads.set(module, next);
    }
    if (touched.length === 0) return false;
    this.#heads = heads;
    this.#revisions.push(heads);
    for (const module of touched) this.#forgetOldest(module);
    return true;
  }

  #numberOf(module: string, change: string | number, parent: number | undefined): number {
    if (typeof change === "number") return change;
    const known = this.kept(module).find(({ source }) => source === change);
    if (known !== undefined) return known.version;
    const version = (this.#given.get(module) ?? 0) + 1;
    this.#given.set(module, version);
    this.#kept.set(module, [...this.kept(module), { version, source: change, parent: parent ?? null }]);
    return version;
  }

  #forgetOldest(module: string): void {
    const kept = [...this.kept(module)];
    while (kept.length > versionsMax) {
      kept.splice(
        kept.findIndex(({ version }) => version !== this.#heads.get(module)),
        1,
      );
    }
    this.#kept.set(module, kept);
  }
}
