// The versions of one sandbox's modules: an append-only log, and a head that says which of them are current. A reload
// appends and moves the head; a rollback only moves the head; the same source is the same version.
import type { Artifact } from "./artifact.ts";

/** One numbered state of one module. */
export interface Version {
  readonly module: string;
  readonly version: number;
  readonly artifact: Artifact;
  /** The version that was current when this one was made; null for the first. */
  readonly parent: number | null;
  /** What was changed, in the caller's own words. */
  readonly mutation: unknown;
  readonly createdAt: number;
}

/** Which version of each module is current, under one number. */
export interface Revision {
  readonly revision: number;
  readonly heads: ReadonlyMap<string, number>;
}

/** What a reload asks for: new code, an older version, or null to remove the module. */
export type Change = Artifact | { readonly version: number } | null;

/** A revision that can be made current, and how it differs from the current one. */
export interface NextRevision {
  readonly revision: Revision;
  /** Versions that are not in the log yet. */
  readonly added: readonly Version[];
  /** Modules whose code is changed or removed, in no particular order. */
  readonly changed: readonly string[];
}

export class VersionNotFound extends Error {
  readonly what: string;
  constructor(what: string) {
    super(what);
    this.what = what;
  }
}

interface Adding {
  readonly mutation: unknown;
  readonly now: number;
  readonly added: Version[];
}

const revisionsMax = 100;

/** A log at one moment. */
export interface VersionSnapshot {
  readonly versions: ReadonlyMap<string, Version[]>;
  readonly lastNumber: ReadonlyMap<string, number>;
  readonly revisions: readonly Revision[];
}

export class VersionLog {
  readonly #versionsMax: number;
  #versions = new Map<string, Version[]>();
  #lastNumber = new Map<string, number>();
  #revisions: readonly Revision[];

  /** `versionsMax`: how many versions of each module are retained; the current one always is. */
  constructor(versionsMax: number) {
    this.#versionsMax = versionsMax;
    this.#revisions = [{ revision: 0, heads: new Map() }];
  }

  /** The revision that is current. */
  get head(): Revision {
    return this.#revisions.at(-1) as Revision;
  }

  /** The current version of a module. */
  current(module: string): Version | undefined {
    const number = this.head.heads.get(module);
    return number === undefined ? undefined : this.find(module, number);
  }

  find(module: string, version: number): Version | undefined {
    return this.#versions.get(module)?.find((entry) => entry.version === version);
  }

  /** The retained versions of a module, oldest first. */
  history(module: string): readonly Version[] {
    return this.#versions.get(module) ?? [];
  }

  /** Every module with a retained version. */
  get modules(): readonly string[] {
    return [...this.#versions.keys()];
  }

  get revisions(): readonly Revision[] {
    return this.#revisions;
  }

  /** The artifacts of the current revision, by module name. */
  artifacts(revision: Revision = this.head): Map<string, Artifact> {
    const artifacts = new Map<string, Artifact>();
    for (const [module, number] of revision.heads)
      artifacts.set(module, this.#require(module, number).artifact);
    return artifacts;
  }

  /** The revision that the changes lead to; undefined when nothing changes. The log stays as it is. */
  plan(
    changes: ReadonlyMap<string, Change>,
    about: { readonly mutation: unknown; readonly now: number },
  ): NextRevision | undefined {
    const heads = new Map(this.head.heads);
    const added: Version[] = [];
    const changed: string[] = [];
    for (const [module, change] of changes) {
      const before = heads.get(module);
      const after = change === null ? undefined : this.#numberFor(module, change, { ...about, added });
      if (before === after) continue;
      changed.push(module);
      if (after === undefined) heads.delete(module);
      else heads.set(module, after);
    }
    return changed.length === 0
      ? undefined
      : { revision: { revision: this.head.revision + 1, heads }, added, changed };
  }

  /** The changes that lead back to an earlier revision. */
  changesTo(revision: number): Map<string, Change> {
    const target = this.#revisions.find((entry) => entry.revision === revision);
    if (target === undefined) throw new VersionNotFound(`revision ${revision}`);
    const changes = new Map<string, Change>();
    for (const module of this.head.heads.keys()) if (!target.heads.has(module)) changes.set(module, null);
    for (const [module, version] of target.heads) changes.set(module, { version });
    return changes;
  }

  /** The artifacts of the next revision. */
  artifactsAfter(next: NextRevision): Map<string, Artifact> {
    const artifacts = new Map<string, Artifact>();
    for (const [module, number] of next.revision.heads) {
      const fresh = next.added.find((entry) => entry.module === module && entry.version === number);
      artifacts.set(module, (fresh ?? this.#require(module, number)).artifact);
    }
    return artifacts;
  }

  /** Makes the next revision the current one. */
  take(next: NextRevision): void {
    for (const version of next.added) this.#append(version);
    // Revision 0 is empty and no target of a rollback.
    const before = this.#revisions.filter(({ revision }) => revision > 0);
    this.#revisions = [...before.slice(1 - revisionsMax), next.revision];
    for (const { module } of next.added) this.#prune(module);
  }

  /** A copy of the log, for `rewind`. */
  snapshot(): VersionSnapshot {
    const versions = new Map([...this.#versions].map(([module, list]) => [module, [...list]]));
    return { versions, lastNumber: new Map(this.#lastNumber), revisions: this.#revisions };
  }

  /** Undoes all changes since the snapshot. */
  rewind(snapshot: VersionSnapshot): void {
    this.#versions = new Map(snapshot.versions);
    this.#lastNumber = new Map(snapshot.lastNumber);
    this.#revisions = snapshot.revisions;
  }

  /** Loads versions and revisions from a store or an individual. */
  restore(versions: readonly Version[], revisions: readonly Revision[]): void {
    for (const version of versions) this.#append(version);
    this.#revisions = [...revisions];
  }

  #append(added: Version): void {
    const { module, version } = added;
    const versions = this.#versions.get(module) ?? [];
    versions.push(added);
    this.#versions.set(module, versions);
    this.#lastNumber.set(module, Math.max(version, this.#lastNumber.get(module) ?? 0));
  }

  // A source that is in the log already keeps its version number.
  #numberFor(module: string, change: Exclude<Change, null>, adding: Adding): number {
    if ("version" in change) return this.#require(module, change.version).version;
    const known = this.history(module).find(({ artifact }) => artifact.checksum === change.checksum);
    if (known !== undefined) return known.version;
    const version = (this.#lastNumber.get(module) ?? 0) + 1;
    const parent = this.head.heads.get(module) ?? null;
    const { mutation, now } = adding;
    adding.added.push({ module, version, artifact: change, parent, mutation, createdAt: now });
    return version;
  }

  #require(module: string, version: number): Version {
    const found = this.find(module, version);
    if (found === undefined) throw new VersionNotFound(`version ${version} of module "${module}"`);
    return found;
  }

  // The current version and the newest ones are retained; a rollback to a revision of dropped ones is impossible.
  #prune(module: string): void {
    const versions = this.#versions.get(module) as Version[];
    const current = this.head.heads.get(module);
    while (versions.length > this.#versionsMax) {
      const at = versions.findIndex(({ version }) => version !== current);
      versions.splice(at, 1);
    }
  }
}
