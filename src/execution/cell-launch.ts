// How a cell is started: the jail's layers, the paths that it may read, the flags and the environment of its Node.
import { basename, dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Spawner } from "../jail/spawn/child.ts";
import type { Jail } from "../jail/jail.ts";
import type { JailLayer, JailReport } from "../jail/layers.ts";
import {
  bareEnvironment,
  linksTo,
  locate,
  packageFolder,
  permissionFlags,
} from "../jail/spawn/node-process.ts";
import { makePlainSpawner } from "../jail/spawn/plain-spawner.ts";
import type { Clock } from "../std/clock.ts";
import { incompletePackage, programUrl } from "./programs.ts";

/** The engine, and the package that finds its native code. */
const engineName = "isolated-vm";
const loaderName = "node-gyp-build";

export interface CellLaunch {
  readonly spawner: Spawner;
  readonly layers: readonly JailLayer[];
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file that loads the engine. */
  readonly engine: string;
  /** Which layers hold, given those that the cell reported. */
  reportFrom(held: readonly JailLayer[]): JailReport;
  /** Why a cell with these layers may not be used; undefined when it may. */
  objectionTo(report: JailReport): string | undefined;
}

/** The paths that a cell reads while it starts; throws `PACKAGE_INCOMPLETE` where the engine is not found. */
export function cellPrograms(): string[] {
  const program = programUrl("cell-host");
  const engine = pathToFileURL(engineFile());
  const folders = [packageFolder(engineName, program), packageFolder(loaderName, engine)];
  // Not the link to a whole folder of packages, as a cell does not need the others.
  const links = linksTo(loaderName, engine).filter((path) => basename(path) === loaderName);
  return [dirname(fileURLToPath(program)), ...folders.filter((path) => path !== undefined), ...links];
}

/** The file that loads the engine: found here, as a cell may not follow the links by which the package may be installed. */
export function engineFile(): string {
  const program = programUrl("cell-host");
  const file = locate(engineName, program);
  if (file !== undefined) return file;
  throw incompletePackage(`the package ${engineName} is not found from ${fileURLToPath(program)}`);
}

export function jailedCellLaunch(jail: Jail): CellLaunch {
  const programs = cellPrograms();
  return {
    spawner: jail.spawnerFor({ execute: programs }),
    layers: jail.plan.layers,
    flags: [
      ...(jail.has("permissions") ? permissionFlags({ read: programs, mayStartPrograms: false }) : []),
      ...(jail.has("jitless") ? ["--jitless"] : []),
    ],
    // Memory of a guest's large buffers is returned to the system with them, and is not counted for the next guest.
    env: { ...bareEnvironment(), MALLOC_MMAP_THRESHOLD_: "262144" },
    engine: engineFile(),
    reportFrom: (held) => jail.reportFrom(held),
    objectionTo: (report) => jail.objectionTo(report),
  };
}

/** No layer at all: for test doubles of cells, and to measure what the layers cost. */
export function unjailedCellLaunch(clock: Clock): CellLaunch {
  return {
    spawner: makePlainSpawner(clock, undefined),
    layers: [],
    flags: [],
    env: bareEnvironment(),
    engine: engineFile(),
    reportFrom: (layers) => ({ layers, missing: [] }),
    objectionTo: () => undefined,
  };
}
