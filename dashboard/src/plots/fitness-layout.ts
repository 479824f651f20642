// Where everything in the plot of fitness over generations lies: a point per individual, lines and bands per generation, and a lane
// per kind of failure below the axis.
import { numberText } from "../text.ts";
import { firstBestOf, isFailure, type FitnessRows, type FitnessStatistics } from "./fitness-statistics.ts";
import { PointGrid } from "./grid.ts";
import { scoreRange, type RangeChoice, type ScoreRange } from "./score-range.ts";
import { jitterOf, scaleOf, ticksOf, type Scale } from "./scale.ts";

export const lanesMax = 6;
/** Populations that have a series of their own. One more series is that of those who are in none, where others are in some. */
export const seriesMax = 8;
const otherFailures = "other";
const laneHeight = 15;
const axisHeight = 24;

/** How a point is drawn: as what it is, as an arrow at the edge that it lies beyond, or in a lane. */
export const pointPlaces = { inside: 0, above: 1, below: 2, failed: 3 } as const;

export interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface Lane {
  /** `other` where there are more kinds than lanes. */
  readonly kind: string;
  readonly count: number;
  readonly y: number;
}

export interface FitnessLayout {
  readonly width: number;
  readonly height: number;
  /** The part in which scores lie. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: Scale;
  readonly y: Scale;
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly range: ScoreRange | null;
  readonly lanes: readonly Lane[];
  /** By points: the rows, where they lie, the numbers of their series, and `pointPlaces`. */
  readonly rows: Int32Array;
  readonly px: Float32Array;
  readonly py: Float32Array;
  readonly series: Uint8Array;
  readonly places: Uint8Array;
  readonly grid: PointGrid;
  readonly statistics: FitnessStatistics;
}

export interface LayoutSize {
  readonly width: number;
  readonly height: number;
  readonly range: RangeChoice;
}

export function layoutFitness(
  rows: FitnessRows,
  statistics: FitnessStatistics,
  size: LayoutSize,
): FitnessLayout {
  const { width, height } = size;
  const { generations, scores, failures } = statistics;
  const terms = { choice: size.range, direction: rows.direction, firstBest: firstBestOf(generations) };
  const range = scoreRange(scores, terms);
  const lanes = lanesOf(failures, height);
  const left = width < 500 ? 78 : 92;
  const right = Math.max(left + 10, width - 10);
  const top = 10;
  const bottom = Math.max(
    top + 20,
    height - axisHeight - lanes.length * laneHeight - (lanes.length > 0 ? 6 : 0),
  );
  const first = generations[0]?.generation ?? 0;
  const last = generations.at(-1)?.generation ?? 0;
  // Half a generation of room at both ends for the points beside it.
  const x = scaleOf([first - 0.5, last + 0.5], left, right);
  const y = scaleOf([range?.from ?? 0, range?.to ?? 1], bottom, top);
  const points = pointsOf(rows, { x, y, top, bottom, lanes });
  return {
    width,
    height,
    left,
    right,
    top,
    bottom,
    x,
    y,
    xTicks: ticksOf([first, last], Math.max(2, (right - left) / 70), true).map((value) => ({
      at: x.at(value),
      text: String(value),
    })),
    yTicks:
      range === null
        ? []
        : ticksOf([range.from, range.to], Math.max(2, (bottom - top) / 50)).map((value) => ({
            at: y.at(value),
            text: numberText(value),
          })),
    range,
    lanes,
    ...points,
    grid: new PointGrid({ x: points.px, y: points.py }, { width, height }),
    statistics,
  };
}

/** The number of the series of a population: those behind the last one share it. */
export function seriesOf(populationNumber: number, populations: number): number {
  if (populationNumber < 0) return populations === 0 ? 0 : seriesMax;
  return Math.min(seriesMax - 1, populationNumber);
}

function lanesOf(failures: FitnessStatistics["failures"], height: number): readonly Lane[] {
  const count = Math.min(failures.length, lanesMax);
  const shown = failures.slice(0, failures.length > lanesMax ? lanesMax - 1 : lanesMax);
  const rest = failures.slice(shown.length);
  const lanes = [
    ...shown,
    ...(rest.length > 0
      ? [{ kind: otherFailures, count: rest.reduce((sum, each) => sum + each.count, 0) }]
      : []),
  ];
  const start = height - axisHeight - count * laneHeight;
  return lanes.map((lane, index) => ({ ...lane, y: start + (index + 0.5) * laneHeight }));
}

interface Frame {
  readonly x: Scale;
  readonly y: Scale;
  readonly top: number;
  readonly bottom: number;
  readonly lanes: readonly Lane[];
}

type Points = Pick<FitnessLayout, "rows" | "px" | "py" | "series" | "places">;

function pointsOf(individuals: FitnessRows, { x, y, top, bottom, lanes }: Frame): Points {
  const { size } = individuals;
  const [rows, series, places] = [new Int32Array(size), new Uint8Array(size), new Uint8Array(size)];
  const [px, py] = [new Float32Array(size), new Float32Array(size)];
  const laneOf = new Map(lanes.map((lane) => [lane.kind, lane.y]));
  const lastLane = lanes.at(-1)?.y ?? bottom;
  // Points of neighbouring generations stay apart, and few generations do not become clouds.
  const spread = Math.min(x.at(1) - x.at(0), 90) * 0.72;
  const populations = individuals.populations.length;
  let count = 0;
  for (let row = 0; row < size; row++) {
    const result = individuals.result(row);
    const score = individuals.score(row);
    const failed = isFailure(result);
    if (!failed && Number.isNaN(score)) continue;
    const jitter = jitterOf(row);
    rows[count] = row;
    series[count] = seriesOf(individuals.populationNumber(row), populations);
    px[count] = x.at(individuals.generation(row)) + jitter * spread;
    if (failed) {
      places[count] = pointPlaces.failed;
      py[count] = (laneOf.get(result) ?? lastLane) + jitterOf(row + 0x5bd1e995) * (laneHeight - 6);
    } else {
      const at = y.at(score);
      places[count] = at < top ? pointPlaces.above : at > bottom ? pointPlaces.below : pointPlaces.inside;
      py[count] = Math.min(bottom - 3, Math.max(top + 3, at));
      if (places[count] === pointPlaces.inside) py[count] = at;
    }
    count++;
  }
  return {
    rows: rows.subarray(0, count),
    px: px.subarray(0, count),
    py: py.subarray(0, count),
    series: series.subarray(0, count),
    places: places.subarray(0, count),
  };
}
