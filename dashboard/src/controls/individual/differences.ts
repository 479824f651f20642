// Why an individual is better or worse than another one, in words: from scores, components and tests.
import type { TestResult } from "../../../../src/model/fitness.ts";
import { dataText, numberText, oneLine } from "../../text.ts";

export type Direction = "maximise" | "minimise";
export type Verdict = "better" | "worse" | "same" | "unknown";

/** What is compared of an individual. */
export interface Compared {
  /** Null or NaN where there is none. */
  readonly score: number | null;
  readonly result: string;
  readonly components: Readonly<Record<string, number>>;
  /** Null where they are not known. */
  readonly tests: readonly TestResult[] | null;
}

const known = (value: number | null | undefined): number | null =>
  value === undefined || value === null || Number.isNaN(value) ? null : value;

export function verdictOf(score: number | null, before: number | null, direction: Direction): Verdict {
  const [now, then] = [known(score), known(before)];
  if (now === null || then === null) return "unknown";
  if (now === then) return "same";
  return now > then === (direction === "maximise") ? "better" : "worse";
}

/** `0.31 lower than its parent: better`. */
export function scoreWords(
  score: number | null,
  before: number | null,
  { direction, than = "its parent" }: { readonly direction: Direction; readonly than?: string },
): string {
  const [now, then] = [known(score), known(before)];
  if (now === null) return "no score";
  if (then === null) return `the score of ${than} is unknown`;
  if (now === then) return `the same as ${than}`;
  const verdict = verdictOf(now, then, direction);
  return `${numberText(Math.abs(now - then))} ${now < then ? "lower" : "higher"} than ${than}: ${verdict}`;
}

export interface ComponentRow {
  readonly name: string;
  /** Null where it has none. */
  readonly value: number | null;
  readonly before: number | null;
  readonly difference: number | null;
}

export function componentRows(
  own: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>> = {},
): readonly ComponentRow[] {
  const at = (components: Readonly<Record<string, number>>, name: string): number | null =>
    Object.hasOwn(components, name) ? known(components[name]) : null;
  return [...new Set([...Object.keys(own), ...Object.keys(before)])].map((name) => {
    const [value, then] = [at(own, name), at(before, name)];
    return { name, value, before: then, difference: value === null || then === null ? null : value - then };
  });
}

export function signedText(value: number | null): string {
  if (value === null) return numberText(null);
  return value === 0 ? "±0" : `${value > 0 ? "+" : "−"}${numberText(Math.abs(value))}`;
}

/** Names of tests that passed on one side only. */
export function testChanges(
  own: readonly TestResult[],
  before: readonly TestResult[],
): { readonly fixed: readonly string[]; readonly broken: readonly string[] } {
  const then = new Map(before.map(({ name, passed }) => [name, passed]));
  const turned = (passed: boolean): readonly string[] =>
    own.filter((test) => test.passed === passed && then.get(test.name) === !passed).map(({ name }) => name);
  return { fixed: turned(true), broken: turned(false) };
}

const namedMax = 3;

/** `Score 4.21 → 3.97 (lower is better): 2 more tests pass; fit 4.2 → 3.9`. */
export function sentenceOf(own: Compared, before: Compared | null, direction: Direction): string {
  const rule = `${direction === "maximise" ? "higher" : "lower"} is better`;
  const score = known(own.score);
  if (before === null)
    return score === null ? `${resultWords(own)}.` : `The beginning: score ${numberText(score)} (${rule}).`;
  const reasons = [...testReasons(own, before), ...componentReasons(own, before)];
  const scoreBefore = known(before.score);
  const words = headWords({ score, scoreBefore, rule, own });
  return `${words}${reasons.length === 0 ? "" : `: ${reasons.join("; ")}`}.`;
}

interface Head {
  readonly score: number | null;
  readonly scoreBefore: number | null;
  readonly rule: string;
  readonly own: Compared;
}

function headWords({ score, scoreBefore, rule, own }: Head): string {
  if (score === null) return resultWords(own);
  if (scoreBefore === null) return `Score ${numberText(score)} (${rule}); the one before has none`;
  if (score === scoreBefore) return `The same score ${numberText(score)} (${rule})`;
  const [from, to] = [numberText(scoreBefore), numberText(score)];
  // Figures that differ by less than is shown of them.
  if (from === to) return `Score ${to}, ${signedText(score - scoreBefore)} (${rule})`;
  return `Score ${from} → ${to} (${rule})`;
}

function resultWords({ result }: Compared): string {
  return result === "none" ? "Not evaluated yet" : `No score: ${oneLine(result, 60)}`;
}

function testReasons(own: Compared, before: Compared): readonly string[] {
  if (own.tests === null || before.tests === null) return [];
  const { fixed, broken } = testChanges(own.tests, before.tests);
  return [
    ...(fixed.length === 0
      ? []
      : [`${fixed.length} more ${fixed.length === 1 ? "test passes" : "tests pass"}${namesOf(fixed)}`]),
    ...(broken.length === 0
      ? []
      : [
          `${broken.length} ${broken.length === 1 ? "test fails" : "tests fail"} that passed before${namesOf(broken)}`,
        ]),
  ];
}

function namesOf(names: readonly string[]): string {
  if (names.length > namedMax) return "";
  return ` (${names.map((name) => oneLine(name.trim(), 40)).join(", ")})`;
}

// Those that changed most of their size come first.
function componentReasons(own: Compared, before: Compared): readonly string[] {
  const share = ({ difference, before: then }: ComponentRow): number =>
    Math.abs(difference ?? 0) / Math.max(1e-9, Math.abs(then ?? 0));
  const changed = componentRows(own.components, before.components)
    .filter(({ difference }) => difference !== null && difference !== 0)
    .sort((one, other) => share(other) - share(one));
  const named = changed
    .slice(0, namedMax)
    .map(
      ({ name, value, before: then }) => `${oneLine(name, 40)} ${numberText(then)} → ${numberText(value)}`,
    );
  const more = changed.length - named.length;
  return more > 0 ? [...named, `${more} more ${more === 1 ? "component" : "components"} changed`] : named;
}

export interface MutationRecord {
  /** In a few words. */
  readonly short: string;
  /** What it says by names; null where it is no record. */
  readonly rows: readonly { readonly key: string; readonly text: string }[] | null;
  /** All of it as JSON, to be shown where there are no rows. */
  readonly whole: string;
}

const rowsMax = 50;
const valueMax = 500;

/** What is known of how an individual came about; null where nothing is. */
export function mutationOf(mutation: unknown): MutationRecord | null {
  if (mutation === null || mutation === undefined) return null;
  const whole = dataText(mutation, valueMax);
  if (typeof mutation !== "object" || Array.isArray(mutation))
    return { short: dataText(mutation, 80), rows: null, whole };
  const entries = Object.entries(mutation);
  const rows = entries
    .slice(0, rowsMax)
    .map(([key, value]) => ({ key: oneLine(key, 80), text: dataText(value, valueMax) }));
  if (entries.length > rowsMax) rows.push({ key: "…", text: `${entries.length - rowsMax} more` });
  const named = entries.find(([key]) => ["operator", "kind", "type", "name"].includes(key)) ?? entries[0];
  return { short: named === undefined ? "nothing said" : dataText(named[1], 80), rows, whole };
}
