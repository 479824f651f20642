// Breaks one thing in a body: a value of another type or out of its bounds, a name too many, one that is missing.
import type { Dice } from "../dice.ts";
import { oddTexts, oddValue } from "./words.ts";

type Place = readonly (string | number)[];

/** A copy with one thing changed. */
export function brokenIn(value: unknown, dice: Dice): unknown {
  const place = dice.pick([...placesIn(value)]);
  const copy: unknown = structuredClone(value);
  const found = at(copy, place);
  if (isRecord(found)) {
    const names = Object.keys(found);
    const roll = dice.below(3);
    if (roll === 0 && names.length > 0) delete found[dice.pick(names)];
    else if (roll === 1) {
      const name = dice.pick([...oddTexts, "bogus", "signal", "onOutput", "deadlineMs", "id"]);
      // Assigned, `__proto__` would be no name of its own.
      Object.defineProperty(found, name, { value: oddValue(dice), enumerable: true, configurable: true });
    } else return put(copy, place, oddValue(dice));
    return copy;
  }
  return put(copy, place, oddValue(dice));
}

/** Every place in a value, the value itself first. */
export function* placesIn(value: unknown, place: Place = []): Generator<Place> {
  yield place;
  if (place.length > 6 || typeof value !== "object" || value === null) return;
  for (const [name, item] of Object.entries(value).slice(0, 50))
    yield* placesIn(item, [...place, Array.isArray(value) ? Number(name) : name]);
}

export function at(value: unknown, place: Place): unknown {
  let found = value;
  for (const name of place) found = (found as Record<string | number, unknown>)[name];
  return found;
}

/** The same value with another one at a place: it is changed where it stands. */
export function put(value: unknown, place: Place, odd: unknown): unknown {
  const name = place.at(-1);
  if (name === undefined) return odd;
  const parent = at(value, place.slice(0, -1)) as Record<string | number, unknown>;
  Object.defineProperty(parent, name, { value: odd, enumerable: true, configurable: true, writable: true });
  return value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
