// Mutation and crossover of JavaScript and TypeScript by their syntax trees. An inserted expression uses only variables in
// scope and has the kind of value that it replaces, so that nearly every child compiles and runs.
import { listOf, parse, textOf, type Site, type Syntax, type ValueKind } from "./syntax.ts";

/** Numbers from 0 up to, not including, 1. */
export type Random = () => number;

/** What was done, in a form that fits `ancestry.mutation`. */
export interface MutationRecord {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
}

export interface Child {
  readonly source: string;
  readonly mutation: MutationRecord;
}

export interface MutationOptions {
  readonly random: Random;
  /** A longer child is not made. Default: 4,000 characters. */
  readonly lengthMax?: number;
  /** Numeric programs: every value counts as a number unless it is clearly a boolean. Default: false. */
  readonly isNumeric?: boolean;
}

const attemptsMax = 20;
const lengthMaxUsual = 4_000;

/** A changed copy; undefined where nothing could be changed. */
export function mutate(source: string, options: MutationOptions): Child | undefined {
  const syntax = parse(source);
  if (syntax === undefined) return undefined;
  return attempt(options, () => pick(operators, options.random)(syntax, options));
}

/** A copy of the mother in which one expression is the father's; undefined where none fits. */
export function cross(mother: string, father: string, options: MutationOptions): Child | undefined {
  const [hers, his] = [parse(mother), parse(father)];
  if (hers === undefined || his === undefined) return undefined;
  return attempt(options, () => {
    const site = pickOr(hers.sites, options.random);
    if (site === undefined) return undefined;
    const graft = pickOr(fitting(his.sites, site, options), options.random);
    return graft && replace(hers, site, { kind: "cross", text: grouped(textOf(father, graft.node)) });
  });
}

type Operator = (syntax: Syntax, options: MutationOptions) => Child | undefined;

const operators: readonly Operator[] = [
  changeNumber,
  swapOperator,
  swapOperator,
  copyExpression,
  copyExpression,
  useLeaf,
  wrap,
  wrap,
  negate,
  dropStatement,
  repeatStatement,
  swapStatements,
];

const alike: readonly (readonly string[])[] = [
  ["+", "-", "*", "/", "%"],
  ["<", ">", "<=", ">="],
  ["===", "!=="],
  ["&&", "||"],
];

function changeNumber(syntax: Syntax, { random }: MutationOptions): Child | undefined {
  const numbers = syntax.sites.filter(
    ({ node }) => node.type === "Literal" && typeof node["value"] === "number",
  );
  const site = pickOr(numbers, random);
  if (site === undefined) return undefined;
  const value = Number(site.node["value"]);
  const near = [
    value + 1,
    value - 1,
    value * 2,
    value / 2,
    -value,
    Math.round(value * (0.5 + random()) * 100) / 100,
  ];
  return replace(syntax, site, { kind: "number", text: numeral(pick(near, random)) });
}

function swapOperator(syntax: Syntax, { random }: MutationOptions): Child | undefined {
  const site = pickOr(
    syntax.sites.filter(
      ({ node }) => alike.some((group) => group.includes(String(node["operator"]))) && "left" in node,
    ),
    random,
  );
  if (site === undefined) return undefined;
  const operator = String(site.node["operator"]);
  const others = (alike.find((group) => group.includes(operator)) ?? []).filter(
    (other) => other !== operator,
  );
  const side = (part: "left" | "right"): string =>
    listOf(site.node[part])
      .map((node) => textOf(syntax.source, node))
      .join("");
  return replace(syntax, site, {
    kind: "operator",
    text: grouped(`${side("left")} ${pick(others, random)} ${side("right")}`),
  });
}

function copyExpression(syntax: Syntax, options: MutationOptions): Child | undefined {
  const site = pickOr(syntax.sites, options.random);
  const graft = site && pickOr(fitting(syntax.sites, site, options), options.random);
  return graft && replace(syntax, site, { kind: "copy", text: grouped(textOf(syntax.source, graft.node)) });
}

function useLeaf(syntax: Syntax, options: MutationOptions): Child | undefined {
  const site = pickOr(syntax.sites, options.random);
  if (site === undefined) return undefined;
  return replace(syntax, site, { kind: "leaf", text: leaf(site, options) });
}

function wrap(syntax: Syntax, options: MutationOptions): Child | undefined {
  const { random, isNumeric = false } = options;
  const kinds: readonly ValueKind[] = isNumeric ? ["number", "any"] : ["number"];
  const site = pickOr(
    syntax.sites.filter(({ kind }) => kinds.includes(kind)),
    random,
  );
  if (site === undefined) return undefined;
  const text = textOf(syntax.source, site.node);
  const other = leaf({ ...site, kind: "number" }, options);
  const operator = pick(["+", "-", "*", "/"], random);
  return replace(syntax, site, { kind: "wrap", text: grouped(`${grouped(text)} ${operator} ${other}`) });
}

function negate(syntax: Syntax, { random }: MutationOptions): Child | undefined {
  const site = pickOr(
    syntax.sites.filter(({ kind }) => kind === "truth"),
    random,
  );
  return (
    site && replace(syntax, site, { kind: "negate", text: `!${grouped(textOf(syntax.source, site.node))}` })
  );
}

function dropStatement(syntax: Syntax, { random }: MutationOptions): Child | undefined {
  const site = pickOr(freeStatements(syntax), random);
  return site && splice(syntax, site.node, { kind: "drop", text: "" });
}

function repeatStatement(syntax: Syntax, { random }: MutationOptions): Child | undefined {
  const site = pickOr(freeStatements(syntax), random);
  if (site === undefined) return undefined;
  const text = textOf(syntax.source, site.node);
  return splice(syntax, site.node, { kind: "repeat", text: `${text}\n${text}` });
}

function swapStatements(syntax: Syntax, { random }: MutationOptions): Child | undefined {
  const isPair = ({ next }: { readonly next: Site["node"] | undefined }): boolean =>
    next !== undefined && freeStatements(syntax).some(({ node }) => node === next);
  const site = pickOr(freeStatements(syntax).filter(isPair), random);
  if (site?.next === undefined) return undefined;
  const between = syntax.source.slice(site.node.end, site.next.start);
  const text = `${textOf(syntax.source, site.next)}${between}${textOf(syntax.source, site.node)}`;
  return splice(syntax, { start: site.node.start, end: site.next.end }, { kind: "swap", text });
}

const freeStatements = ({ statements }: Syntax): Syntax["statements"] =>
  statements.filter(({ isFree }) => isFree);

/** The expressions that fit a site: only variables in scope, and a value of its kind. */
function fitting(
  grafts: readonly Site[],
  site: Site,
  { isNumeric = false }: MutationOptions,
): readonly Site[] {
  const kindOf = ({ kind }: Site): ValueKind => (isNumeric && kind === "any" ? "number" : kind);
  return grafts.filter(
    (graft) =>
      graft.node !== site.node &&
      kindOf(graft) === kindOf(site) &&
      [...graft.uses].every((name) => site.scope.includes(name) || alwaysKnown.has(name)),
  );
}

const alwaysKnown = new Set(["Math", "Number", "Infinity"]);

function leaf({ kind, scope }: Site, { random, isNumeric = false }: MutationOptions): string {
  if (kind === "truth") return pick(["true", "false"], random);
  const isName = scope.length > 0 && (isNumeric || kind === "any") && random() < 0.6;
  return isName ? pick(scope, random) : numeral(pick([0, 1, 2, 3, 0.5, 10], random));
}

interface Change {
  readonly kind: string;
  readonly text: string;
}

function replace(syntax: Syntax, site: Site, change: Change): Child {
  return splice(syntax, site.node, change);
}

function splice(
  { source }: Syntax,
  place: { readonly start: number; readonly end: number },
  change: Change,
): Child {
  const child = `${source.slice(0, place.start)}${change.text}${source.slice(place.end)}`;
  return { source: child, mutation: { kind: change.kind, from: textOf(source, place), to: change.text } };
}

// Retries until a child parses, is not too long, and differs from its parent.
function attempt(
  { lengthMax = lengthMaxUsual }: MutationOptions,
  make: () => Child | undefined,
): Child | undefined {
  for (let left = attemptsMax; left > 0; left--) {
    const child = make();
    if (child === undefined || child.mutation.from === child.mutation.to) continue;
    if (child.source.length <= lengthMax && parse(child.source) !== undefined) return child;
  }
  return undefined;
}

const grouped = (text: string): string => (/^[\w.]+$/.test(text) ? text : `(${text})`);

const numeral = (value: number): string => (value < 0 || Object.is(value, -0) ? `(${value})` : `${value}`);

function pick<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T; // No list here is empty.
}

function pickOr<T>(list: readonly T[], random: Random): T | undefined {
  return list.length === 0 ? undefined : pick(list, random);
}
