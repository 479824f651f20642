// The store of a runtime in one folder. It lives on the caller's thread and never touches the disk: it encodes what changed,
// sends it to the writer thread, and settles each request when that has committed it.
import { hostname } from "node:os";
import { basename, resolve } from "node:path";
import type { StateCapture } from "../../model/sandboxes/process.ts";
import type { Clock, Timer } from "../../std/clock.ts";
import { documentsPage } from "../memory.ts";
import type {
  ArtifactTexts,
  Documents,
  Store,
  StoredRecord,
  StoredSandbox,
  StoreStatus,
  Tombstone,
} from "../store.ts";
import type { CompactReport } from "./compaction.ts";
import { KnownVersions, type Change } from "./known-versions.ts";
import type { BackupReport } from "./maintenance/backup.ts";
import { OwedRecords } from "./owed-records.ts";
import type { DocumentRows, SandboxPage, TombstonePage } from "./requests.ts";
import { recordColumns, restoredOf, sandboxColumns, tombstoneOf } from "./sandbox-rows.ts";
import type { Refusal } from "./waiting-requests.ts";
import { WriterClient } from "./writer-client.ts";

export interface DataFolderOptions {
  readonly path: string;
  /** What a commit survives: the end of the process, or a power cut too. */
  readonly durability: "process" | "power";
  readonly clock: Clock;
  /** The program of the writer thread. */
  readonly writerUrl: URL;
  readonly tombstonesMax: number;
  /** Who opens it, for others that find it locked. Default: the name of the program. */
  readonly owner?: string;
}

/** A folder that is opened with `open()`, and closed with `close()`. */
export function openDataFolder(options: DataFolderOptions): DataFolder {
  return new DataFolder(options);
}

const probeMs = 1_000;
const damagedMax = 1_000;
const okStatus: StoreStatus = { state: "ok", reason: null };

export class DataFolder implements Store {
  readonly path: string;
  readonly #clock: Clock;
  readonly #writer: WriterClient;
  readonly #known = new KnownVersions();
  readonly #listeners: ((status: StoreStatus) => void)[] = [];
  readonly #damaged = new Set<string>();
  readonly #owed = new OwedRecords(this.#known);
  readonly #closing = new AbortController();
  readonly #backups = new Set<Promise<BackupReport>>();
  #status = okStatus;
  #probe: Timer | undefined;

  constructor({ path, durability, clock, writerUrl, tombstonesMax, owner }: DataFolderOptions) {
    // Whatever becomes of the current directory.
    this.path = resolve(path);
    this.#clock = clock;
    const name = owner ?? basename(process.argv[1] ?? "node");
    const own = { name, pid: process.pid, host: hostname(), startedAt: clock.now() };
    this.#writer = new WriterClient({
      clock,
      writerUrl,
      writer: { path: this.path, durability, tombstonesMax, owner: own },
      onGroup: (reason) => this.#onGroup(reason),
    });
  }

  get status(): StoreStatus {
    return this.#status;
  }

  /** What could not be read as it was written, one sentence each: the first 1,000. */
  get damaged(): readonly string[] {
    return [...this.#damaged];
  }

  /** How many transactions were committed. */
  get transactions(): number {
    return this.#writer.transactions;
  }

  async open(): Promise<readonly StoredSandbox[]> {
    const sandboxes: StoredSandbox[] = [];
    let page: SandboxPage | undefined;
    do {
      const after = page?.rows.at(-1)?.number ?? 0;
      page = (await this.#writer.send("open", { kind: "sandboxes", after })) as SandboxPage;
      for (const row of page.rows) {
        const { sandbox, damage } = restoredOf(row, page.sources);
        if (damage !== undefined) this.#noteDamage(damage);
        if (sandbox === undefined) continue;
        this.#known.remember(sandbox);
        sandboxes.push(sandbox);
      }
    } while (page.hasMore);
    return sandboxes;
  }

  async save(sandbox: StoredSandbox): Promise<void> {
    const { id, state, record } = sandbox;
    const encoded = {
      columns: sandboxColumns(sandbox),
      record: recordColumns(record),
      state: state === undefined || state === null ? null : JSON.stringify(state),
    };
    const change = this.#known.save(sandbox);
    const request = { kind: "save", id, ...encoded, versions: change.versions } as const;
    await this.#writer.send("save", request, this.#onChange(id, change));
  }

  async saveState(id: string, state: StateCapture): Promise<void> {
    await this.#writer.send("saveState", { kind: "state", id, capture: JSON.stringify(state) });
  }

  async saveRecord(id: string, record: StoredRecord): Promise<void> {
    const request = { kind: "record", id, record: recordColumns(record) } as const;
    await this.#writer.send("saveRecord", request, this.#owed.begin(id, record));
  }

  async remove(id: string, tombstone?: Tombstone): Promise<void> {
    const left =
      tombstone === undefined
        ? null
        : { info: JSON.stringify(tombstone.info), logs: JSON.stringify(tombstone.logs) };
    const change = this.#known.remove(id);
    await this.#writer.send("remove", { kind: "remove", id, tombstone: left }, this.#onChange(id, change));
  }

  async tombstones(): Promise<readonly Tombstone[]> {
    const tombstones: Tombstone[] = [];
    let page: TombstonePage | undefined;
    do {
      const after: number = page?.rows.at(-1)?.[0] ?? 0;
      page = (await this.#writer.send("tombstones", { kind: "tombstones", after })) as TombstonePage;
      for (const row of page.rows) {
        const tombstone = tombstoneOf(row);
        if (typeof tombstone === "string") this.#noteDamage(tombstone);
        else tombstones.push(tombstone);
      }
    } while (page.hasMore);
    return tombstones;
  }

  watch(listener: (status: StoreStatus) => void): void {
    this.#listeners.push(listener);
  }

  readonly documents: Documents = {
    read: (collection, after = "") => this.#readDocuments(collection, after),
    write: async (collection, rows) => {
      const texts = [...rows].map(([key, value]) => [key, JSON.stringify(value) ?? null] as const);
      await this.#writer.send("write", { kind: "documents", collection, rows: texts });
    },
  };

  readonly artifacts: ArtifactTexts = {
    read: async (key) => {
      try {
        return (await this.#writer.send("read", { kind: "artifact", key })) as string | undefined;
      } catch {
        // It is a cache: what cannot be read is compiled again.
        return undefined;
      }
    },
    write: (key, text) => this.#writer.storeArtifact(key, text),
  };

  /** Resolves once everything that was sent before is committed, or has failed. */
  async flush(): Promise<void> {
    await Promise.allSettled([
      this.#writer.send("flush", { kind: "nothing" }),
      this.#writer.artifactsStored(),
    ]);
  }

  /** Copies everything that is committed to a new folder; see `backupFolder`. Where the folder is closed meanwhile, it rejects. */
  async backup(to: string): Promise<BackupReport> {
    const copying = this.#copy(to);
    this.#backups.add(copying);
    return copying.finally(() => this.#backups.delete(copying));
  }

  /**
   * Drops what nothing refers to and gives its room back, in slices between requests. Resolves when that is done, rejects
   * with `STORE_FAILED` when it fails or the folder is closed before.
   */
  compact(): Promise<CompactReport> {
    return this.#writer.compact();
  }

  async close(): Promise<void> {
    this.#probe?.cancel();
    this.#writeOwed();
    this.#closing.abort(new Error("it must be open until all is copied: it was closed"));
    const closing = this.#writer.close();
    await Promise.allSettled([closing, ...this.#backups]);
    await closing;
  }

  async #copy(to: string): Promise<BackupReport> {
    // Only here, as Node 24 warns of SQLite in every thread that loads it.
    const { backupFolder } = await import("./maintenance/backup.ts");
    return backupFolder(this.path, to, this.#closing.signal);
  }

  async #readDocuments(collection: string, after: string): Promise<readonly (readonly [string, unknown])[]> {
    const values: (readonly [string, unknown])[] = [];
    let last = after;
    // A page is full but for the end of the collection, whatever is damaged.
    for (;;) {
      const request = { kind: "rows", collection, after: last } as const;
      const rows = (await this.#writer.send("read", request)) as DocumentRows;
      for (const [key, text] of rows) {
        last = key;
        if (values.length === documentsPage) return values;
        try {
          values.push([key, JSON.parse(text) as unknown]);
        } catch (error) {
          this.#noteDamage(
            `Cannot read document "${key}" of "${collection}" as it is damaged in the store: ${(error as Error).message}`,
          );
        }
      }
      if (rows.length < documentsPage || values.length === documentsPage) return values;
    }
  }

  #noteDamage(sentence: string): void {
    // What is read again is damaged once.
    if (this.#damaged.size < damagedMax) this.#damaged.add(sentence);
  }

  #onChange(id: string, { done, failed }: Change): (refusal?: Refusal) => void {
    const answered = this.#owed.begin(id);
    return (refusal) => {
      if (refusal === undefined) done();
      else failed();
      answered(refusal);
    };
  }

  #onGroup(reason: string | undefined): void {
    const state = reason === undefined ? "ok" : "degraded";
    const hasChanged = state !== this.#status.state;
    if (hasChanged) {
      this.#status = reason === undefined ? okStatus : { state: "degraded", reason };
      this.#probe?.cancel();
      this.#probe = undefined;
      if (reason !== undefined) this.#awaitProbe();
    }
    if (reason === undefined) this.#writeOwed();
    if (hasChanged) for (const listener of this.#listeners) listener(this.#status);
  }

  // A request is tried all the same; this one is for a store that nobody asks for anything.
  #awaitProbe(): void {
    this.#probe = this.#clock.after(probeMs, () => {
      const again = (): void => {
        if (this.#status.state === "degraded") this.#awaitProbe();
      };
      this.#writer.send("probe", { kind: "probe" }).then(again, again);
    });
  }

  // They are owed again where that fails.
  #writeOwed(): void {
    for (const [id, record] of this.#owed.take()) this.saveRecord(id, record).catch(() => {});
  }
}
