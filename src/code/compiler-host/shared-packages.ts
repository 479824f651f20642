// What a package shares with the modules beside it, and so must not bring a copy of: its peers, as react is for react-dom, and
// its own other entries, as preact is for preact/hooks. Each is a module of the sandbox itself.
import { parse } from "./package-entry.ts";
import { packageNameOf } from "../files/installed-package.ts";
import { manifestOf, packageFolderOf } from "./package-folders.ts";
import type { Plugin } from "rolldown";

export interface Sharing {
  /** The package that is bundled, and the file that stands for its importer. */
  readonly specifier: string;
  readonly entry: string;
  /** What was found to be shared. */
  readonly shared: Set<string>;
}

const requiredStart = "\0vivarium-required:";
const importedStart = "\0vivarium-imported:";

/** Leaves what is shared to other modules, where the importer of the package would find the same file by that name. */
export function sharedPlugin({ specifier: own, entry, shared }: Sharing): Plugin {
  return {
    name: "vivarium-shared",
    async resolveId(source, importer = "", { kind }) {
      if (source.startsWith(importedStart)) return source;
      if (importer.startsWith(importedStart)) return { id: source, external: true };
      if (source === own || !isShared(source, importer, own)) return undefined;
      const found = await this.resolve(source, importer, { kind });
      const elsewhere = await this.resolve(source, entry, { kind: "import-statement" });
      if (elsewhere === null || elsewhere.external !== false || found === null) return undefined;
      // An import and a require() may mean two files of one package.
      if (packageFolderOf(found.id) !== packageFolderOf(elsewhere.id)) return undefined;
      shared.add(source);
      if (kind !== "require-call") return { id: source, external: true };
      return `${requiredStart}${source}\n${elsewhere.id}`;
    },
    load(id) {
      if (id.startsWith(requiredStart)) {
        const name = `${importedStart}${id.slice(requiredStart.length)}`;
        return `module.exports = require(${JSON.stringify(name)}).value;`;
      }
      if (!id.startsWith(importedStart)) return undefined;
      const [name = "", file = ""] = id.slice(importedStart.length).split("\n");
      const isModule = file.endsWith(".json") || parse(file).module.hasModuleSyntax;
      const value = isModule ? "all" : "all.__esModule === true ? all : all.default";
      return `import * as all from ${JSON.stringify(name)}; export const value = ${value};`;
    },
  };
}

function isShared(source: string, importer: string, own: string): boolean {
  if (/^[./\0#]/.test(source)) return false;
  const folder = packageFolderOf(importer);
  if (folder === undefined) return false;
  const name = packageNameOf(source);
  const { name: importing, peerDependencies } = manifestOf(folder);
  if (name === importing) return name === packageNameOf(own);
  return typeof peerDependencies === "object" && peerDependencies !== null && name in peerDependencies;
}
