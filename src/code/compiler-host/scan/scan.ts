// The scan of one module before anyone loads it: what it imports and what its code reaches for, each with its line in the
// guest's own source. It is advice for the gate and never the wall. Runs in the compiler process only.
import type { ParseResult } from "rolldown/utils";
import {
  findingsMax,
  findingTable,
  whatLengthMax,
  type Finding,
  type FindingName,
} from "../../../model/finding.ts";
import { isOutside, telltale } from "./names.ts";
import { SourceMapIndex, type Place } from "../../stacks/source-map.ts";
import { scanTree, type Report } from "./tree.ts";

/** JavaScript that has parsed, and the way back to its source. */
export interface Scanned {
  readonly code: string;
  readonly parsed: ParseResult;
  readonly map: string;
}

/** A module longer than this is uncommonly large. */
const codeLengthUsual = 512 * 2 ** 10;

interface Seen {
  readonly rule: FindingName;
  readonly what: string;
  readonly offset: number;
  count: number;
}

/** Everything that is worth a look in a module, blocked things first. */
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
  if (code.length > codeLengthUsual) report("size", `${code.length} characters`, 0);
  if (telltale.test(code)) scanTree(parsed.program, report);
  return seen.size === 0 ? [] : toFindings([...seen.values()], code, map);
}

function scanImports(code: string, { module }: ParseResult, report: Report): void {
  const { staticImports, staticExports, dynamicImports, importMetas } = module;
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

function toFindings(seen: readonly Seen[], code: string, map: string): Finding[] {
  const order = seen.toSorted((a, b) => weightOf(a) - weightOf(b) || a.offset - b.offset);
  const kept = order.slice(0, findingsMax - 1);
  const rest = order.length - kept.length;
  if (rest > 0)
    kept.push({ rule: "too-many", what: `${rest} more`, offset: kept.at(-1)?.offset ?? 0, count: 1 });
  const index = new SourceMapIndex(map);
  const starts = lineStartsOf(code);
  return kept.map(({ rule, what, offset, count }) => {
    const { line, column } = index.find(placeAt(starts, offset)) ?? { line: 1, column: 1 };
    return { rule, what, line, column, count };
  });
}

const weightOf = ({ rule }: Seen): number => weights[findingTable[rule].level];

function lineStartsOf(code: string): number[] {
  const starts = [0];
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function placeAt(starts: readonly number[], offset: number): Place {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return { line: low, column: offset - (starts[low - 1] ?? 0) + 1 };
}
