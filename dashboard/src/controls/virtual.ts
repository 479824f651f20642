// Which rows of a long table are drawn, and where its keys lead: plain arithmetic, so that it is tested without a browser.

/** A stretch of rows, the last one excluded. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** So many rows are drawn above and below those that are seen. */
const beyond = 8;

/** The rows to be drawn of a table that is scrolled so far. */
export function shownRows(
  count: number,
  at: { readonly scrollTop: number; readonly height: number; readonly rowHeight: number },
): Stretch {
  const first = Math.floor(at.scrollTop / at.rowHeight);
  const from = Math.max(0, Math.min(first - beyond, count - 1));
  const to = Math.min(count, Math.max(0, first) + Math.ceil(at.height / at.rowHeight) + beyond);
  return { from, to: Math.max(from, to) };
}

/** Where a key leads from a row; undefined where it leads nowhere. Without a row, -1, any key leads to the first or the last. */
export function rowAfterKey(
  key: string,
  at: { readonly row: number; readonly count: number; readonly pageRows: number },
): number | undefined {
  const { row, count, pageRows } = at;
  if (count === 0) return undefined;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row === -1 ? count - 1 : row - 1,
    PageDown: row + Math.max(1, pageRows),
    PageUp: row - Math.max(1, pageRows),
    Home: 0,
    End: count - 1,
  };
  const to = moves[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}

/** How far the table must be scrolled so that the row is seen; undefined where it is. */
export function scrollFor(
  row: number,
  at: { readonly scrollTop: number; readonly height: number; readonly rowHeight: number },
): number | undefined {
  const top = row * at.rowHeight;
  if (top < at.scrollTop) return top;
  return top + at.rowHeight > at.scrollTop + at.height ? top + at.rowHeight - at.height : undefined;
}
