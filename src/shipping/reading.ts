// Reads the modules of files and packages of this machine as texts, to be compiled elsewhere. What a file imports is found by the
// compiler process, as everywhere: sources are parsed nowhere else.
import { basename } from "node:path";
import { CompileCache } from "../code/compiler/compile-cache.ts";
import { nobody } from "../code/compiler/compile-owner.ts";
import type { Compiler } from "../code/compiler/compiler.ts";
import { packageFolder, packageNameOf } from "../code/files/installed-package.ts";
import { readSource } from "../code/files/source-file.ts";
import { readTree, type PackageImport } from "../code/files/source-tree.ts";
import type { Artifact } from "../code/modules/artifact.ts";
import type { Files, ReadFolder } from "../client/wire/files.ts";
import type { Jail } from "../jail/jail.ts";
import { completeConfig, type Config } from "../api/options/config.ts";
import { openCompiler, openJail } from "../api/wiring/create-runtime.ts";
import { Packages } from "../orchestration/code/packages.ts";
import { requirePrograms } from "../execution/programs.ts";
import { untilAborted } from "../std/abort.ts";
import { awaited } from "../std/keep-alive.ts";
import { LoadError } from "../model/errors.ts";

const noImports: Pick<Artifact, "imports" | "dynamicImports"> = { imports: [], dynamicImports: [] };

/** What compiles while somebody reads. */
interface Workshop {
  readonly config: Config;
  readonly jail: Jail;
  readonly compiler: Compiler;
  readonly cache: CompileCache;
  readonly packages: Packages;
}

class FileReader implements Files {
  #workshop: Workshop | undefined;
  #readers = 0;

  async readSources(path: string, signal?: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const { modules } = await this.readFolder(path, signal);
    return Object.fromEntries(modules.map(({ name, source }) => [name, source]));
  }

  readFolder(path: string, signal?: AbortSignal): Promise<ReadFolder> {
    const toError = (): Error =>
      new LoadError("Cannot read modules as its caller gave up", { phase: "link" });
    return awaited(
      untilAborted({ signal }, toError, () => this.#within((workshop) => readAll(path, workshop))),
    );
  }

  async readFile(path: string): Promise<{ readonly name: string; readonly source: string }> {
    const name = basename(path);
    return { name, source: await readSource(path, name) };
  }

  // The compiler is there while somebody reads, and nothing of it is left after that.
  async #within<T>(act: (workshop: Workshop) => Promise<T>): Promise<T> {
    this.#readers++;
    const workshop = (this.#workshop ??= openWorkshop());
    try {
      return await act(workshop);
    } finally {
      if (--this.#readers === 0) {
        this.#workshop = undefined;
        await workshop.compiler.close();
        await workshop.jail.close();
      }
    }
  }
}

/** The files of this machine. */
export const files: Files = new FileReader();

function openWorkshop(): Workshop {
  requirePrograms();
  const config = completeConfig(undefined);
  const jail = openJail(config);
  const compiler = openCompiler(config, jail);
  const cache = new CompileCache(compiler, config.compileCacheBytesMax);
  const packages = new Packages(config, { compiler, compile: (request) => cache.compile(request) });
  return { config, jail, compiler, cache, packages };
}

async function readAll(path: string, { config, cache, packages }: Workshop): Promise<ReadFolder> {
  const fileNames = new Map<string, string>();
  /** Packages that are not here; where the modules go there may be one. */
  const elsewhere = new Set<string>();
  const { compileMs } = config.limits;
  const tree = await readTree(path, {
    compile: async (fileName, source) => {
      fileNames.set(nameOf(fileName), fileName);
      const request = {
        name: fileName,
        source,
        compileMs,
        sourceBytes: Infinity,
        isMetered: false,
        owner: nobody,
      };
      const result = await cache.compile(request);
      // What is no program imports nothing; where it goes it is refused with all that is to be said of it.
      return result.ok ? result.artifact : withText(source);
    },
    compilePackage: async (specifier, from) => {
      if (await isHere(specifier, from))
        return packages.moduleOf(specifier, { compileOwner: nobody, isMetered: false }, from.root);
      elsewhere.add(specifier);
      return withText("");
    },
  });
  const modules = [...tree.modules]
    .filter(([name]) => !elsewhere.has(name))
    .map(([name, { source }]) => ({ name, fileName: fileNames.get(name) ?? name, source }));
  return { entry: tree.entry, modules };
}

async function isHere(specifier: string, { root, isShared }: PackageImport): Promise<boolean> {
  return isShared || (await packageFolder(packageNameOf(specifier), root)) !== undefined;
}

// Of what only its text is wanted.
function withText(source: string): Artifact {
  return { ...noImports, source } as Artifact;
}

function nameOf(fileName: string): string {
  return fileName.endsWith(".json") ? fileName : fileName.replace(/\.[^./]+$/, "");
}
