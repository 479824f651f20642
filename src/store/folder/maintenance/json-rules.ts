// Finds columns that must be JSON of a certain form and are not.
import type { DatabaseSync } from "node:sqlite";
import { defaultLimits } from "../../../model/limits.ts";
import { seedAncestry } from "../../../model/sandboxes/ancestry.ts";
import { isStateCapture } from "../../../model/sandboxes/process.ts";
import { show } from "../../../model/show.ts";
import type { Change, Mismatch } from "./problem.ts";
import { jsonColumns, tableOrders, type JsonColumn, type Row, type TableName, type Value } from "./tables.ts";

/**
 * What a damaged column is replaced by. A row with a damaged column that is not here is dropped. Where a sandbox is marked,
 * it comes back as failed: it may not run under other settings than it had.
 */
const replacements: Readonly<Partial<Record<TableName, Readonly<Record<string, Replacement>>>>> = {
  sandboxes: {
    last_error: { value: null, isFailure: false },
    fitness: { value: null, isFailure: false },
    labels: { value: "{}", isFailure: false },
    ancestry: { value: JSON.stringify(seedAncestry), isFailure: false },
    limits: { value: JSON.stringify(defaultLimits), isFailure: true },
    settings: { value: "{}", isFailure: true },
  },
  versions: { mutation: { value: "null", isFailure: false } },
  tombstones: { logs: { value: "[]", isFailure: false } },
};

interface Replacement {
  readonly value: string | null;
  readonly isFailure: boolean;
}

interface Place {
  readonly table: TableName;
  readonly column: string;
}

export function* findJsonMismatches(database: DatabaseSync): Generator<Mismatch> {
  for (const [table, columns] of Object.entries(jsonColumns) as [TableName, Record<string, JsonColumn>][])
    for (const [column, rule] of Object.entries(columns))
      for (const row of suspects(database, { table, column }, rule))
        if (!isOfForm(row[column] ?? null, rule)) yield mismatchOf(database, { table, column }, row);
  for (const row of database.prepare("SELECT sandbox, capture FROM states").iterate() as Iterable<Row>) {
    const capture = parsed(row["capture"] ?? null);
    if (capture !== undefined && typeof capture === "object" && !isStateCapture(capture))
      yield mismatchOf(database, { table: "states", column: "capture" }, row);
  }
}

// SQLite's own reader refuses some texts that JSON.parse reads, those nested very deeply; so what it refuses is only suspect.
function suspects(database: DatabaseSync, { table, column }: Place, rule: JsonColumn): Iterable<Row> {
  const keys = Object.keys(tableOrders[table].key);
  const form = rule.form === "any" ? "0" : `json_type(${column}) <> '${rule.form}'`;
  return database
    .prepare(
      `SELECT ${[...keys, column].join(", ")} FROM ${table}
       WHERE ${column} IS NOT NULL AND CASE WHEN json_valid(${column}) THEN ${form} ELSE 1 END`,
    )
    .iterate() as Iterable<Row>;
}

function isOfForm(value: Value, { form, isOptional }: JsonColumn): boolean {
  if (value === null) return isOptional;
  const found = parsed(value);
  if (found === undefined) return false;
  if (form === "array") return Array.isArray(found);
  return form === "any" || (typeof found === "object" && found !== null && !Array.isArray(found));
}

function parsed(value: Value): unknown {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}

function mismatchOf(database: DatabaseSync, { table, column }: Place, row: Row): Mismatch {
  const keys = Object.keys(tableOrders[table].key);
  const key = keys.map((name) => row[name] ?? null);
  const [number = null] = key;
  const sandboxId = sandboxOf(database, table, number);
  const where = keys.map((name) => `${name} = ?`).join(" AND ");
  const name = `Column ${column} of ${table} ${key.map(show).join(", ")}`;
  const message = `${name}${sandboxId === null ? "" : ` of sandbox ${show(sandboxId)}`} is not the JSON that it must be.`;
  const replacement = replacements[table]?.[column];
  const changes: Change[] = [
    replacement === undefined
      ? { sql: `DELETE FROM ${table} WHERE ${where}`, values: key }
      : { sql: `UPDATE ${table} SET ${column} = ? WHERE ${where}`, values: [replacement.value, ...key] },
  ];
  if (replacement?.isFailure === true) changes.push(failure(number, `Its ${column} were lost`));
  const remedy = replacement === undefined ? "dropped" : "replaced";
  return { kind: "invalid-json", table, sandboxId, message, isNote: false, changes, remedy };
}

/** Makes a sandbox come back as failed, by no fault of its own. */
export function failure(number: Value, what: string): Change {
  return {
    sql: "UPDATE sandboxes SET status = 'failed', blameless = 1, reason = ? WHERE number = ?",
    values: [`${what} when the data folder was damaged.`, number],
  };
}

function sandboxOf(database: DatabaseSync, table: TableName, number: Value): string | null {
  if (!["sandboxes", "versions", "states"].includes(table)) return null;
  const row = database.prepare("SELECT id FROM sandboxes WHERE number = ?").get(number);
  return row === undefined ? null : String(row["id"]);
}
