// The fuel of a run. Inserted code counts one number down; when it is empty there is another portion, or the run ends. Once
// the fuel is used up every further count throws again, so that no catch or finally gets far; and it is reported to the
// cell first, so that the verdict does not depend on what the guest does then.
import type { Host } from "./host.ts";

const portionMax = 2 ** 30;
// Saved before a guest can replace it.
const Exhausted = RangeError;

/** The number that inserted code counts down: a small integer at one place in memory. */
export const fuelCounter = new Int32Array(1);

// Until a run begins there is no bound: a module's top level is bounded by its time.
let budget = Number.MAX_SAFE_INTEGER;
let rest = budget - portionMax;
let isEmpty = false;
fuelCounter[0] = portionMax;
let exhausted: Host["exhausted"] = () => {};

/** Sets what is called when the fuel is used up. */
export function onExhausted(report: Host["exhausted"]): void {
  exhausted = report;
}

/** Sets the fuel of a run that begins, or what is left of it for one that continues. */
export function fuelUp(amount: number, used: number = 0): void {
  budget = amount;
  const left = amount - used;
  const portion = left < portionMax ? left : portionMax;
  fuelCounter[0] = portion;
  rest = left - portion;
  isEmpty = false;
}

/** The fuel used so far. */
export function fuelUsed(): number {
  const left = (fuelCounter[0] ?? 0) + rest;
  return isEmpty || left < 0 ? budget : budget - left;
}

/** Whether everything is used up. */
export function isOutOfFuel(): boolean {
  return isEmpty;
}

/** Called by inserted code when the number is below zero. */
export function spend(): void {
  if (!isEmpty && rest > 0) {
    const portion = rest < portionMax ? rest : portionMax;
    rest -= portion;
    // One was counted already.
    fuelCounter[0] = portion - 1;
    return;
  }
  if (!isEmpty) exhausted();
  isEmpty = true;
  fuelCounter[0] = 0;
  throw new Exhausted("The fuel of this run is used up");
}
