// What of the lineage is shown, as it stands behind the `?` of the address.
import type { EdgesShown } from "../../plots/lineage/picture.ts";
import type { Better } from "../../plots/lineage/pareto.ts";
import { marks, type Layout } from "../../plots/lineage/layout.ts";
import { notEvaluated, notKnown, type Scene } from "../../plots/lineage/scene.ts";

type Query = Readonly<Record<string, string>>;

export interface Shown {
  readonly isTable: boolean;
  readonly edges: EdgesShown;
  readonly hasFailures: boolean;
  /** Whether scores far from all others are drawn where they are. */
  readonly isWholeRange: boolean;
  /** Populations that are switched off; the empty name is of those without one. */
  readonly off: ReadonlySet<string>;
  /** The id of the parent at the other end of the picked edge. */
  readonly from: string | null;
}

export function readShown(query: Query): Shown {
  const edges = query["edges"];
  return {
    isTable: query["show"] === "table",
    edges: edges === "selected" || edges === "migrations" ? edges : "all",
    hasFailures: query["failures"] !== "off",
    isWholeRange: query["range"] === "whole",
    off: new Set((query["off"] ?? "").split(",").slice(1).map(decoded)),
    from: query["from"] ?? null,
  };
}

/** What stands in the address for populations that are switched off; null for none. */
export function writeOff(off: ReadonlySet<string>): string | null {
  return off.size === 0
    ? null
    : `,${[...off].map((kind) => encodeURIComponent(kind.toWellFormed())).join(",")}`;
}

/** 1 for each row that is shown. */
export function shownRows(scene: Scene, layout: Layout, { off, hasFailures }: Shown): Uint8Array {
  const isOff = scene.populations.map((name) => off.has(name));
  const isFailure = scene.kinds.map((kind) => kind !== notEvaluated && kind !== notKnown);
  const shown = new Uint8Array(scene.size);
  for (let row = 0; row < scene.size; row++) {
    const population = scene.population[row] ?? -1;
    const isPopulationOff = population < 0 ? off.has("") : isOff[population] === true;
    const failed = layout.mark[row] === marks.lane && isFailure[scene.kind[row] ?? 0] === true;
    shown[row] = Number(!isPopulationOff && (hasFailures || !failed));
  }
  return shown;
}

export interface Axes {
  readonly x: string;
  readonly y: string;
  readonly betterX: Better;
  readonly betterY: Better;
}

/** The two components that are compared. What the address does not say is as the score is. */
export function readAxes(query: Query, names: readonly string[], direction: Scene["direction"]): Axes {
  const usual: Better = direction === "maximise" ? "more" : "less";
  const better = (word: string | undefined): Better => (word === "more" || word === "less" ? word : usual);
  const x = names.find((name) => name === query["x"]) ?? names[0] ?? "";
  const y = names.find((name) => name === query["y"]) ?? names.find((name) => name !== x) ?? x;
  return { x, y, betterX: better(query["betterX"]), betterY: better(query["betterY"]) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
