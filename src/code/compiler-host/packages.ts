// An npm package as one module: bundled with its dependencies for a runtime that is neither Node nor a browser, from the
// node_modules that its importer sees and nowhere else. Runs in the compiler process only.
import { readFileSync, realpathSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, sep } from "node:path";
import type { Plugin } from "rolldown";
import { isOwnModuleName } from "../../model/ids.ts";
import { headline } from "./backends/rolldown.ts";
import { packageEntry } from "./package-entry.ts";
import { packageNameOf } from "../files/installed-package.ts";
import { manifestOf, marker, packageFolderOf } from "./package-folders.ts";
import { sharedPlugin } from "./shared-packages.ts";

export type BundleResult =
  | {
      readonly source: string;
      /** The package and its version. */
      readonly from: string;
      /** The package.json files of all packages that are in it. */
      readonly files: readonly string[];
    }
  | { readonly refusal: string };

/**
 * Those of runtimes like this one come before those of browsers, which may expect a document. None is of Node. Which of
 * them counts is the order in the package; "import" or "require" is added for each import.
 */
const conditions = ["workerd", "edge-light", "worker", "browser", "module", "production"];

/** What packages ask of Node or a browser without importing it. What stands behind `typeof` is replaced too. */
const replacements = {
  "process.env.NODE_ENV": '"production"',
  "process.env": "{}",
  "process.browser": "true",
  // Read by name it would be an error where it is not there, which much code does not expect.
  eval: "globalThis.eval",
  global: "globalThis",
  self: "globalThis",
};

/** What was found on the way. */
interface Notes {
  /** Files outside of their packages. */
  readonly outsiders: string[];
  /** Modules of Node that are imported, and by which file. */
  readonly builtins: { readonly name: string; readonly importer: string }[];
  readonly folders: Set<string>;
  /** Imports that are left to modules of the sandbox. */
  readonly shared: Set<string>;
  /** The text of what was asked for, where that is data. */
  data?: string;
}

/** Bundles a package as imported from the folder; refuses one that is missing or reads files outside of itself. */
export async function bundlePackage(specifier: string, root: string): Promise<BundleResult> {
  const notes: Notes = { outsiders: [], builtins: [], folders: new Set(), shared: new Set() };
  try {
    // Loaded here, as most compiler processes never bundle and would start later for it.
    const { rolldown } = await import("rolldown");
    const bundle = await rolldown({
      input: entryOf(root),
      cwd: root,
      platform: "neutral",
      resolve: {
        mainFields: ["browser", "module", "main"],
        aliasFields: [["browser"]],
        conditionNames: conditions,
        extensions: [".js", ".mjs", ".cjs", ".json", ".ts"],
      },
      transform: { define: replacements },
      onLog: () => {},
      plugins: [
        sharedPlugin({ specifier, entry: entryOf(root), shared: notes.shared }),
        builtinsPlugin(notes),
        entryPlugin(specifier, root, notes),
        insidePlugin(entryOf(root), notes),
      ],
    });
    const { output } = await bundle.generate({
      format: "esm",
      codeSplitting: false,
      comments: false,
      // Shorter without becoming unreadable: every sandbox that imports it has a copy of the text.
      minify: {
        mangle: false,
        compress: { keepNames: { function: true, class: true } },
        codegen: { removeWhitespace: true },
      },
    });
    await bundle.close();
    const [chunk] = output;
    return (
      refusalOf(chunk.imports, notes) ?? {
        source: notes.data ?? chunk.code,
        ...originOf(specifier, notes),
      }
    );
  } catch (error) {
    return refusalOf([], notes) ?? { refusal: `it must bundle: ${messageOf(error)}` };
  }
}

// The bundler gathers its errors in one that only counts them.
function messageOf(error: unknown): string {
  const { errors, message, id, loc } = error as BundleError;
  const [first] = errors ?? [];
  if (first !== undefined) return messageOf(first);
  const file = loc?.file ?? id ?? "";
  const place = file.includes(marker) ? `${shortened(file)}${loc === undefined ? "" : `:${loc.line}`}: ` : "";
  return `${place}${headline(message ?? String(error))}`;
}

interface BundleError {
  readonly errors?: readonly unknown[];
  readonly message?: string;
  readonly id?: string;
  readonly loc?: { readonly file?: string; readonly line: number };
}

function refusalOf(
  imports: readonly string[],
  { outsiders, builtins, shared }: Notes,
): { readonly refusal: string } | undefined {
  if (outsiders.length > 0) return { refusal: `it must stay inside its package: it reads ${outsiders[0]}` };
  const [builtin] = builtins;
  if (builtin !== undefined) {
    const { name, importer } = builtin;
    return {
      refusal: `it must not need modules of Node, which guests do not have: ${shortened(importer)} imports "${name}"`,
    };
  }
  const missing = imports.find((name) => !isOwnModuleName(name) && !shared.has(name));
  return missing === undefined ? undefined : { refusal: `it must bring all it needs: it imports ${missing}` };
}

// The package asked for is one of those found; what it depends on is in its bundle.
function originOf(
  specifier: string,
  { folders }: Notes,
): { readonly from: string; readonly files: readonly string[] } {
  const files = [...folders].map((folder) => join(folder, "package.json")).toSorted();
  const name = packageNameOf(specifier);
  const own = [...folders].find((folder) => folder.endsWith(`${sep}${name.split("/").join(sep)}`));
  const { version } = own === undefined ? {} : manifestOf(own);
  const isVersion = typeof version === "string" && versionForm.test(version);
  return { from: isVersion ? `${name}@${version}` : name, files };
}

// It becomes part of a comment, and is whatever the package says.
const versionForm = /^[\w.+-]{1,100}$/;

// A module of Node that the package replaces itself, or that is installed as a package of the same name, is no module of Node.
// One that is only asked for by require() may be one that the package can do without: it fails when it is asked for.
function builtinsPlugin({ builtins }: Notes): Plugin {
  return {
    name: "vivarium-builtins",
    async resolveId(source, importer = "", { kind }) {
      if (isOwnModuleName(source)) return { id: source, external: true };
      if (source.startsWith("\0") || source.startsWith(".") || source.startsWith(sep)) return undefined;
      const isNode = isBuiltin(source);
      if (!isNode && kind !== "require-call") return undefined;
      const found = source.startsWith("node:") ? null : await this.resolve(source, importer, { kind });
      if (found !== null && found.external === false) return found;
      if (kind === "require-call") return `${absentStart}${source}\n${importer}`;
      builtins.push({ name: source, importer });
      return { id: source, external: true };
    },
    load(id) {
      if (!id.startsWith(absentStart)) return undefined;
      const [name = "", importer = ""] = id.slice(absentStart.length).split("\n");
      const what = isBuiltin(name) ? "modules of Node are not there for guests" : "it is not installed";
      const message = `Cannot require "${name}" in ${shortened(importer)} as ${what}`;
      return `throw Object.assign(new Error(${JSON.stringify(message)}),{code:"MODULE_NOT_FOUND"});module.exports=null;`;
    },
  };
}

const absentStart = "\0vivarium-absent:";

function entryPlugin(specifier: string, root: string, notes: Notes): Plugin {
  const entry = entryOf(root);
  return {
    name: "vivarium-entry",
    resolveId: (id) => (id === entry ? entry : undefined),
    async load(id) {
      if (id !== entry) return undefined;
      const found = await this.resolve(specifier, entry);
      if (found === null || found.external !== false)
        return this.error(`its package.json exports no "${specifier}"`);
      // A module of such a name is read as data.
      if (specifier.endsWith(".json")) notes.data = readFileSync(found.id, "utf8");
      return packageEntry(found.id, async (name, importer) => {
        const resolved = await this.resolve(name, importer, { kind: "require-call" });
        const isFile = resolved?.external === false && !resolved.id.startsWith("\0");
        return isFile ? resolved.id : undefined;
      });
    },
  };
}

// A virtual file in the root, so that packages are resolved from there.
const entryOf = (root: string): string => join(root, "vivarium-package.js");

// A package may read only files that really are in its own folder.
function insidePlugin(entry: string, { outsiders, folders }: Notes): Plugin {
  return {
    name: "vivarium-inside",
    load(id) {
      if (id === entry || id.startsWith("\0") || !id.startsWith(sep)) return undefined;
      const folder = packageFolderOf(id);
      if (folder === undefined || !realpathSync(id).startsWith(`${realpathSync(folder)}${sep}`))
        outsiders.push(id);
      else folders.add(folder);
      return undefined;
    },
  };
}

// From its package's name on, as what lies before that is the host's.
function shortened(file: string): string {
  const at = file.lastIndexOf(marker);
  return at < 0 ? file : file.slice(at + marker.length);
}
