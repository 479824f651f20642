// What a simulated cell is made of, and what the world hears of it.
import type { Death, Suspect } from "../../src/execution/cell.ts";
import type { Report } from "../../src/execution/protocol/messages.ts";
import type { SimulatedClock } from "./clock.ts";
import type { Dice } from "./dice.ts";
import type { FakeBox } from "./fake-box.ts";
import type { Trouble } from "./trouble.ts";

/** A run that begins in an isolate. */
export interface Beginning {
  readonly token: string;
  readonly box: FakeBox;
  readonly isFirst: boolean;
  hasAsked: boolean;
}

/** What the world hears of what goes on inside. */
export interface HostNotes {
  onMade(box: FakeBox): void;
  onBegin(beginning: Beginning): void;
  onTick(box: FakeBox): void;
  /** A stream has produced a part. */
  onPart(token: string, at: number): void;
}

export interface FakeHostParts {
  readonly clock: SimulatedClock;
  readonly dice: Dice;
  readonly trouble: Trouble;
  readonly notes: HostNotes;
  readonly asyncLanes: number;
  readonly sliceMs: number;
  readonly send: (report: Report) => void;
  readonly die: (death: Pick<Death, "cause" | "detail"> & { readonly culprit?: Suspect }) => void;
}
