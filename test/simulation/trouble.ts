// What may go wrong in a run, by name. A run has some of it; near its end all of it stops.
import type { Dice } from "./dice.ts";

export const troubleNames = [
  "delay",
  "death",
  "guilt",
  "silence",
  "poison",
  "lies",
  "start-slow",
  "start-fail",
  "start-never",
  "start-burst",
  "store-slow",
  "store-fail",
  "store-hang",
  "store-group",
  "power-cut",
  "compile-slow",
  "compile-fail",
  "compile-never",
  "crash",
  "close",
  "abort",
  "verify-never",
  "migrate-slow",
  "grant-lost",
] as const;

export type TroubleName = (typeof troubleNames)[number];

/** How much longer anyone may have to wait each time, in milliseconds. */
const allowances: Readonly<Partial<Record<TroubleName, number>>> = {
  delay: 300,
  silence: 80_000,
  "start-slow": 2_000,
  "start-fail": 11_000,
  "start-never": 13_000,
  "store-slow": 3_000,
  "store-hang": 35_000,
  "compile-slow": 1_000,
  "compile-never": 1_000,
};

export class Trouble {
  readonly names: ReadonlySet<TroubleName>;
  isOver = false;
  /** How much all that struck so far may have cost anyone who waits. */
  allowedMs = 0;

  constructor(names: ReadonlySet<TroubleName>) {
    this.names = names;
  }

  has(name: TroubleName): boolean {
    return !this.isOver && this.names.has(name);
  }

  /** Whether it happens now. Dice are thrown in any case, so that the others fall as before. */
  strikes(name: TroubleName, dice: Dice, probability: number): boolean {
    const isHit = dice.chance(probability) && this.has(name);
    if (isHit) this.allowedMs += allowances[name] ?? 0;
    return isHit;
  }
}
