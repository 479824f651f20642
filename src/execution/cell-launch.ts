// How a cell is started: the jail's layers, the paths that it may read, the flags and the environment of its Node.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Spawner } from "../jail/spawn/child.ts";
import type { Jail } from "../jail/jail.ts";
import type { JailLayer, JailReport } from "../jail/layers.ts";
import { bareEnvironment, packageFolder, permissionFlags } from "../jail/spawn/node-process.ts";
import { makePlainSpawner } from "../jail/spawn/plain-spawner.ts";
import type { Clock } from "../std/clock.ts";
import { incompletePackage, programUrl } from "./programs.ts";

export interface CellLaunch {
  readonly spawner: Spawner;
  readonly layers: readonly JailLayer[];
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Which layers hold, given those that the cell reported. */
  reportFrom(held: readonly JailLayer[]): JailReport;
  /** Why a cell with these layers may not be used; undefined when it may. */
  objectionTo(report: JailReport): string | undefined;
}

/** The folders that a cell reads while it starts; throws `PACKAGE_INCOMPLETE` where the engine's is not found. */
export function cellPrograms(): string[] {
  const program = programUrl("cell-host");
  const engine = packageFolder("isolated-vm", program);
  if (engine === undefined)
    throw incompletePackage(`the package isolated-vm is not found from ${fileURLToPath(program)}`);
  const builder = packageFolder("node-gyp-build", program);
  return [dirname(fileURLToPath(program)), engine, ...(builder === undefined ? [] : [builder])];
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
    reportFrom: (layers) => ({ layers, missing: [] }),
    objectionTo: () => undefined,
  };
}
