// The scan of one module before it is loaded: its imports and the suspicious parts of its code, each with its line in the
// guest's own source. It informs the gate and is no security boundary. Runs in the compiler process only.
import type { ParseResult } from "rolldown/utils";
import {
  findingsMax,
  findingTable,
  whatLengthMax,
  type Finding,
  type FindingName,
} from "../../../model/code/finding.ts";
import { isOutside, mayHaveFindings } from "./names.ts";
import { SourceMapIndex, type Position } from "../../stacks/source-map.ts";
import { scanTree, type Report } from "./tree.ts";

/** Parsed JavaScript, and the source map to its source. */
export interface Scanned {
  readonly code: string;
  readonly parsed: ParseResult;
  /** Undefined where the source is JavaScript. */
  readonly map: string | undefined;
}

/** A module longer than this is uncommonly large. */
const codeLengthUsual = 512 * 2 ** 10;

interface Seen {
  readonly rule: FindingName;
  readonly what: string;
  readonly offset: number;
  count: number;
}

/** The findings of a module, blocked ones first. */
export function scanModule({ code, parsed, map }: Scanned): readonly Finding[] {
  const seen = new Map<string, Seen>();
  const report: Report = (rule, what, offset) => {
    const shown = what.slice(0, whatLengthMax);
    const key = `${rule} ${shown}`;
    const known = seen.get(key);
    if (known !== undefined) known.count++;
    else seen.set(key, { rule, what: shown, offset, count: 1 });
  };
  scanImports(code, parsed, report);
  const length = code.length > codeLengthUsual ? lengthWithoutComments(code, parsed) : code.length;
  if (length > codeLengthUsual) report("size", `${length} characters`, 0);
  if (mayHaveFindings.test(code)) scanTree(parsed.program, report);
  return seen.size === 0 ? [] : toFindings([...seen.values()], code, map);
}

function lengthWithoutComments(code: string, { comments }: ParseResult): number {
  return comments.reduce((length, { start, end }) => length - (end - start), code.length);
}

// No keyword can be written with escapes: without these there is nothing to read, which the parser would have to copy first.
const mayImport = /import|from/;

function scanImports(code: string, parsed: ParseResult, report: Report): void {
  if (!mayImport.test(code)) return;
  const { staticImports, staticExports, dynamicImports, importMetas } = parsed.module;
  const requests = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest)),
  ].filter((request) => request !== null);
  for (const { value, start } of requests) reportImport(value, start, report);
  for (const { moduleRequest } of dynamicImports) {
    const { start, end } = moduleRequest;
    const [, text] =
      /^(?:"([^"\\]*)"|'([^'\\]*)'|`([^`\\$]*)`)$/.exec(code.slice(start, end))?.filter(isText) ?? [];
    if (text === undefined) report("import-computed", code.slice(start, end), start);
    else reportImport(text, start, report);
  }
  for (const { start } of importMetas) report("import-meta", "import.meta", start);
}

const isText = (value: unknown): boolean => typeof value === "string";

function reportImport(specifier: string, offset: number, report: Report): void {
  if (isOutside(specifier)) report("import-builtin", specifier, offset);
  else if (!specifier.startsWith("./") && !specifier.startsWith("../")) report("import", specifier, offset);
}

const weights = { blocked: 0, suspicious: 1, plain: 2 } as const;

function toFindings(seen: readonly Seen[], code: string, map: string | undefined): Finding[] {
  const order = seen.toSorted((a, b) => weightOf(a) - weightOf(b) || a.offset - b.offset);
  const reported = order.slice(0, findingsMax - 1);
  const rest = order.length - reported.length;
  if (rest > 0)
    reported.push({ rule: "too-many", what: `${rest} more`, offset: reported.at(-1)?.offset ?? 0, count: 1 });
  const index = map === undefined ? undefined : new SourceMapIndex(map);
  const starts = lineStartsOf(code);
  return reported.map(({ rule, what, offset, count }) => {
    const place = positionAt(starts, offset);
    const { line, column } = index === undefined ? place : (index.find(place) ?? { line: 1, column: 1 });
    return { rule, what, line, column, count };
  });
}

const weightOf = ({ rule }: Seen): number => weights[findingTable[rule].level];

function lineStartsOf(code: string): number[] {
  const starts = [0];
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function positionAt(starts: readonly number[], offset: number): Position {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return { line: low, column: offset - (starts[low - 1] ?? 0) + 1 };
}
