// What a runtime on a server keeps: its audit log, its journal, rows of the caller's own, and its data folder.
import type {
  AuditEntry,
  AuditFilter,
  AuditLog,
  CancelOptions,
  CompactReport,
  EventJournal,
  JournalEntry,
  JournalFilter,
  RuntimeData,
  RuntimeDocuments,
} from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { refuseOption } from "../../model/schema.ts";
import type { Transport } from "../transport/transport.ts";
import { notRemote } from "../wire/not-remote.ts";
import { readCancel, sent } from "../wire/options.ts";

export class RemoteAudit implements AuditLog {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async query(filter?: AuditFilter): Promise<readonly AuditEntry[]> {
    const query = sent(filter);
    const { entries } = await this.#transport.json({ id: "queryAudit", what: "query the audit log", query });
    return entries;
  }
}

export class RemoteJournal implements EventJournal {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async entries(filter?: JournalFilter, options?: CancelOptions): Promise<readonly JournalEntry[]> {
    const bounds = readCancel(options);
    const { entries } = await this.#transport.json({
      id: "readJournal",
      what: "read the journal",
      noun: "the reading of the journal",
      query: { ...sent(filter), ...sent(bounds) },
      bounds,
    });
    return entries;
  }
}

export class RemoteDocuments implements RuntimeDocuments {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async read(
    collection: string,
    after = "",
    options?: CancelOptions,
  ): Promise<readonly (readonly [key: string, value: unknown])[]> {
    const bounds = readCancel(options);
    const { rows } = await this.#transport.json({
      id: "readDocuments",
      what: "read documents",
      noun: `the reading of documents of "${collection}"`,
      query: { ...sent(bounds), collection, after: after === "" ? undefined : after },
      bounds,
    });
    return rows;
  }

  async write(
    collection: string,
    rows: ReadonlyMap<string, unknown>,
    options?: CancelOptions,
  ): Promise<void> {
    const bounds = readCancel(options);
    await this.#transport.json({
      id: "writeDocuments",
      what: "write documents",
      noun: `the writing of documents of "${collection}"`,
      body: { ...sent(bounds), collection, ...toRows(rows) },
      bounds,
    });
  }
}

// A row of undefined is one to be removed; of the others JSON says what the store will have.
function toRows(given: unknown): { readonly rows: readonly unknown[]; readonly remove: readonly string[] } {
  if (!(given instanceof Map)) throw refuseOption({ verb: "use", path: "rows", rule: "a Map", got: given });
  const rows: [string, unknown][] = [];
  const remove: string[] = [];
  for (const [key, value] of given as Map<string, unknown>)
    if (value === undefined) remove.push(key);
    else rows.push([key, plainOf(key, value)]);
  return { rows, remove };
}

function plainOf(key: string, value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return JSON.parse(text) as unknown;
  } catch {
    // It has cycles, or throws when it is read.
  }
  throw new InvalidOptionsError(
    `Cannot write document "${key}" as its value must be plain data that JSON can say: it is not`,
    "rows",
  );
}

export class RemoteData implements RuntimeData {
  /** Where it is on the server's machine is nobody's business. */
  readonly path = "";
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async backup(): Promise<never> {
    const rule = "be done on the machine of the server: use `vivarium store backup` there";
    throw notRemote("back up the data of the runtime", rule);
  }

  async compact(options?: CancelOptions): Promise<CompactReport> {
    const bounds = readCancel(options);
    return this.#transport.json({
      id: "compactData",
      what: "compact its data",
      noun: "the compaction",
      body: sent(bounds),
      bounds,
    });
  }
}
