// Whether a graph can be linked by the words of the specification (ResolveExport). V8 refuses some that can: a name that is
// found through one star while another star leads in a circle, https://github.com/tc39/test262/issues/3884.
import { outlineOf, picked, type Graph, type Item, type Outline } from "./graph.ts";

type Named = readonly [module: number, name: string];

interface Entries {
  /** By exported name: the variable. */
  readonly own: ReadonlyMap<string, string>;
  readonly indirect: ReadonlyMap<string, Named>;
  readonly stars: readonly number[];
  readonly imports: readonly Named[];
}

export function isLinkable(graph: Graph): boolean {
  const outlines = graph.map(outlineOf);
  const modules = outlines.map((outline, index) => entriesOf(outline, index, outlines));
  const resolves = (named: Named): boolean => {
    const found = resolve(modules, named, new Set());
    return found !== null && found !== ambiguous;
  };
  return modules.every(({ imports, indirect }) => [...imports, ...indirect.values()].every(resolves));
}

const ambiguous = "two variables";

function resolve(modules: readonly Entries[], [index, name]: Named, seen: Set<string>): string | null {
  if (seen.has(`${index} ${name}`)) return null;
  seen.add(`${index} ${name}`);
  const { own, indirect, stars } = modules[index] as Entries;
  const variable = own.get(name);
  if (variable !== undefined) return variable;
  const from = indirect.get(name);
  if (from !== undefined) return resolve(modules, from, seen);
  if (name === "default") return null;
  let found: string | null = null;
  for (const star of stars) {
    const next = resolve(modules, [star, name], seen);
    if (next === ambiguous) return next;
    if (next === null) continue;
    if (found !== null && next !== found) return ambiguous;
    found = next;
  }
  return found;
}

function entriesOf({ items, stars }: Outline, index: number, outlines: readonly Outline[]): Entries {
  const own = new Map(["tag", "bump", "peek"].map((name) => [name + index, `${index} ${name}`]));
  const indirect = new Map<string, Named>();
  const imports: Named[] = [];
  const add = (item: Item): void => {
    if (item.kind === "default") own.set("default", `${index} default`);
    else if (item.kind === "alias") own.set(item.as, `${index} ${item.name}`);
    else if ("name" in item) own.set(item.name, `${index} ${item.name}`);
    else if ("what" in item) {
      const named: Named = [item.what.from % outlines.length, picked(item.what, outlines)];
      if (item.kind === "import") imports.push(named);
      else indirect.set(item.as, named);
    } else if ("from" in item) {
      const from = item.from % outlines.length;
      if (item.kind === "starAs" || item.kind === "passOnAll") own.set(item.as, `${from} as a namespace`);
      if (item.kind === "bump") imports.push([from, `bump${from}`]);
    }
  };
  items.forEach(add);
  return { own, indirect, stars: stars.map((star) => star % outlines.length), imports };
}
