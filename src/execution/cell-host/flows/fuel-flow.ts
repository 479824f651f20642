// The fuel in the guest's counter. There is one counter per isolate, in which several runs may wait: each run that enters fills
// in its own fuel, and what is left of the former one is noted for it.
import type { Activity } from "../activity.ts";
import type { Box } from "../box.ts";
import { applying, housekeepingMs, type Flow } from "./entry-request.ts";

/** The owner of what no run caused: a top level, or a process. */
const noOwner = 0;

/** Fills the counter with the fuel of one activity, or for a turn without a run with this amount. */
export function* takeFuel(box: Box, taker: Activity | undefined, amount: number): Flow<void> {
  const holder = box.fuelHolder;
  if (holder !== undefined && holder === taker) return;
  if (holder !== undefined) yield* readFuel(box, holder);
  box.fuelHolder = taker;
  yield applying(box.guest.fuelUp, [amount, taker?.fuelUsed ?? 0], housekeepingMs);
}

/** From here on what is in the counter is an activity's, which fills it by itself. */
export function* holdFuel(box: Box, holder: Activity): Flow<void> {
  if (box.fuelHolder !== undefined) yield* readFuel(box, box.fuelHolder);
  box.fuelHolder = holder;
}

/** Fills the counter for a turn that this operation caused. */
export function* takeTurnFuel(box: Box, op: number = noOwner): Flow<void> {
  const { fuel } = box.limits;
  if (fuel === null) return;
  // A turn that no run caused counts for the run that has waited longest; one that an ended run caused, for none.
  const [first] = box.pending.values();
  const taker = op === noOwner ? first : box.pending.get(op);
  const granted = taker?.fuel ?? null;
  yield* granted === null ? takeFuel(box, undefined, fuel) : takeFuel(box, taker, granted);
}

/** Notes what an activity has used, when its fuel is in the counter. */
export function* readFuel(box: Box, activity: Activity): Flow<void> {
  if (box.fuelHolder !== activity || box.isLost) return;
  const result = yield applying(box.guest.fuelUsed, [], housekeepingMs);
  if (typeof result.answer === "number") activity.fuelUsed = result.answer;
}
