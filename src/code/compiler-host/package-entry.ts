// The module that stands for a package: it exports what the package does, also where that is CommonJS, which has no list of
// exports. Names are then found by reading the code; a package is never run for them.
import { readFileSync } from "node:fs";
import { parseSync } from "rolldown/utils";
import { commonJsNames, type CommonJsNames } from "./common-js-names.ts";

/** The file of a require(), where there is one. */
export type ResolveRequire = (name: string, importer: string) => Promise<string | undefined>;

/** How many files are read for names, and how many names there may be. */
const filesMax = 64;
const namesMax = 4_000;

/** The source of the module for a package whose entry is this file. */
export async function packageEntry(file: string, resolve: ResolveRequire): Promise<string> {
  const name = JSON.stringify(file);
  if (file.endsWith(".json")) return `export { default } from ${name};\n`;
  const { module } = parse(file);
  if (module.hasModuleSyntax) {
    const hasDefault = module.staticExports.some(({ entries }) =>
      entries.some(({ exportName }) => exportName.kind === "Default" || exportName.name === "default"),
    );
    return `export * from ${name};\n${hasDefault ? `export { default } from ${name};\n` : ""}`;
  }
  const names = await namesOf(file, resolve);
  const variables = names.map((_, i) => `v${i} = all?.${names[i]}`);
  return [
    `const all = require(${name});`,
    // What was compiled from a module has its default export beside the others.
    `const isCompiled = all !== null && typeof all === "object" && all.__esModule === true && "default" in all;`,
    `export default isCompiled ? all.default : all;`,
    ...(names.length === 0 ? [] : [`const ${variables.join(", ")};`]),
    `export { ${names.map((exported, i) => `v${i} as ${exported}`).join(", ")} };`,
  ].join("\n");
}

// What the files say that its exports are made of; where they say nothing, every property that is set anywhere in them.
async function namesOf(entry: string, resolve: ResolveRequire): Promise<string[]> {
  const read = new Map<string, CommonJsNames>();
  const follow = async (
    file: string,
    nextOf: (names: CommonJsNames) => Iterable<string>,
    found: Set<string>,
  ): Promise<Set<string>> => {
    if (found.has(file) || found.size >= filesMax || !/\.(?:c?js)$/.test(file)) return found;
    found.add(file);
    const names = read.get(file) ?? commonJsNames(parse(file).program);
    read.set(file, names);
    for (const required of nextOf(names)) {
      const next = await resolve(required, file);
      if (next !== undefined) await follow(next, nextOf, found);
    }
    return found;
  };
  const all = (files: Iterable<string>, of: "exported" | "assigned"): Set<string> =>
    new Set([...files].flatMap((file) => [...(read.get(file)?.[of] ?? [])]));
  const exported = all(await follow(entry, ({ reexported }) => reexported, new Set()), "exported");
  const names =
    exported.size > 0
      ? exported
      : all(await follow(entry, ({ required }) => required, new Set()), "assigned");
  return [...names].filter((name) => isExportable(name)).slice(0, namesMax);
}

const notExported = new Set(["default", "prototype", "exports"]);
const isExportable = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name) && !notExported.has(name);

/** The syntax tree of a file. */
export function parse(file: string): ReturnType<typeof parseSync> {
  return parseSync(file, readFileSync(file, "utf8"), { sourceType: "unambiguous" });
}
