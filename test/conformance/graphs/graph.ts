// Module graphs as data, and their text: what each module declares, imports, re-exports and does at its top level.

/** The names that modules of a graph export; few, so that they meet. */
export const names = ["a", "b", "c", "d"] as const;

/** A module of the graph, by any number: the text takes it modulo the number of modules. */
type ModuleNumber = number;

/** A name out of those that the other module exports, by any number. `isWild`: out of all names, whether or not it has it. */
export interface Pick {
  readonly from: ModuleNumber;
  readonly pick: number;
  readonly isWild: boolean;
}

export type Item =
  | { readonly kind: "let" | "const" | "var" | "function" | "generator" | "class"; readonly name: string }
  | { readonly kind: "default"; readonly form: keyof typeof defaults }
  | { readonly kind: "alias"; readonly name: string; readonly as: string }
  | { readonly kind: "import" | "passOn"; readonly what: Pick; readonly as: string }
  | { readonly kind: "reexport"; readonly what: Pick; readonly as: string }
  | { readonly kind: "importDefault" | "importAll" | "importDefaultAndAll"; readonly from: ModuleNumber }
  | { readonly kind: "importOnly" | "star"; readonly from: ModuleNumber }
  | { readonly kind: "starAs" | "passOnAll"; readonly from: ModuleNumber; readonly as: string }
  | { readonly kind: "await"; readonly ticks: number }
  | { readonly kind: "read" }
  | { readonly kind: "throw" }
  | { readonly kind: "assign" }
  | { readonly kind: "bump"; readonly from: ModuleNumber };

export interface ModuleSpec {
  readonly items: readonly Item[];
  /** How its variables are written to, by any number. */
  readonly writing: number;
  /** Part of all its values, so that they tell which version they are of. */
  readonly version: number;
}

export type Graph = readonly ModuleSpec[];

const defaults = {
  value: (tag: string) => `export default "${tag}";`,
  function: (tag: string) => `export default function () { return "${tag}"; }`,
  named: (tag: string) => `export default function named() { return "${tag}"; }`,
  arrow: (tag: string) => `export default () => "${tag}";`,
  class: (tag: string) => `export default class { static kind = 1; tag = "${tag}"; }`,
} as const;

export const defaultForms = Object.keys(defaults) as readonly (keyof typeof defaults)[];

export const nameOf = (index: number): string => `m${index}.js`;

/** Evaluated before all others: the log, and how values are shown. */
export const logName = "log.js";
export const logSource = `
globalThis.log = [];
globalThis.probe = (read) => { try { return read(); } catch (error) { return error.name; } };
globalThis.show = (value, depth = 2) => {
  if (typeof value === "function") return value.name + ":" + (value.kind ? new value().tag : show(value(), depth));
  if (typeof value !== "object" || value === null) return String(value);
  if (typeof value.next === "function") return show(value.next().value, depth);
  const keys = Reflect.ownKeys(value).filter((key) => typeof key === "string" && !/^(peek|bump)/.test(key));
  const entries = keys.map((key) => (depth === 0 ? key : key + "=" + probe(() => show(value[key], depth - 1))));
  return Object.prototype.toString.call(value) + "{" + entries.join() + "}";
};
export const read = () => log;`;

/** The text of every module of a graph, by name. */
export function sourcesOf(graph: Graph): Record<string, string> {
  const outlines = graph.map(outlineOf);
  return Object.fromEntries(graph.map((spec, index) => [nameOf(index), textOf(spec, { index, outlines })]));
}

/** The modules that one imports, as numbers. */
export function dependenciesOf(graph: Graph, index: number): readonly number[] {
  const spec = graph[index];
  return (spec === undefined ? [] : outlineOf(spec).items).flatMap((item) => {
    const from = "from" in item ? item.from : "what" in item ? item.what.from : undefined;
    return from === undefined ? [] : [from % graph.length];
  });
}

/** What a module exports, and the modules of its stars. */
export interface Outline {
  readonly exports: ReadonlySet<string>;
  readonly stars: readonly number[];
  /** The items that do not contradict an earlier one. */
  readonly items: readonly Item[];
}

// Names are exported and declared once only: what comes later is left out.
export function outlineOf({ items }: ModuleSpec): Outline {
  const exports = new Set<string>();
  const locals = new Set<string>();
  const stars: number[] = [];
  const kept = items.filter((item) => {
    if (item.kind === "star") stars.push(item.from);
    const exported = exportedBy(item);
    if (exported !== undefined && exports.has(exported)) return false;
    if (item.kind === "alias" && !locals.has(item.name)) return false;
    if (exported !== undefined) exports.add(exported);
    if (isDeclaration(item)) locals.add(item.name);
    return true;
  });
  return { exports, stars, items: kept };
}

type Declaration = Extract<
  Item,
  { readonly kind: "let" | "const" | "var" | "function" | "generator" | "class" }
>;

function isDeclaration(item: Item): item is Declaration {
  return ["let", "const", "var", "function", "generator", "class"].includes(item.kind);
}

function exportedBy(item: Item): string | undefined {
  if (isDeclaration(item)) return item.name;
  if (item.kind === "default") return "default";
  if (item.kind === "import") return undefined;
  return "as" in item ? item.as : undefined;
}

interface Place {
  readonly index: number;
  readonly outlines: readonly Outline[];
}

function textOf({ writing, version }: ModuleSpec, { index, outlines }: Place): string {
  const { items } = outlines[index] as Outline;
  const imported: string[] = [];
  const lines = items.map((item, position) =>
    lineOf(item, { index, outlines, local: `i${position}`, version, imported }),
  );
  const declared = items.filter(isDeclaration);
  const variables = declared.filter(({ kind }) => kind === "let" || kind === "var").map(({ name }) => name);
  const shown = [...imported, ...declared.map(({ name }) => name)];
  const reads = shown.map((name) => `"${name} " + probe(() => show(${name}))`);
  return [
    `log.push("begin ${index}.${version}");`,
    ...lines.map((line) => line.replace("READS", reads.join(", "))),
    `export const tag${index} = "${index}.${version}";`,
    `export function bump${index}() { ${variables.map((name) => writeTo(name, writing)).join(" ")} }`,
    `export async function peek${index}() { return [${[...reads, ...later(items, outlines.length)].join(", ")}]; }`,
    `log.push("end ${index}.${version}");`,
  ].join("\n");
}

// A module that is imported later is the same as the one imported at first.
function later(items: readonly Item[], count: number): readonly string[] {
  return items.flatMap((item, position) =>
    item.kind === "importAll" ? [`(await import("./${nameOf(item.from % count)}")) === i${position}`] : [],
  );
}

interface LinePlace extends Place {
  readonly local: string;
  readonly version: number;
  /** Gets the local names of imports. */
  readonly imported: string[];
}

function lineOf(item: Item, place: LinePlace): string {
  const { index, outlines, local, version, imported } = place;
  const tag = (name: string): string => `${index}.${name}.${version}`;
  if (isDeclaration(item)) return declarationOf(item, tag(item.name));
  if (item.kind === "default") return defaults[item.form](tag("default"));
  if (item.kind === "alias") return `export { ${item.name} as ${item.as} };`;
  if (item.kind === "await")
    return "await null;".repeat(item.ticks) + ` log.push("go on ${index}.${version}");`;
  if (item.kind === "read") return `log.push([READS].join());`;
  if (item.kind === "throw") return `throw new RangeError("${index}.${version} after " + log.join(" "));`;
  if (item.kind === "assign") return assignmentTo(imported.at(-1));
  const from = ("what" in item ? item.what.from : item.from) % outlines.length;
  const path = `"./${nameOf(from)}"`;
  switch (item.kind) {
    case "import":
      imported.push(local);
      return `import { ${picked(item.what, outlines)} as ${local} } from ${path};`;
    case "passOn":
      imported.push(local);
      return `import { ${picked(item.what, outlines)} as ${local} } from ${path}; export { ${local} as ${item.as} };`;
    case "reexport":
      return `export { ${picked(item.what, outlines)} as ${item.as} } from ${path};`;
    case "importDefault":
      if (!outlines[from]?.exports.has("default")) return `import ${path};`;
      imported.push(local);
      return `import ${local} from ${path};`;
    case "importAll":
      imported.push(local);
      return `import * as ${local} from ${path};`;
    case "importDefaultAndAll":
      if (!outlines[from]?.exports.has("default")) return `import {} from ${path};`;
      imported.push(local, `${local}all`);
      return `import ${local}, * as ${local}all from ${path};`;
    case "importOnly":
      return `import ${path};`;
    case "star":
      return `export * from ${path};`;
    case "starAs":
      return `export * as ${item.as} from ${path};`;
    case "passOnAll":
      imported.push(local);
      return `import * as ${local} from ${path}; export { ${local} as ${item.as} };`;
    case "bump":
      return `import { bump${from} as ${local} } from ${path}; log.push(probe(() => show(${local}())));`;
  }
}

function assignmentTo(imported: string | undefined): string {
  return imported === undefined ? "" : `log.push(probe(() => { ${imported} = 1; }));`;
}

function declarationOf({ kind, name }: Declaration, tag: string): string {
  if (kind === "function") return `export function ${name}() { return "${tag}"; }`;
  if (kind === "generator") return `export function* ${name}() { yield "${tag}"; }`;
  if (kind === "class") return `export class ${name} { static kind = 1; tag = "${tag}"; }`;
  return `export ${kind} ${name} = "${tag}";`;
}

function writeTo(name: string, writing: number): string {
  const forms = [
    `${name} += "+";`,
    `[${name}] = [${name} + "+"];`,
    `({ x: ${name} } = { x: ${name} + "+" });`,
    `for (${name} of [${name} + "+"]);`,
    `(() => { ${name} = ${name} + "+"; })();`,
  ];
  return forms[writing % forms.length] as string;
}

// What another module exports, with what it re-exports by stars: some of that may be ambiguous.
export function picked({ from, pick, isWild }: Pick, outlines: readonly Outline[]): string {
  if (isWild) return names[pick % names.length] as string;
  const found = new Set<string>();
  const seen = new Set<number>();
  const queue = [from % outlines.length];
  for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
    if (seen.has(index)) continue;
    seen.add(index);
    const { exports, stars } = outlines[index] as Outline;
    for (const name of exports) if (name !== "default" || seen.size === 1) found.add(name);
    queue.push(...stars.map((star) => star % outlines.length));
  }
  const all = [...found, `tag${from % outlines.length}`];
  return all[pick % all.length] as string;
}
