// Copies everything that can be read from one database of a data folder to another, row by row.
import { DatabaseSync } from "node:sqlite";
import { show } from "../../../model/show.ts";
import { orphanRows } from "./orphan-rows.ts";
import type { Loss } from "./problem.ts";
import { isDamage, readableRows, type UnreadRows } from "./readable-rows.ts";
import { idOrders, tableNames, tableOrders, type Row, type TableName } from "./tables.ts";

/** How many rows one transaction has. */
const rowsAtOnce = 10_000;

/** Returns what could not be copied. `file` has no log beside it. */
export function copyReadable(file: string, to: DatabaseSync): readonly Loss[] {
  const unread: UnreadRows[] = [];
  const losses: Loss[] = [];
  const ids: LostId[] = [];
  {
    using from = new DatabaseSync(file, { readOnly: true });
    for (const table of tableNames)
      copyTable(
        { from, to, table },
        (each) => unread.push(each),
        (loss) => losses.push(loss),
      );
    copyNumbers(from, to);
    ids.push(...lostIds(from, to));
  }
  const found = copyOrphans(file, to, unread);
  losses.push(...unread.map((each) => lossOf(each, found.get(each) ?? 0)));
  for (const { table, id } of ids)
    if (to.prepare(`SELECT 1 FROM ${table} WHERE id = ?`).get(id) === undefined)
      losses.push(lossOfId(table, id));
  losses.push(...lostStates(to, unread));
  return losses;
}

/** How many rows were found again, by the damaged place in which they were. */
function copyOrphans(
  file: string,
  to: DatabaseSync,
  unread: readonly UnreadRows[],
): ReadonlyMap<UnreadRows, number> {
  const found = new Map<UnreadRows, number>();
  const inserts = new Map(tableNames.map((table) => [table, insertion(to, table)]));
  to.exec("BEGIN");
  for (const { table, row, unread: place } of orphanRows(file, unread))
    if (inserts.get(table)?.(row) === true) found.set(place, (found.get(place) ?? 0) + 1);
  to.exec("COMMIT");
  return found;
}

interface TableCopy {
  readonly from: DatabaseSync;
  readonly to: DatabaseSync;
  readonly table: TableName;
}

function copyTable(
  { from, to, table }: TableCopy,
  onUnread: (unread: UnreadRows) => void,
  onLoss: (loss: Loss) => void,
): void {
  const key = Object.keys(tableOrders[table].key);
  const insert = insertion(to, table);
  let count = 0;
  to.exec("BEGIN");
  for (const row of readableRows(from, tableOrders[table], onUnread)) {
    if (!insert(row)) onLoss(misfit(table, row, key));
    if (++count % rowsAtOnce === 0) to.exec("COMMIT; BEGIN");
  }
  to.exec("COMMIT");
}

/** Adds a row and says whether it could be. Keys on damaged pages may be there twice; the first one counts. */
function insertion(to: DatabaseSync, table: TableName): (row: Row) => boolean {
  const { key, columns: others } = tableOrders[table];
  const columns = [...Object.keys(key), ...others];
  const marks = columns.map(() => "?").join(", ");
  const insert = to.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${marks})`);
  return (row) => Number(insert.run(...columns.map((column) => row[column] ?? null)).changes) === 1;
}

// So that no number is given a second time.
function copyNumbers(from: DatabaseSync, to: DatabaseSync): void {
  const raise = to.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?");
  try {
    for (const { name, seq } of from.prepare("SELECT name, seq FROM sqlite_sequence").iterate())
      if (typeof seq === "number") raise.run(seq, String(name));
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

interface LostId {
  readonly table: TableName;
  readonly id: string;
}

/** The index of the ids still has those whose rows cannot be read. */
function* lostIds(from: DatabaseSync, to: DatabaseSync): Generator<LostId> {
  for (const order of Object.values(idOrders)) {
    const { table } = order;
    const find = to.prepare(`SELECT 1 FROM ${table} WHERE id = ?`);
    for (const { id } of readableRows(from, order, () => {}))
      if (typeof id === "string" && find.get(id) === undefined) yield { table, id };
  }
}

function lossOfId(table: TableName, id: string): Loss {
  const what = table === "sandboxes" ? "Sandbox" : "The tombstone of sandbox";
  return { ...loss(table, `${what} ${show(id)} is lost: its row cannot be read.`), sandboxId: id };
}

function* lostStates(to: DatabaseSync, unread: readonly UnreadRows[]): Generator<Loss> {
  const find = to.prepare(`
    SELECT id FROM sandboxes WHERE number >= ? AND number <= ? AND number NOT IN (SELECT sandbox FROM states)
    AND settings LIKE '%"processes"%'`);
  for (const { table, key, after, before } of unread) {
    if (table !== "states") continue;
    const [first, last] = [key ?? after ?? [0], key ?? before ?? [Number.MAX_SAFE_INTEGER]];
    for (const { id } of find.iterate(first[0] ?? 0, last[0] ?? 0)) {
      const message = `The states of the processes of sandbox ${show(id)} are lost, if there were any: they begin anew.`;
      yield { ...loss("states", message), sandboxId: String(id) };
    }
  }
}

function lossOf({ table, key, after, before, reason }: UnreadRows, found: number): Loss {
  if (key !== null) return loss(table, `Row ${shown(key)} of ${table} cannot be read: ${reason}.`);
  const first = after === null ? "the first" : shown(after);
  const last = before === null ? "the last" : shown(before);
  const but = found === 0 ? "" : ` ${found} of them were found on pages of their own.`;
  return loss(table, `Rows of ${table} between ${first} and ${last} cannot be read: ${reason}.${but}`);
}

function misfit(table: TableName, row: Row, key: readonly string[]): Loss {
  const name = shown(key.map((column) => row[column]));
  return loss(table, `Row ${name} of ${table} lacks a value or contradicts another row.`);
}

function loss(table: TableName, message: string): Loss {
  return { kind: "unreadable", table, sandboxId: null, message, remedy: "lost" };
}

function shown(key: readonly unknown[]): string {
  return key
    .map((part) => (part instanceof Uint8Array ? Buffer.from(part).toString("hex", 0, 6) : show(part)))
    .join(", ");
}
