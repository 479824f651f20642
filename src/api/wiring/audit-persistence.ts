// The audit log survives a restart: entries that are new or were counted again are rows of the runtime's store.
import { isRecord } from "../../model/schema.ts";
import { auditKinds, type Audit, type AuditEntry, type AuditListener } from "../../security/audit.ts";
import type { Clock } from "../../std/clock.ts";
import { pagesOf, RowWriter } from "../../std/row-writer.ts";
import type { Documents } from "../../store/store.ts";

const collection = "vivarium.audit";
/** From an entry to its write: a guest that is denied something in a loop causes one write in this time. */
const delayMs = 20;

export class AuditPersistence {
  readonly #audit: Audit;
  readonly #documents: Documents;
  readonly #writer: RowWriter;
  readonly #rows: AuditListener & { known(number: number): void };

  constructor(audit: Audit, documents: Documents, clock: Clock) {
    this.#audit = audit;
    this.#documents = documents;
    this.#writer = new RowWriter({ clock, delayMs, write: (name, rows) => documents.write(name, rows) });
    this.#rows = this.#writer.add({ collection, valueOf: (number) => audit.entry(number) });
    audit.listener = this.#rows;
  }

  /** Reads what was persisted, before anything is recorded. */
  async load(): Promise<void> {
    const documents = this.#documents;
    for await (const page of pagesOf((name, after) => documents.read(name, after), collection)) {
      for (const [number, value] of page) {
        this.#rows.known(number);
        if (isEntry(value)) this.#audit.restore(number, value);
        else this.#rows.removed(number);
      }
    }
    this.#writer.open();
  }

  /** Writes what is left. */
  close(): Promise<void> {
    return this.#writer.close();
  }
}

// What is stored may be damaged.
function isEntry(value: unknown): value is AuditEntry {
  if (!isRecord(value)) return false;
  const { sandboxId, profile, kind, rule, what, at, lastAt, count, places } = value;
  return (
    [sandboxId, profile, rule, what].every((text) => typeof text === "string") &&
    [at, lastAt, count].every((number) => typeof number === "number") &&
    (auditKinds as readonly unknown[]).includes(kind) &&
    Array.isArray(places) &&
    places.every((place) => isRecord(place) && typeof place["what"] === "string")
  );
}
