// Where the bundled programs are: the same path from the sources and from the built package, both two folders below the root.

export type ProgramName = "cell-host" | "compiler-host" | "watchdog" | "starter" | "store-writer";

export function programUrl(name: ProgramName): URL {
  return new URL(`../../dist/programs/${name}.js`, import.meta.url);
}
