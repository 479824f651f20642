// Finds rows on pages that nothing leads to any more, as the page above them in the tree is damaged.
import { closeSync, fstatSync, openSync } from "node:fs";
import { KeySpace } from "./key-space.ts";
import { PageFile, type PageRecord } from "./page-records.ts";
import type { UnreadRows } from "./readable-rows.ts";
import { tableOrders, type Row, type TableName, type Value } from "./tables.ts";

const pageBytes = 4_096;

/** A row, and the damaged place of its table in which it was. */
export interface OrphanRow {
  readonly table: TableName;
  readonly row: Row;
  readonly unread: UnreadRows;
}

/** Rows between the keys of `unread`, of a file without a log. Nobody may have it open. */
export function* orphanRows(file: string, unread: readonly UnreadRows[]): Generator<OrphanRow> {
  const gaps = unread.filter(({ key }) => key === null).map(gapOf);
  if (gaps.length === 0) return;
  const descriptor = openSync(file, "r");
  try {
    const pages = new PageFile(descriptor, { pageBytes, fileBytes: fstatSync(descriptor).size });
    const free = pages.freePages();
    for (let number = 1; number <= pages.count; number++) {
      if (free.has(number)) continue;
      for (const record of pages.records(number)) {
        const found = rowOf(record);
        const gap =
          found && gaps.find(({ unread: { table }, has }) => table === found.table && has(found.row));
        if (found !== undefined && gap !== undefined) yield { ...found, unread: gap.unread };
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

interface Gap {
  readonly unread: UnreadRows;
  readonly has: (row: Row) => boolean;
}

function gapOf(unread: UnreadRows): Gap {
  const { key } = tableOrders[unread.table];
  const space = new KeySpace(Object.values(key));
  const after = unread.after === null ? -1n : space.placeOf(unread.after);
  const before = unread.before === null ? space.size : space.placeOf(unread.before);
  const has = (row: Row): boolean => {
    const place = space.placeOf(Object.keys(key).map((name) => row[name] ?? null));
    return place > after && place < before;
  };
  return { unread, has };
}

/** Which table a record is of, by the number and the types of its values: no two tables have the same. */
function rowOf({ rowid, values }: PageRecord): Pick<OrphanRow, "table" | "row"> | undefined {
  const table = rowid === null ? keyedTable(values) : numberedTable(values);
  if (table === undefined) return undefined;
  const { key, columns } = tableOrders[table];
  const names = [...Object.keys(key), ...columns];
  // The number of a row is not among its values, but for a place where it would be.
  const own = rowid === null ? values : [rowid, ...(table === "blobs" ? values : values.slice(1))];
  return { table, row: Object.fromEntries(names.map((name, index) => [name, own[index] ?? null])) };
}

function numberedTable(values: readonly Value[]): TableName | undefined {
  const [first, second] = values;
  if (values.length === 2 && first instanceof Uint8Array && typeof second === "string") return "blobs";
  if (first !== null || typeof second !== "string") return undefined;
  if (values.length === 2) return "states";
  if (values.length === 4) return "tombstones";
  return values.length === tableOrders.sandboxes.columns.length + 1 ? "sandboxes" : undefined;
}

function keyedTable(values: readonly Value[]): TableName | undefined {
  const [first, second, third] = values;
  if (values.length === 8)
    return typeof first === "number" && typeof second === "string" ? "versions" : undefined;
  if (values.length !== 3 || typeof first !== "string" || typeof second !== "string") return undefined;
  if (third instanceof Uint8Array) return "artifacts";
  return typeof third === "string" ? "documents" : undefined;
}
