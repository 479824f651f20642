// Where the bundled programs are: the same path from the sources and from the built package, both two folders below the root.

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
  return new URL(`../../dist/programs/${name}.${extensions[name]}`, import.meta.url);
}
