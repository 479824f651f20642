// The fuel of a run. Woven code counts one cell down; here is what happens when it is empty: another portion, or the end.
// Once the fuel is used up every further count throws again, so that no catch or finally gets far; and the cell has been
// told, so that the verdict does not depend on what the guest makes of it.
import type { Host } from "./host.ts";

const portionMax = 2 ** 30;
// Kept before a guest can put something of its own in its place.
const Exhausted = RangeError;

/** The cell that woven code counts down: a small integer in one place of memory. */
export const fuelCell = new Int32Array(1);

// Until a run begins there is no bound: a module's top level is bounded by its time.
let budget = Number.MAX_SAFE_INTEGER;
let rest = budget - portionMax;
let isEmpty = false;
fuelCell[0] = portionMax;
let exhausted: Host["exhausted"] = () => {};

/** Tells how to report the end. */
export function reportWith(report: Host["exhausted"]): void {
  exhausted = report;
}

/** A run begins with this much, or goes on with what is left of it. */
export function fuelUp(amount: number, used: number = 0): void {
  budget = amount;
  const left = amount - used;
  const portion = left < portionMax ? left : portionMax;
  fuelCell[0] = portion;
  rest = left - portion;
  isEmpty = false;
}

/** What has been used in all. */
export function fuelUsed(): number {
  const left = (fuelCell[0] ?? 0) + rest;
  return isEmpty || left < 0 ? budget : budget - left;
}

/** Whether everything is used up. */
export function isOutOfFuel(): boolean {
  return isEmpty;
}

/** Called by woven code when the cell is empty. */
export function spend(): void {
  if (!isEmpty && rest > 0) {
    const portion = rest < portionMax ? rest : portionMax;
    rest -= portion;
    // One was counted already.
    fuelCell[0] = portion - 1;
    return;
  }
  if (!isEmpty) exhausted();
  isEmpty = true;
  fuelCell[0] = 0;
  throw new Exhausted("The fuel of this run is used up");
}
