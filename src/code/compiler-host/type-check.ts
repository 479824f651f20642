// Type checking, where TypeScript 7 is installed beside vivarium. Runs in the compiler process only, on virtual files: a
// source cannot refer to files of the machine.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Diagnostic } from "../../model/code/diagnostic.ts";
import { codeFrame, positionAt } from "./code-frame.ts";

export type TypeCheckResult = { readonly diagnostics: readonly Diagnostic[] } | { readonly refusal: string };

const folder = "/modules";
const configFile = `${folder}/tsconfig.json`;
const globalsFile = `${folder}/vivarium-globals.d.ts`;

const config = JSON.stringify({
  compilerOptions: {
    strict: true,
    target: "esnext",
    module: "preserve",
    moduleResolution: "bundler",
    lib: ["esnext"],
    types: [],
    noEmit: true,
    allowJs: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    jsx: "preserve",
  },
  include: ["**/*"],
});

/** The text of src/guest/ambient.d.ts, inserted by the build. */
declare const GUEST_AMBIENT_TEXT: string;

// What the runtime itself provides: of its types a check of modules alone knows nothing.
const ownModules = ["vivarium/guest", "vivarium/capabilities"]
  .map((name) => `declare module "${name}";\n`)
  .join("");

/** Checks the types of modules that may import each other. */
export async function checkTypes(modules: Readonly<Record<string, string>>): Promise<TypeCheckResult> {
  const typescript = await import("typescript/unstable/sync").catch(() => undefined);
  if (typescript === undefined)
    return { refusal: "TypeScript 7 must be installed beside vivarium: npm install typescript" };
  const names = new Map(Object.keys(modules).map((name) => [fileOf(name), name]));
  const files = new Map(Object.entries(modules).map(([name, source]) => [fileOf(name), encodable(source)]));
  files.set(configFile, config).set(globalsFile, `${GUEST_AMBIENT_TEXT}${ownModules}`);
  const api = new typescript.API({ cwd: folder, fs: closedFileSystem(files, libraryPrefixes()) });
  try {
    const [project] = api.updateSnapshot({ openProjects: [configFile] }).getProjects();
    if (project === undefined) return { refusal: "TypeScript must be able to open the modules: it was not" };
    const { program } = project;
    const found = [...program.getSyntacticDiagnostics(), ...program.getSemanticDiagnostics()];
    return { diagnostics: found.flatMap((entry) => toDiagnostic(entry, names, files)) };
  } finally {
    api.close();
  }
}

// Half of a pair of surrogates, which UTF-8 does not have, would end the checker. A unit for private use takes its place: a text
// with the usual replacement character passes for no text.
function encodable(source: string): string {
  return source.isWellFormed() ? source : source.replaceAll(/\p{Surrogate}/gu, "\ue000");
}

function fileOf(name: string): string {
  return `${folder}/${/\.(?:[cm]?[jt]sx?|json)$/.test(name) ? name : `${name}.tsx`}`;
}

interface FoundDiagnostic {
  readonly fileName?: string | undefined;
  readonly pos: number;
  readonly text: string;
  readonly code: number;
}

function toDiagnostic(
  found: FoundDiagnostic,
  names: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, string>,
): Diagnostic[] {
  const module = names.get(found.fileName ?? "");
  const source = files.get(found.fileName ?? "");
  if (module === undefined || source === undefined) return [];
  const position = positionAt(source, found.pos);
  const message = `${found.text} (TS${found.code})`;
  return [{ severity: "error", message, module, ...position, frame: codeFrame(source, position) }];
}

// The path prefixes of TypeScript's own library: files beside its binary, or bundled in it.
function libraryPrefixes(): readonly string[] {
  const platform = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
  try {
    const found = createRequire(import.meta.resolve("typescript/unstable/sync")).resolve(platform);
    return ["bundled:", join(dirname(found), "lib", "lib.")];
  } catch {
    return ["bundled:"];
  }
}

// Only the modules and TypeScript's own library exist here. Null means missing; undefined falls back to the real file.
function closedFileSystem(files: ReadonlyMap<string, string>, library: readonly string[]): object {
  const isBundled = (path: string): boolean => library.some((prefix) => path.startsWith(prefix));
  const folders = new Set([...files.keys()].flatMap((file) => parentsOf(file)));
  return {
    readFile: (path: string) => files.get(path) ?? (isBundled(path) ? undefined : null),
    fileExists: (path: string) => files.has(path) || (isBundled(path) ? undefined : false),
    directoryExists: (path: string) => folders.has(path) || (isBundled(path) ? undefined : false),
    realpath: (path: string) => path,
    getAccessibleEntries: (path: string) => {
      const inside = (candidate: string): boolean => candidate.slice(0, candidate.lastIndexOf("/")) === path;
      const nameOf = (candidate: string): string => candidate.slice(candidate.lastIndexOf("/") + 1);
      return {
        files: [...files.keys()].filter(inside).map(nameOf),
        directories: [...folders].filter(inside).map(nameOf),
      };
    },
  };
}

function parentsOf(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/") || "/");
}
