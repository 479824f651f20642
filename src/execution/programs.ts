// Where the bundled programs are. The path holds for the sources as well as for the built package, as both lie two
// folders below the root.

export type ProgramName = "cell-host" | "compiler-host" | "watchdog" | "starter";

export function programUrl(name: ProgramName): URL {
  return new URL(`../../dist/programs/${name}.js`, import.meta.url);
}
