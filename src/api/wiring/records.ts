// What a runtime persists of itself beside sandboxes: its audit log, and the journal of its events.
import { VivariumError } from "../../model/errors.ts";
import type { Bus } from "../../observability/bus.ts";
import type { Audit } from "../../security/audit.ts";
import type { Config } from "../options/config.ts";
import { AuditPersistence } from "./audit-persistence.ts";
import { StoredJournal } from "./stored-journal.ts";

export interface Records {
  /** Undefined where there is none. */
  readonly journal: StoredJournal | undefined;
  /** Reads what was persisted. The store must be open. */
  load(): Promise<void>;
  /** Persists what is left; rejects with `STORE_FAILED`. The store must still be open. */
  close(): Promise<void>;
}

/** Begins to listen; nothing is written before `load`. */
export function openRecords(
  { records: documents, journal: { bytesMax }, clock }: Config,
  { bus, audit }: { readonly bus: Bus; readonly audit: Audit },
): Records {
  const log = documents && new AuditPersistence(audit, documents, clock);
  const journal =
    documents === undefined || bytesMax === 0
      ? undefined
      : new StoredJournal({ documents, bus, clock, bytesMax });
  const parts = [log, journal].filter((part) => part !== undefined);
  return {
    journal,
    load: () =>
      orStoreFailed(
        "read",
        parts.map((part) => part.load()),
      ),
    close: () =>
      orStoreFailed(
        "save",
        parts.map((part) => part.close()),
      ),
  };
}

async function orStoreFailed(what: string, acts: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(acts)).find((end) => end.status === "rejected");
  if (failed === undefined) return;
  const cause: unknown = failed.reason;
  const why = cause instanceof Error ? cause.message : String(cause);
  throw new VivariumError("STORE_FAILED", `Cannot ${what} the audit log and the journal: ${why}`, cause);
}
