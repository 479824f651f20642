// Which versions a folder has of each sandbox, so that only what is new is sent.
import type { IndividualVersion } from "../../model/sandboxes/individual.ts";
import type { StoredSandbox } from "../store.ts";
import type { VersionText } from "./requests.ts";

type KnownVersion = Pick<IndividualVersion, "checksum" | "parent" | "createdAt" | "mutation">;
type Versions = ReadonlyMap<string, KnownVersion>;

interface KnownSandbox {
  /** What the folder has for certain, whichever of the requests under way are carried out. */
  readonly versions: Versions;
  /** Of the latest request about it. */
  readonly order: number;
}

/** A change that was requested: exactly one of these is called when it is answered. */
export interface Change {
  readonly done: () => void;
  readonly failed: () => void;
}

const none: Versions = new Map();

export class KnownVersions {
  readonly #sandboxes = new Map<string, KnownSandbox>();
  #order = 0;

  has(id: string): boolean {
    return this.#sandboxes.has(id);
  }

  /** What was read. */
  remember(sandbox: StoredSandbox): void {
    this.#sandboxes.set(sandbox.id, { versions: versionsOf(sandbox), order: 0 });
  }

  /** The versions of a sandbox that is about to be saved: until that is answered, only what stays is known. */
  save(sandbox: StoredSandbox): Change & { readonly versions: readonly VersionText[] } {
    const before = this.#sandboxes.get(sandbox.id);
    const staying = new Map<string, KnownVersion>();
    const versions = Object.entries(sandbox.modules).flatMap(([module, log]) =>
      log.map((entry): VersionText => {
        const { version, checksum } = entry;
        const key = keyOf(module, version);
        const known = before?.versions.get(key);
        if (known === undefined || !isSame(known, entry))
          return { module, version, checksum, added: addedOf(entry) };
        staying.set(key, entry);
        return { module, version, checksum, added: null };
      }),
    );
    const order = this.#begin(sandbox.id, staying);
    return {
      versions,
      done: () => this.#end(sandbox.id, order, { versions: versionsOf(sandbox), order }),
      failed: () => this.#end(sandbox.id, order, before && { versions: staying, order }),
    };
  }

  remove(id: string): Change {
    const before = this.#sandboxes.get(id);
    const order = this.#begin(id, none);
    return {
      done: () => this.#end(id, order, undefined),
      failed: () => this.#end(id, order, before && { versions: none, order }),
    };
  }

  #begin(id: string, versions: Versions): number {
    const order = ++this.#order;
    this.#sandboxes.set(id, { versions, order });
    return order;
  }

  // Where a later request has changed more since, its own answer says what the folder has.
  #end(id: string, order: number, now: KnownSandbox | undefined): void {
    if (this.#sandboxes.get(id)?.order !== order) return;
    if (now === undefined) this.#sandboxes.delete(id);
    else this.#sandboxes.set(id, now);
  }
}

const keyOf = (module: string, version: number): string => `${version} ${module}`;

function versionsOf({ modules }: StoredSandbox): Versions {
  const versions = new Map<string, KnownVersion>();
  for (const [module, log] of Object.entries(modules))
    for (const { version, checksum, parent, createdAt, mutation } of log)
      versions.set(keyOf(module, version), { checksum, parent, createdAt, mutation });
  return versions;
}

/** A number may be used again, for another source or with another origin. */
function isSame(known: KnownVersion, { checksum, parent, createdAt, mutation }: IndividualVersion): boolean {
  return (
    known.checksum === checksum &&
    // A checksum that nobody made proves nothing.
    checksum !== "" &&
    known.parent === parent &&
    known.createdAt === createdAt &&
    (known.mutation === mutation || JSON.stringify(known.mutation) === JSON.stringify(mutation))
  );
}

function addedOf({ source, parent, mutation, createdAt }: IndividualVersion): VersionText["added"] {
  return { source, parent, mutation: JSON.stringify(mutation) ?? "null", createdAt };
}
