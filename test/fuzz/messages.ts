// Messages that neither side sends: valid ones with something changed, any JSON, and bytes that are no frame.
import { toFrame } from "../../src/std/frames.ts";
import type { Dice } from "./dice.ts";

/** Any JSON value. */
function anything(dice: Dice, depth: number = 3): unknown {
  const inner = (): unknown => anything(dice, depth - 1);
  if (depth <= 0 || dice.chance(0.5)) {
    return dice.pick([
      0,
      -1,
      1,
      0.5,
      1e300,
      2 ** 53,
      null,
      true,
      "",
      "x",
      "__proto__",
      "done",
      "V[0]",
      "T[]",
      "\u0000",
      [],
    ]);
  }
  if (dice.chance(0.5)) return dice.many(4, inner);
  return Object.fromEntries(
    dice.many(4, () => [dice.pick(["t", "op", "key", "items", "__proto__", "x"]), inner()]),
  );
}

/** The same message with something in it changed, taken away or put in. */
function changed(dice: Dice, value: unknown): unknown {
  if (dice.chance(0.15)) return anything(dice);
  if (Array.isArray(value)) {
    const list = value.map((each: unknown) => (dice.chance(0.4) ? changed(dice, each) : each));
    return dice.chance(0.2) ? [...list, ...list] : list;
  }
  if (typeof value !== "object" || value === null) return dice.chance(0.3) ? anything(dice, 1) : value;
  const entries = Object.entries(value)
    .filter(() => !dice.chance(0.05))
    .map(([name, each]) => [name, dice.chance(0.3) ? changed(dice, each) : each] as const);
  return Object.fromEntries(entries);
}

/** The same message with other numbers and texts in it: it passes every check on its form. */
export function plausible(dice: Dice, value: unknown, name: string = ""): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => plausible(dice, each));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plausible(dice, each, key)]));
  if (!dice.chance(0.3)) return value;
  if (typeof value === "number") return dice.pick([0, 1, 2, 3, value + 1, 2 ** 31, 2 ** 53 - 1]);
  if (typeof value === "boolean") return !value;
  if (name === "answer")
    return dice.pick(["V[0]", "V[-1]", 'T["Error","x","y"]', "{", "[1,[2,[3]]]", '"text"', "null"]);
  return value;
}

/** Bytes for a pipe: frames of such messages, complete, cut or with a wrong length. */
export function noise(dice: Dice, truth: readonly unknown[]): Buffer {
  return dice.pick<() => Buffer>([
    () => dice.bytes(200),
    () => toFrame(anything(dice)),
    () => toFrame(changed(dice, dice.pick(truth))),
    () => toFrame(changed(dice, dice.pick(truth))),
    () => Buffer.concat([toFrame(dice.pick(truth)), toFrame(changed(dice, dice.pick(truth)))]),
    () => {
      const frame = toFrame(dice.pick(truth));
      frame.writeUInt32LE(dice.below(2 ** 32), 0);
      return frame;
    },
    () => {
      const frame = toFrame(changed(dice, dice.pick(truth)));
      return frame.subarray(0, dice.below(frame.length));
    },
  ])();
}
