// What passes between a data folder and its writer thread.
import type { ErrorCode } from "../../model/errors.ts";
import type { CompactReport } from "./compaction.ts";

/** What the thread is started with. */
export interface WriterOptions {
  readonly path: string;
  readonly durability: "process" | "power";
  readonly tombstonesMax: number;
  readonly owner: Owner;
}

/** Who has a folder open. */
export interface Owner {
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly startedAt: number;
}

/** A record as columns; what is no text or number is JSON. */
export interface RecordColumns {
  readonly status: string;
  readonly reason: string | null;
  readonly blameless: number;
  readonly restarts: number;
  readonly lastError: string | null;
  readonly fitness: string | null;
}

/** The other columns of a sandbox. */
export interface SandboxColumns {
  readonly createdAt: number;
  readonly format: string;
  readonly limits: string;
  readonly labels: string;
  readonly ancestry: string;
  readonly settings: string;
  readonly revisions: string;
}

/** One version that a sandbox has. */
export interface VersionText {
  readonly module: string;
  readonly version: number;
  readonly checksum: string;
  /** Null where the folder has it already. */
  readonly added: AddedVersion | null;
}

export interface AddedVersion {
  readonly source: string;
  readonly parent: number | null;
  readonly mutation: string;
  readonly createdAt: number;
}

export type WriteRequest =
  | {
      readonly kind: "save";
      readonly id: string;
      readonly columns: SandboxColumns;
      readonly record: RecordColumns;
      readonly state: string | null;
      /** All that it has; those that are missing here are gone. */
      readonly versions: readonly VersionText[];
    }
  | { readonly kind: "state"; readonly id: string; readonly capture: string }
  | { readonly kind: "record"; readonly id: string; readonly record: RecordColumns }
  | {
      readonly kind: "remove";
      readonly id: string;
      readonly tombstone: { readonly info: string; readonly logs: string } | null;
    }
  | {
      readonly kind: "documents";
      readonly collection: string;
      readonly rows: readonly (readonly [key: string, text: string | null])[];
    }
  /** Writes something, to see whether that is possible. */
  | { readonly kind: "probe" };

export type ReadRequest =
  | { readonly kind: "sandboxes"; readonly after: number }
  | { readonly kind: "tombstones"; readonly after: number }
  | { readonly kind: "rows"; readonly collection: string; readonly after: string }
  | { readonly kind: "artifact"; readonly key: string }
  /** Its answer says that all requests before it are answered. */
  | { readonly kind: "nothing" };

export type StoreRequest = WriteRequest | ReadRequest;

/** What is sent: requests are answered in their order, artifacts and compactions when nothing else is to be done. */
export type WriterMessage =
  | StoreRequest
  | { readonly kind: "store-artifact"; readonly key: string; readonly text: string }
  | { readonly kind: "compact" }
  | { readonly kind: "close" };

/** Rows in the order of their numbers; read on after the last of them, unless there is no more. */
export interface SandboxPage {
  readonly rows: readonly SandboxRow[];
  /** The sources of the rows' versions, each once. */
  readonly sources: readonly string[];
  readonly hasMore: boolean;
}

/** A sandbox as its columns have it: nothing is checked. */
export interface SandboxRow {
  readonly number: number;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly versions: readonly VersionRow[];
}

export interface VersionRow {
  readonly columns: Readonly<Record<string, unknown>>;
  /** Its place in the sources of the page, or what is wrong with it. */
  readonly source: number | string;
}

export interface TombstonePage {
  readonly rows: readonly (readonly [number: number, id: unknown, info: unknown, logs: unknown])[];
  readonly hasMore: boolean;
}

export type DocumentRows = readonly (readonly [key: string, text: string])[];

export interface Failure {
  /** The place of its request within the group. */
  readonly index: number;
  readonly code: ErrorCode;
  readonly message: string;
  /** The disk is at fault, not the request. */
  readonly isDisk: boolean;
  /** It would fail again: what it needs is damaged. */
  readonly isLasting?: boolean;
}

export type WriterReport =
  | { readonly kind: "opened" }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string }
  /** The next so many requests are answered: those that are not among the failures were carried out. */
  | {
      readonly kind: "answers";
      readonly count: number;
      /** Something was committed. */
      readonly hasWritten: boolean;
      readonly transactions: number;
      readonly failures: readonly Failure[];
      /** Of the requests that read, by their place within the group. */
      readonly values: readonly (readonly [index: number, value: unknown])[];
    }
  /** The next so many artifacts are stored, or were given up. */
  | { readonly kind: "artifacts"; readonly count: number }
  /** All compactions that were asked for are done, or failed. */
  | { readonly kind: "compacted"; readonly report: CompactReport | Omit<Failure, "index"> }
  | { readonly kind: "closed" };

export type GroupAnswer = Omit<Extract<WriterReport, { kind: "answers" }>, "kind">;

export function isRead(request: StoreRequest): request is ReadRequest {
  const { kind } = request;
  return (
    kind === "sandboxes" ||
    kind === "tombstones" ||
    kind === "rows" ||
    kind === "artifact" ||
    kind === "nothing"
  );
}

/** About how many bytes a request has; a character counts as one. */
export function bytesOf(request: WriterMessage): number {
  let bytes = 200;
  if (request.kind === "save") {
    const { columns, state, versions } = request;
    bytes += columns.settings.length + columns.revisions.length + columns.ancestry.length + 1_000;
    bytes += state?.length ?? 0;
    for (const { added } of versions)
      bytes += 50 + (added?.source.length ?? 0) + (added?.mutation.length ?? 0);
  } else if (request.kind === "state") bytes += request.capture.length;
  else if (request.kind === "record") bytes += recordBytes(request.record);
  else if (request.kind === "remove")
    bytes += (request.tombstone?.info.length ?? 0) + (request.tombstone?.logs.length ?? 0);
  else if (request.kind === "documents")
    for (const [key, text] of request.rows) bytes += key.length + (text?.length ?? 0) + 20;
  else if (request.kind === "store-artifact") bytes += request.text.length;
  return bytes;
}

function recordBytes({ lastError, fitness }: RecordColumns): number {
  return (lastError?.length ?? 0) + (fitness?.length ?? 0);
}
