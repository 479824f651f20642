// npm packages as modules of sandboxes: which may be imported, where they are found, and what they are compiled to. Each is
// bundled once for all sandboxes, until what is installed changes.
import { isBuiltin } from "node:module";
import type { CompileOwner } from "../../code/compiler/compile-owner.ts";
import type { Compiler } from "../../code/compiler/compiler.ts";
import { packageFolder, packageNameOf, stampsOf } from "../../code/files/installed-package.ts";
import type { Artifact, Compilation, CompileRequest } from "../../code/modules/artifact.ts";
import { LoadError } from "../../model/errors.ts";
import { isOwnModuleName } from "../../model/ids.ts";
import type { Profile } from "../../security/profile.ts";
import { Lru } from "../../std/lru.ts";

/** What a runtime says about packages. */
export interface PackageSettings {
  /** The packages that profiles with `npmImports: "listed"` admit. */
  readonly npmImports: readonly string[];
  /** The folder whose packages modules given as text import, and files that have none of that name themselves. */
  readonly npmFolder?: string | undefined;
  /** How long a bundled package may be. */
  readonly npmBytesMax: number;
}

export interface PackageParts {
  readonly compiler: Pick<Compiler, "bundle">;
  readonly compile: (request: CompileRequest) => Promise<Compilation>;
}

/** For whom a package is compiled. */
export interface PackageOwner {
  readonly compileOwner: CompileOwner;
  readonly isMetered: boolean;
}

interface Bundle {
  readonly source: string;
  /** Says which files of packages it was made of, as they were. */
  readonly stamps: string;
  readonly files: readonly string[];
}

/** Packages are the host's choice: their time is bounded apart from `compileMs`, which bounds a guest's own modules. */
const packageMs = 60_000;
/** How much bundled source is remembered, in characters. */
const bundlesLengthMax = 64 * 2 ** 20;
/** What the source of a package begins with, so that it is known as one wherever it travels. */
const headerStart = "// npm package ";

export class Packages {
  readonly #settings: PackageSettings;
  readonly #parts: PackageParts;
  readonly #bundles = new Lru<Bundle>(bundlesLengthMax);
  readonly #underway = new Map<string, Promise<Bundle>>();

  constructor(settings: PackageSettings, parts: PackageParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** Whether modules given as text may import packages at all. */
  get hasFolder(): boolean {
    return this.#settings.npmFolder !== undefined;
  }

  /** Whether a profile admits the import of a package, installed or not. What is found below its name is meant too. */
  admits(specifier: string, { npmImports }: Pick<Profile, "npmImports">): boolean {
    if (!isPackageForm(specifier) || isOwnModuleName(specifier) || npmImports === "none") return false;
    if (npmImports === "any") return !isBuiltin(specifier);
    return this.#settings.npmImports.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  }

  /** How long a module's source may be: a package that the profile admits has a bound of its own. */
  bytesMaxOf(
    { name, source }: { readonly name: string; readonly source: string },
    { profile, limits }: { readonly profile: Profile; readonly limits: { readonly sourceBytes: number } },
  ): number {
    const { npmBytesMax } = this.#settings;
    const isPackage = source.startsWith(headerStart) && this.admits(name, profile);
    return isPackage ? Math.max(npmBytesMax, limits.sourceBytes) : limits.sourceBytes;
  }

  /**
   * The module of a package that a profile admits, as seen from the folder or, where it is not installed there, from
   * `npmFolder`; rejects with a `LoadError` that says what to do.
   */
  async moduleOf(specifier: string, owner: PackageOwner, folder?: string): Promise<Artifact> {
    const from = await this.#find(specifier, folder);
    const { source } = await this.#bundled(specifier, from, owner);
    const { npmBytesMax } = this.#settings;
    const bytes = Buffer.byteLength(source);
    if (bytes > npmBytesMax)
      throw refusal(
        specifier,
        `it must be at most npmBytesMax of createRuntime(), ${npmBytesMax} bytes, with all that it imports: it is ${bytes}`,
      );
    const { isMetered, compileOwner } = owner;
    const request = { name: specifier, source, compileMs: packageMs, sourceBytes: bytes, isMetered };
    const compiled = await this.#parts.compile({ ...request, owner: compileOwner });
    if (!compiled.ok) throw new LoadError(compiled.message, compiled);
    return compiled.artifact;
  }

  /** What to do so that an import finds a package; the end of a sentence. */
  adviceOn(specifier: string, { name, npmImports }: Profile): string | undefined {
    if (!isPackageForm(specifier) || isOwnModuleName(specifier) || isBuiltin(specifier)) return undefined;
    const packageName = packageNameOf(specifier);
    if (npmImports === "none") return `profile "${name}" admits no npm packages`;
    const folder = this.#settings.npmFolder ?? "<folder>";
    const named = this.#settings.npmFolder === undefined ? `, npmFolder: "${folder}"` : "";
    if (npmImports === "listed" && !this.admits(specifier, { npmImports }))
      return `to import the npm package, run npm install ${packageName} in ${folder} and name it: createRuntime({ npmImports: ["${packageName}"]${named} })`;
    return `to import the npm package, name the folder whose node_modules has it: createRuntime({ npmFolder: "${folder}" })`;
  }

  async #find(specifier: string, folder: string | undefined): Promise<string> {
    const { npmFolder } = this.#settings;
    const name = packageNameOf(specifier);
    for (const from of [folder, npmFolder]) {
      const found = from === undefined ? undefined : await packageFolder(name, from);
      if (found !== undefined) return found;
    }
    const where = [folder, npmFolder].filter((from) => from !== undefined);
    const places = where.map((from) => `${from}/node_modules`).join(" or ");
    throw refusal(specifier, `it must be installed in ${places}: run npm install ${name} there`);
  }

  // A bundle under way is shared, so that a population with one package bundles it once.
  async #bundled(specifier: string, folder: string, owner: PackageOwner): Promise<Bundle> {
    const key = `${folder}\n${specifier}`;
    const known = this.#bundles.get(key);
    if (known !== undefined && known.stamps === (await stampsOf(known.files))) return known;
    const underway = this.#underway.get(key) ?? this.#bundle(specifier, folder, owner);
    this.#underway.set(key, underway);
    try {
      const bundle = await underway;
      this.#bundles.set(key, bundle, bundle.source.length);
      return bundle;
    } finally {
      if (this.#underway.get(key) === underway) this.#underway.delete(key);
    }
  }

  async #bundle(specifier: string, folder: string, { compileOwner }: PackageOwner): Promise<Bundle> {
    const bundled = await this.#parts.compiler.bundle(specifier, folder, {
      compileMs: packageMs,
      owner: compileOwner,
    });
    if (!bundled.ok) throw new LoadError(bundled.message, { phase: "link" });
    const { files } = bundled;
    // Data has no header, as it would be none with it.
    const header = specifier.endsWith(".json") ? "" : `${headerStart}${bundled.from}\n`;
    return { source: header + bundled.source, files, stamps: await stampsOf(files) };
  }
}

/** Whether an import has the form of a package's name, or of something below one; nothing that leads up from there. */
function isPackageForm(specifier: string): boolean {
  return specifier.split("/").every((part) => /^[\w@~+-][\w@~+.-]*$/.test(part));
}

function refusal(specifier: string, why: string): LoadError {
  return new LoadError(`Cannot import package "${specifier}" as ${why}`, { phase: "link" });
}
