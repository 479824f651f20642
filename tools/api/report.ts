// The public API as documents: one per entry of package.json, with every exported name and its declaration.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { surfacesOf, unusedIn, type Named, type Surface } from "./surface.ts";

export interface Report {
  /** From the root. */
  readonly path: string;
  readonly text: string;
  readonly surface: Surface;
  /** The program that users import, as an absolute path. */
  readonly entryFile: string;
  /** Exported types that no public signature uses. */
  readonly unused: readonly string[];
}

/** The reports of the package that is built in `root`. */
export function reportsOf(root: string): readonly Report[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly name: string;
    readonly exports: Readonly<
      Record<string, string | { readonly types?: string; readonly default?: string }>
    >;
  };
  const files = Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === "object" && target.types !== undefined && target.default !== undefined
      ? [{ entry: join(name, entry), types: join(root, target.types), entryFile: join(root, target.default) }]
      : [],
  );
  const surfaces = surfacesOf(new Map(files.map(({ entry, types }) => [entry, types])));
  const unused = unusedIn(surfaces);
  return surfaces.map((surface, index) => {
    const { entryFile = "" } = files[index] ?? {};
    const idle = unused.get(surface.entry) ?? [];
    const path = `docs/api/${surface.entry.replace(`${name}/`, "").replaceAll("/", "-")}.api.md`;
    const text = formatted(root, path, textOf(surface, idle));
    return { path, text, surface, entryFile, unused: idle };
  });
}

function textOf({ entry, exports, elsewhere, hidden }: Surface, unused: readonly string[]): string {
  return [
    `# The API of ${entry}`,
    "Written by `npm run api`. A change in this file is a change for users, and belongs into [the changelog](../../CHANGELOG.md).",
    "## Exports",
    block(exports.map((each) => declarationOf(each, "export "))),
    "## Used in signatures, and exported by another entry",
    listOf(elsewhere.map((each) => `\`${each.name}\` of \`${each.entry}\``)),
    "## Used in signatures, but not exported",
    hidden.length === 0 ? "None." : block(hidden.map((each) => declarationOf(each, ""))),
    "## Exported types that no public signature uses",
    listOf(unused.map((name) => `\`${name}\``)),
    "",
  ].join("\n\n");
}

function listOf(items: readonly string[]): string {
  return items.length === 0 ? "None." : items.map((item) => `- ${item}`).join("\n");
}

// No program: tests run every other block of TypeScript in the documents.
function block(declarations: readonly string[]): string {
  return `<!-- no-run -->\n\n\`\`\`ts\n${declarations.join("\n\n")}\n\`\`\``;
}

function declarationOf({ name, declaration, isTypeOnly }: Named, prefix: string): string {
  const { texts, isValue } = declaration;
  const note = isTypeOnly && isValue ? `// ${name}: only the type is exported.\n` : "";
  return note + texts.map((text) => `${prefix}${isDeclared(text) ? "declare " : ""}${text}`).join("\n");
}

/** Types need no `declare`; all else does, outside of a file of declarations. */
function isDeclared(text: string): boolean {
  return !/^(?:interface|type)\b/.test(text);
}

function formatted(root: string, path: string, text: string): string {
  const oxfmt = join(root, "node_modules/.bin/oxfmt");
  return execFileSync(oxfmt, ["--stdin-filepath", path], { cwd: root, input: text, encoding: "utf8" });
}
