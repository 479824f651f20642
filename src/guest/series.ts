// Cases of a list, called one after the other inside one entry, as an entry costs more than a short call. A series pauses when
// about a millisecond has passed, and ends with a case that is anything but a short and silent answer, so that its cell handles
// that one like a run of its own.
import { answerTags } from "../model/runs/answer-tags.ts";
import { beforeLengthMax, caseLengthMax } from "../model/runs/series-bounds.ts";
import { at, charCodeAt, create, parse, slice, stringify } from "../model/wire/intrinsics.ts";
import { fuelUp, fuelUsed, isOutOfFuel } from "./fuel.ts";
import { viewOf } from "./modules.ts";
import { callListed, collect, type Answer, type Target } from "./runs.ts";

type Name = readonly [module: string, name: string];
type Case = readonly [target: number, args: unknown];

interface Series {
  readonly op: number;
  /** The first item is none: there are the targets. */
  readonly cases: readonly unknown[];
  readonly targets: Record<number, Target>;
  /** The fuel of each case; below zero where it is not counted. */
  readonly fuel: number;
  readonly isStrict: boolean;
  /** The case that is called next. */
  next: number;
  /** How often the host had been asked for something when the latest case began. */
  asked: number;
  /** The answers before the latest, as the items of a JSON list, each followed by its fuel where that is counted. */
  before: string;
  /** The answer of the latest case; empty while it is being called. */
  last: Answer;
}

// Saved before a guest can replace it.
const { now } = Date;
const firstTag = 65;
const lastTag = 90;
const tableTag = 86;
const outOfRange = `${answerTags.thrown}["RangeError"`;

let asked = 0;
let series: Series = {
  op: 0,
  cases: [],
  targets: create(null) as Record<number, Target>,
  fuel: -1,
  isStrict: true,
  next: 1,
  asked: 0,
  before: "",
  last: "",
};

/** As `ask`, a function of the cell: a case that calls it is the last of its series. */
export function ending<F extends (a: never, b: never, c: never) => unknown>(ask: F): F {
  const noted = (a: never, b: never, c: never): unknown => {
    asked++;
    return ask(a, b, c);
  };
  // It takes and gives the same.
  return noted as F;
}

/** Calls the cases of a list, for about a millisecond; returns as `seriesSoFar`. */
// oxlint-disable-next-line max-params -- what crosses are primitives
export function runSeries(op: number, text: string, fuel: number, isStrict: boolean): string {
  const cases = parse(text) as readonly unknown[];
  const names = cases[0] as readonly Name[]; // The cell puts them first.
  const targets = create(null) as Record<number, Target>;
  for (let i = 0; i < names.length; i++) {
    const name = at(names, i);
    targets[i] = { module: name[0], name: name[1], view: viewOf(name[0]) };
  }
  series = { op, cases, targets, fuel, isStrict, next: 1, asked, before: "", last: "" };
  return goOn();
}

/** Goes on after a case whose promise is settled; where it is not, its answer is still the tag that says so. */
export function goOnWithSeries(): string {
  series.last = collect(series.op);
  return isOver(series.last) ? told() : goOn();
}

/**
 * How long the answers before the latest are, these answers, and the latest. After a cut the case that was being called is the
 * latest, and has no answer. An empty text where this series had not begun.
 */
export function seriesSoFar(op: number): string {
  return series.op === op ? told() : "";
}

function told(): string {
  const { before, last } = series;
  return `${before.length} ${before}${last}`;
}

function goOn(): string {
  const startedMs = now();
  const { op, cases, targets } = series;
  while (series.next < cases.length) {
    const each = cases[series.next] as Case; // The cell has it from the host.
    begin();
    const target = targets[each[0]] as Target; // The same.
    series.last = callListed(op, target, each[1]);
    if (isOver(series.last) || now() !== startedMs) break;
  }
  return told();
}

function begin(): void {
  const { next, last, fuel } = series;
  if (next > 1) {
    const answer = typeof last === "number" ? last : stringify(last);
    series.before += `${next > 2 ? "," : ""}${answer}${fuel < 0 ? "" : `,${fuelUsed()}`}`;
  }
  if (fuel >= 0) fuelUp(fuel);
  series.last = "";
  series.asked = asked;
  series.next++;
}

function isOver(answer: Answer): boolean {
  if (asked !== series.asked || series.before.length > beforeLengthMax) return true;
  if (series.fuel >= 0 && isOutOfFuel()) return true;
  if (typeof answer === "number") return false;
  if (answer.length > caseLengthMax) return true;
  const tag = charCodeAt(answer, 0);
  if (tag < firstTag || tag > lastTag || tag === tableTag) return false;
  // A buffer that was refused for memory: the cell looks at once.
  return (
    series.isStrict || answer[0] !== answerTags.thrown || slice(answer, 0, outOfRange.length) === outOfRange
  );
}
