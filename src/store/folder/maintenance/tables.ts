// The tables of a data folder as maintenance sees them: what each row is found by, and which columns must be JSON.

export type KeyKind = "integer" | "text" | "hash";

/** An order in which the rows of a table can be read: that of the table itself, or that of an index. */
export interface RowOrder {
  readonly table: TableName;
  /** What is read of a row, beside its key. */
  readonly columns: readonly string[];
  /** The columns by which the rows are sorted. */
  readonly key: Readonly<Record<string, KeyKind>>;
}

export const tableNames = [
  "blobs",
  "artifacts",
  "sandboxes",
  "versions",
  "states",
  "tombstones",
  "documents",
] as const;
export type TableName = (typeof tableNames)[number];

export const tableOrders: Readonly<Record<TableName, RowOrder>> = {
  blobs: { table: "blobs", columns: ["hash", "text"], key: { rowid: "integer" } },
  artifacts: { table: "artifacts", columns: ["source", "hash"], key: { key: "text" } },
  sandboxes: {
    table: "sandboxes",
    columns: [
      ...["id", "status", "reason", "blameless", "restarts", "last_error", "fitness", "created_at"],
      ...["format", "limits", "labels", "ancestry", "settings", "revisions"],
    ],
    key: { number: "integer" },
  },
  versions: {
    table: "versions",
    columns: ["source", "checksum", "parent", "mutation", "created_at"],
    key: { sandbox: "integer", module: "text", version: "integer" },
  },
  states: { table: "states", columns: ["capture"], key: { sandbox: "integer" } },
  tombstones: { table: "tombstones", columns: ["id", "info", "logs"], key: { number: "integer" } },
  documents: {
    table: "documents",
    columns: ["value"],
    key: { collection: "text", key: "text" },
  },
};

/** The indexes beside the tables: each still says which rows there were where the table is damaged. */
export const idOrders: Readonly<Record<"sandboxes" | "tombstones", RowOrder>> = {
  sandboxes: { table: "sandboxes", columns: ["number"], key: { id: "text" } },
  tombstones: { table: "tombstones", columns: ["number"], key: { id: "text" } },
};

/** Columns that are JSON. Revisions are too, and have a rule of their own. */
export const jsonColumns: Readonly<Partial<Record<TableName, Readonly<Record<string, JsonColumn>>>>> = {
  sandboxes: {
    last_error: { form: "object", isOptional: true },
    fitness: { form: "object", isOptional: true },
    limits: { form: "object", isOptional: false },
    labels: { form: "object", isOptional: false },
    ancestry: { form: "object", isOptional: false },
    settings: { form: "object", isOptional: false },
  },
  versions: { mutation: { form: "any", isOptional: false } },
  states: { capture: { form: "object", isOptional: false } },
  tombstones: { info: { form: "object", isOptional: false }, logs: { form: "array", isOptional: false } },
  documents: { value: { form: "any", isOptional: false } },
};

export interface JsonColumn {
  readonly form: "object" | "array" | "any";
  /** It may be null. */
  readonly isOptional: boolean;
}

/** One row as it was read. */
export type Row = Readonly<Record<string, Value>>;
export type Value = null | number | bigint | string | Uint8Array;
