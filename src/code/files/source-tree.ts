// Modules from files: an entry and everything it imports by relative paths, never outside its root. The paths are the
// user's, but the sources are a guest's and are parsed by the compiler process only.
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { LoadError, VivariumError } from "../../model/errors.ts";
import { isOwnModuleName } from "../../model/ids.ts";
import { show } from "../../model/show.ts";
import type { Artifact } from "../modules/artifact.ts";
import { readSource } from "./source-file.ts";

/** A set of modules read from a folder. */
export interface SourceTree {
  /** The requested path. */
  readonly path: string;
  readonly root: string;
  /** The name of the entry module. */
  readonly entry: string;
  readonly modules: ReadonlyMap<string, Artifact>;
  /** The file that each module was read from. */
  readonly files: ReadonlyMap<string, string>;
}

/** From where a package is imported. */
export interface PackageImport {
  readonly root: string;
  /** Another package imports it, and not a file of the tree. */
  readonly isShared: boolean;
}

export interface TreeParts {
  /** Compiles one module; rejects with a `LoadError`. */
  readonly compile: (name: string, source: string) => Promise<Artifact>;
  /** The artifact of an npm package, where importing it is allowed; rejects with a `LoadError` where it is not. */
  readonly compilePackage: (specifier: string, from: PackageImport) => Promise<Artifact>;
}

const extensions = [".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".json"];
const entryNames = ["index", "main"];
const filesMax = 10_000;
const packageBytesMax = 2 ** 20;

/** Reads a file with what it imports, or a folder from its entry. */
export async function readTree(path: string, parts: TreeParts): Promise<SourceTree> {
  const real = await realOf(path);
  const isFolder = (await stat(real)).isDirectory();
  const root = isFolder ? real : dirname(real);
  const entry = isFolder ? await entryOf(root) : real;
  const reader = new TreeReader(root, parts);
  await reader.read(entry);
  return { path: real, root, entry: moduleNameOf(root, entry), modules: reader.modules, files: reader.files };
}

/** The name of a file's module: its path from the root, without the extension of a source. */
function moduleNameOf(root: string, file: string): string {
  const path = relative(root, file).split(sep).join("/");
  return path.endsWith(".json") ? path : path.slice(0, path.length - extname(path).length);
}

class TreeReader {
  readonly modules = new Map<string, Artifact>();
  readonly files = new Map<string, string>();
  readonly #root: string;
  readonly #parts: TreeParts;
  readonly #packages = new Set<string>();

  constructor(root: string, parts: TreeParts) {
    this.#root = root;
    this.#parts = parts;
  }

  /** Reads a file and, level by level, what it imports. */
  async read(entry: string): Promise<void> {
    let level = [entry];
    while (level.length > 0) level = (await Promise.all(level.map((file) => this.#readOne(file)))).flat();
  }

  async #readOne(file: string): Promise<string[]> {
    const name = moduleNameOf(this.#root, file);
    const known = this.files.get(name);
    if (known === file) return [];
    if (known !== undefined)
      throw linkError(
        `Cannot tell modules ${show(known)} and ${show(file)} apart as both are named ${show(name)}`,
      );
    if (isOwnModuleName(name))
      throw linkError(
        `Cannot read ${show(file)} as its module must not be named as the runtime's own: it is named ${show(name)}`,
      );
    if (this.files.size >= filesMax)
      throw linkError(`Cannot read ${show(this.#root)} as it must have at most ${filesMax} modules`);
    this.files.set(name, file);
    const fileName = extname(file) === ".json" ? name : `${name}${extname(file)}`;
    const artifact = await this.#parts.compile(fileName, await readSource(file, fileName));
    if (this.#packages.has(name)) throw ambiguous(name, file);
    this.modules.set(name, artifact);
    const next: string[] = [];
    for (const specifier of [...artifact.imports, ...artifact.dynamicImports]) {
      const found = await this.#resolve(specifier, file);
      if (found !== undefined) next.push(found);
    }
    return next;
  }

  // The file of an import; undefined for a package, which is a module of its own name.
  async #resolve(specifier: string, importer: string): Promise<string | undefined> {
    // What the runtime has itself is no file and no package; where it has no such module, linking says so.
    if (isOwnModuleName(specifier)) return undefined;
    const isRelative = specifier.startsWith("./") || specifier.startsWith("../");
    if (!isRelative) {
      if (isAbsolute(specifier) || /^[a-z][a-z0-9+.-]*:/i.test(specifier))
        throw outside(specifier, importer, this.#root);
      await this.#readPackage(specifier);
      return undefined;
    }
    const file = await findFile(resolve(dirname(importer), specifier));
    if (file === undefined)
      throw linkError(
        `Cannot import ${show(specifier)} into ${show(relative(this.#root, importer))} as there is no such file`,
      );
    if (!isInside(this.#root, await realpath(file))) throw outside(specifier, importer, this.#root);
    return file;
  }

  // A package is a module named as it is imported; a file of the same name would be confused with it.
  async #readPackage(specifier: string, isShared = false): Promise<void> {
    if (this.#packages.has(specifier)) return;
    this.#packages.add(specifier);
    const artifact = await this.#parts.compilePackage(specifier, { root: this.#root, isShared });
    const file = this.files.get(specifier);
    if (file !== undefined) throw ambiguous(specifier, file);
    this.modules.set(specifier, artifact);
    for (const shared of artifact.imports)
      if (!isOwnModuleName(shared)) await this.#readPackage(shared, true);
  }
}

function ambiguous(name: string, file: string): LoadError {
  return linkError(
    `Cannot tell package ${show(name)} and file ${show(file)} apart as both are named ${show(name)}`,
  );
}

/** The file of an import without its extension, with that of another language, or of a folder's index. */
async function findFile(path: string): Promise<string | undefined> {
  const stem = path.slice(0, path.length - extname(path).length);
  const candidates = [
    path,
    ...extensions.map((extension) => `${path}${extension}`),
    ...(/\.[cm]?jsx?$/.test(path) ? [".ts", ".tsx", ".mts"].map((extension) => `${stem}${extension}`) : []),
    ...extensions.map((extension) => join(path, `index${extension}`)),
  ];
  for (const candidate of candidates) if (await isFile(candidate)) return candidate;
  return undefined;
}

async function entryOf(root: string): Promise<string> {
  const named = await packageEntry(root);
  const candidates =
    named === undefined ? entryNames.map((name) => join(root, name)) : [resolve(root, named)];
  for (const candidate of candidates) {
    const file = await findFile(candidate);
    if (file === undefined) continue;
    const real = await realpath(file);
    if (!isInside(root, real))
      throw linkError(
        `Cannot enter ${show(root)} as its package.json must name a file inside: it names ${show(named)}`,
      );
    return real;
  }
  const wanted =
    named === undefined
      ? "an index or main file, or a package.json that names its entry"
      : `the entry ${show(named)} that its package.json names`;
  throw linkError(`Cannot enter ${show(root)} as it must have ${wanted}`);
}

async function packageEntry(root: string): Promise<string | undefined> {
  const path = join(root, "package.json");
  if (!(await isFile(path))) return undefined;
  const text = await readFile(path, "utf8");
  try {
    const { exports, module, main } = JSON.parse(text.slice(0, packageBytesMax)) as Record<string, unknown>;
    return [exportOf(exports), module, main].find((entry) => typeof entry === "string") as string | undefined;
  } catch {
    throw linkError(`Cannot enter ${show(root)} as its package.json must be JSON`);
  }
}

// The entry of an `exports` field: itself, or the first text under ".", "import", "module" or "default".
function exportOf(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  const fields = exports as Record<string, unknown>;
  for (const name of [".", "import", "module", "default"]) {
    const entry = exportOf(fields[name]);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    const where = isAbsolute(path) ? "" : `, which is ${show(resolve(path))}`;
    throw new VivariumError(
      "INVALID_OPTIONS",
      `Cannot read modules as the path must exist: got ${show(path)}${where}`,
      cause,
    );
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

function isInside(root: string, file: string): boolean {
  return file.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function outside(specifier: string, importer: string, root: string): LoadError {
  return linkError(
    `Cannot import ${show(specifier)} into ${show(relative(root, importer))} as it must stay inside ${show(root)}`,
  );
}

function linkError(message: string): LoadError {
  return new LoadError(message, { phase: "link" });
}
