// Populations as they are persisted, and the listener that persists them.
import type { Standing } from "./outdated.ts";

/** A population as it is persisted. */
export interface PopulationRow {
  readonly id: string;
  readonly generation: number;
  readonly members: readonly string[];
  /** The generations before that are retained, newest first. */
  readonly past: readonly { readonly generation: number; readonly members: readonly string[] }[];
  readonly createdAt: number;
  readonly parentPopulationId: string | null;
}

/** Is told of changes, where they are persisted. */
export interface PopulationsListener {
  /** A population changed, or was dropped. */
  populationChanged(id: string): void;
  standingChanged(id: string, standing: Standing | undefined): void;
}
