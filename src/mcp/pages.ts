// Long lists a page at a time. A cursor is a place in the list, and nothing else is accepted as one.
import { InvalidOptionsError } from "../model/errors.ts";
import { show } from "../model/show.ts";

const cursorForm = /^from-([1-9]\d{0,8})$/;

/** Where the page begins that a cursor names; throws `INVALID_OPTIONS` for what is none. */
export function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, start] = cursorForm.exec(cursor) ?? [];
  if (start !== undefined) return Number(start);
  throw new InvalidOptionsError(
    `Cannot use cursor as it must be one that a page before ended with: got ${show(cursor)}`,
    "cursor",
  );
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

export function pageOf<T>(all: readonly T[], start: number, size: number): Page<T> {
  const items = all.slice(start, start + size);
  const end = start + items.length;
  return end < all.length ? { items, nextCursor: `from-${end}` } : { items };
}
