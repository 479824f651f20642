// One page of memory shared by a cell and the orchestrator, on which the cell writes which ticket is inside
// which isolate right now. It costs the cell a few stores per entry, can be read while the cell is stuck, and
// remains after it ended: then it names the suspects.

/** The lane on the cell's main thread; the other slots are lanes on threads of their own. */
export const mainSlot = 0;
export const slotsMax = 18;
const fieldsPerSlot = 4;
const at = { op: 0, key: 1, startedMs: 2, budgetMs: 3 } as const;
const beatIndex = slotsMax * fieldsPerSlot;
const lastBegunIndex = beatIndex + 1;

export const slateBytes: number = (lastBegunIndex + 1) * Float64Array.BYTES_PER_ELEMENT;

/** One ticket inside an isolate. */
export interface Entry {
  readonly slot: number;
  readonly op: number;
  readonly key: number;
  readonly startedMs: number;
  readonly budgetMs: number;
}

/** Writes an entry. The number of the ticket goes last: a reader that sees it sees the other fields too, at its second look at the latest. */
export function writeEntry(page: Float64Array, entry: Entry): void {
  const base = entry.slot * fieldsPerSlot;
  page[base + at.key] = entry.key;
  page[base + at.startedMs] = entry.startedMs;
  page[base + at.budgetMs] = entry.budgetMs;
  page[base + at.op] = entry.op + 1;
  // An old ticket that enters once more to clean up does not lower it.
  if (entry.slot === mainSlot && entry.op > (page[lastBegunIndex] ?? 0)) page[lastBegunIndex] = entry.op;
}

export function clearEntry(page: Float64Array, slot: number): void {
  page[slot * fieldsPerSlot + at.op] = 0;
}

/**
 * Notes that any operation up to this one may have begun. The value lies between two numbers of operations: it is none that
 * could be inside, so that nothing follows about what was sent later on other lanes.
 */
export function writeBegun(page: Float64Array, op: number): void {
  page[lastBegunIndex] = Math.max(page[lastBegunIndex] ?? 0, op + 0.5);
}

/** Counts up, which shows that the cell's main thread runs. */
export function writeBeat(page: Float64Array): void {
  page[beatIndex] = (page[beatIndex] ?? 0) + 1;
}

/** The ticket that entered last on the main lane, whether or not it is still inside. Tickets there begin in order. */
export function readLastBegun(page: Float64Array): number {
  return page[lastBegunIndex] ?? 0;
}

export function readBeat(page: Float64Array): number {
  return page[beatIndex] ?? 0;
}

/** The tickets inside isolates, by the page. Malformed fields give no entry. */
export function readEntries(page: Float64Array): Entry[] {
  const entries: Entry[] = [];
  for (let slot = 0; slot < slotsMax; slot++) {
    const base = slot * fieldsPerSlot;
    const op = (page[base + at.op] ?? 0) - 1;
    const key = page[base + at.key] ?? 0;
    if (!Number.isSafeInteger(op) || op < 0 || !Number.isSafeInteger(key)) continue;
    entries.push({
      slot,
      op,
      key,
      startedMs: finite(page[base + at.startedMs]),
      budgetMs: finite(page[base + at.budgetMs]),
    });
  }
  return entries;
}

// What is no time counts as one long ago.
function finite(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) ? value : 0;
}
