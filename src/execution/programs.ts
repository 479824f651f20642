// Where the bundled programs are: the same path from the sources and from the built package, both two folders below the root.
import { existsSync, realpathSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { VivariumError } from "../model/errors.ts";

// Undefined where a bundler has made a script of this module. Bundlers look for `new URL` with `import.meta.url` itself and
// copy what they take for assets; they must not.
const here: string | undefined = withoutLinks(import.meta.url);

// As scripts, where they can be: a module reads every name that a module of Node exports, and so loads most of Node with it.
const extensions = {
  "cell-host": "cjs",
  watchdog: "cjs",
  starter: "cjs",
  "store-writer": "cjs",
  // Its parser is a module.
  "compiler-host": "js",
} as const;

export type ProgramName = keyof typeof extensions;

// The keys of a literal are all that it has.
export const programNames = Object.keys(extensions) as readonly ProgramName[];

export function programUrl(name: ProgramName): URL {
  return new URL(`../../dist/programs/${name}.${extensions[name]}`, here);
}

/** Throws where a program is not beside this code: then a bundler has moved the code elsewhere. */
export function requirePrograms(): void {
  const missing = programNames.find((name) => !isThere(name));
  if (missing === undefined) return;
  throw incompletePackage(`its program ${missing} is not beside ${here ?? "a module"}`);
}

/** What a bundler leaves behind is the usual reason; a package that is not installed whole is the other one. */
export function incompletePackage(found: string): VivariumError {
  const rule = "vivarium must be installed whole and not be bundled: mark it as external (docs/bundlers.md)";
  return new VivariumError("PACKAGE_INCOMPLETE", `Cannot start a runtime as ${rule}; ${found}`);
}

function isThere(name: ProgramName): boolean {
  return here !== undefined && existsSync(programUrl(name));
}

// Node may have been told to keep the names of links. The processes that run the programs cannot follow those, as they may read
// only what they need.
function withoutLinks(url: string | undefined): string | undefined {
  try {
    return url === undefined ? undefined : pathToFileURL(realpathSync(fileURLToPath(url))).href;
  } catch {
    return url;
  }
}
