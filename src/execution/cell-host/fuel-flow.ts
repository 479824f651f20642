// Whose fuel the guest's counter holds. There is one counter per isolate and there may be several runs that wait in it:
// whoever goes in takes his own along, and what is left of another's is kept for him.
import type { Activity } from "./activity.ts";
import type { Box } from "./box.ts";
import { applying, housekeepingMs, type Flow } from "./entry-request.ts";

/** The owner of what no run set going: a top level, or a process. */
const nobody = 0;

/** Fills the counter with the fuel of one activity, or for a turn that is nobody's with so much. */
export function* takeFuel(box: Box, taker: Activity | undefined, amount: number): Flow<void> {
  const holder = box.fuelHolder;
  if (holder !== undefined && holder === taker) return;
  if (holder !== undefined) yield* readFuel(box, holder);
  box.fuelHolder = taker;
  yield applying(box.guest.fuelUp, [amount, taker?.fuelUsed ?? 0], housekeepingMs);
}

/** Fills the counter for a turn that the op of this number set going. */
export function* takeTurnFuel(box: Box, op: number = nobody): Flow<void> {
  const { fuel } = box.limits;
  if (fuel === null) return;
  // What nobody's run set going is counted for the one that has waited longest; what an ended run left, for nobody.
  const [first] = box.pending.values();
  const taker = op === nobody ? first : box.pending.get(op);
  const granted = taker?.fuel ?? null;
  yield* granted === null ? takeFuel(box, undefined, fuel) : takeFuel(box, taker, granted);
}

/** Notes what an activity has used, when its fuel is in the counter. */
export function* readFuel(box: Box, activity: Activity): Flow<void> {
  if (box.fuelHolder !== activity || box.isLost) return;
  const result = yield applying(box.guest.fuelUsed, [], housekeepingMs);
  if (typeof result.answer === "number") activity.fuelUsed = result.answer;
}
