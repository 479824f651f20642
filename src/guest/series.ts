// Cases of a list, called one after the other inside one entry, as an entry costs more than a short call. A series pauses when
// about a millisecond has passed, and ends with a case that is anything but a short and silent answer, so that its cell handles
// that one like a run of its own.
import { answerTags } from "../model/runs/answer-tags.ts";
import { beforeLengthMax, caseLengthMax } from "../model/runs/series-bounds.ts";
import { at, charCodeAt, create, parse, slice, stringify } from "../model/wire/intrinsics.ts";
import { fuelUp, fuelUsed, isOutOfFuel } from "./fuel.ts";
import { viewOf, type View } from "./modules.ts";
import { callListed, collect, type Answer } from "./runs.ts";

type Name = readonly [module: string, name: string];
type Case = readonly [target: number, args: unknown];

// Saved before a guest can replace it.
const { now } = Date;
const firstTag = 65;
const lastTag = 90;
const tableTag = 86;
const outOfRange = `${answerTags.thrown}["RangeError"`;

// The series that is under way, or was last. Variables, as every case reads and writes them.
let op = 0;
/** The first item is none: there are the targets. */
let cases: readonly unknown[] = [];
let targets = create(null) as Record<number, View>;
/** The fuel of each case; below zero where it is not counted. */
let fuel = -1;
let isStrict = true;
/** The case that is called next. */
let next = 1;
/** The answers before the latest, as the items of a JSON list, each followed by its fuel where that is counted. */
let before = "";
/** The answer of the latest case; empty while it is being called. */
let last: Answer = "";
/** How often the host was asked for something, and how often it had been when the latest case began. */
let asked = 0;
let askedBefore = 0;

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
export function runSeries(number: number, text: string, fuelEach: number, isStrictly: boolean): string {
  cases = parse(text) as readonly unknown[];
  const names = cases[0] as readonly Name[]; // The cell puts them first.
  targets = create(null) as Record<number, View>;
  for (let i = 0; i < names.length; i++) {
    const name = at(names, i);
    targets[i] = viewOf(name[0], name[1]);
  }
  fuel = fuelEach;
  isStrict = isStrictly;
  next = 1;
  before = "";
  last = "";
  // From here on it is this series that has begun.
  op = number;
  return goOn();
}

/** Goes on after a case whose promise is settled; where it is not, its answer is still the tag that says so. */
export function goOnWithSeries(): string {
  last = collect(op);
  return isOver(last) ? told() : goOn();
}

/**
 * How long the answers before the latest are, these answers, and the latest. After a cut the case that was being called is the
 * latest, and has no answer. An empty text where this series had not begun.
 */
export function seriesSoFar(number: number): string {
  return op === number ? told() : "";
}

function told(): string {
  return `${before.length} ${before}${last}`;
}

function goOn(): string {
  const startedMs = now();
  while (next < cases.length) {
    const each = cases[next] as Case; // The cell has it from the host.
    const target = targets[each[0]] as View; // The same.
    if (next > 1) keepLast();
    if (fuel >= 0) fuelUp(fuel);
    next++;
    askedBefore = asked;
    last = callListed(op, target, each[1]);
    if (isOver(last) || now() !== startedMs) break;
  }
  return told();
}

// The latest answer stands before that of the case that follows.
function keepLast(): void {
  const comma = next > 2 ? "," : "";
  before += comma + (typeof last === "number" ? last : stringify(last));
  if (fuel >= 0) before += `,${fuelUsed()}`;
  last = "";
}

function isOver(answer: Answer): boolean {
  if (asked !== askedBefore || (fuel >= 0 && isOutOfFuel())) return true;
  if (typeof answer === "number") return false;
  if (answer.length > caseLengthMax || before.length > beforeLengthMax) return true;
  const tag = charCodeAt(answer, 0);
  if (tag < firstTag || tag > lastTag || tag === tableTag) return false;
  // A buffer that was refused for memory: the cell looks at once.
  return isStrict || answer[0] !== answerTags.thrown || slice(answer, 0, outOfRange.length) === outOfRange;
}
