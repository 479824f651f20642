// The jail that compiler processes are started in. One kind only turns text into text and puts on all layers, as a cell
// does; the other bundles packages and checks types, for which it must read folders and start programs.
import { dirname, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Spawner } from "../../jail/spawn/child.ts";
import type { Jail } from "../../jail/jail.ts";
import type { JailLayer } from "../../jail/layers.ts";
import {
  bareEnvironment,
  linksTo,
  locate,
  packagesFolder,
  permissionFlags,
} from "../../jail/spawn/node-process.ts";
import type { BackendName } from "../compiler-host/backends/backend.ts";

export interface CompilerLaunch {
  readonly kind: "modules" | "tools";
  readonly spawner: Spawner;
  readonly layers: readonly JailLayer[];
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const wholeMachine = "/";

/** The folders that a module compiler reads while it starts. */
export function compilerPrograms(program: URL, backend: BackendName): string[] {
  const packages = ["rolldown", ...(backend === "esbuild" ? ["esbuild"] : [])];
  const folders = packages.map((name) => packagesFolder(name, program)).filter((path) => path !== undefined);
  const links = packages.flatMap((name) => linksTo(name, program));
  return [dirname(fileURLToPath(program)), ...new Set([...folders, ...links])];
}

/** For a process that turns the source of modules into code. esbuild is a separate program, started before the seal. */
export function moduleCompilerLaunch(jail: Jail, program: URL, backend: BackendName): CompilerLaunch {
  const programs = compilerPrograms(program, backend);
  return {
    kind: "modules",
    spawner: jail.spawnerFor({ execute: programs }),
    layers: jail.plan.layers,
    flags: jail.has("permissions")
      ? permissionFlags({ read: programs, mayStartPrograms: backend === "esbuild" })
      : [],
    env: { ...bareEnvironment(), ...nativeCodeOf(program, programs) },
  };
}

// Where the parser's native code lies. Its loader would otherwise have Node report on the whole system to learn which C library
// it has, as it may not read files to find out.
function nativeCodeOf(program: URL, readable: readonly string[]): Readonly<Record<string, string>> {
  const loader = locate("rolldown", program);
  if (process.platform !== "linux" || loader === undefined) return {};
  const library = bareEnvironment()["LIBC"] === "musl" ? "musl" : "gnu";
  const path = locate(`@rolldown/binding-linux-${process.arch}-${library}`, pathToFileURL(loader));
  const isReadable = readable.some((folder) => path?.startsWith(`${folder}${sep}`));
  return path === undefined || !isReadable ? {} : { NAPI_RS_NATIVE_LIBRARY_PATH: path };
}

const notForTools: readonly JailLayer[] = ["user", "seal", "tripwire", "resources"];

/**
 * For a process that reads the user's packages, with the user's own permissions, and starts TypeScript. It writes nothing
 * and has no network.
 */
export function toolCompilerLaunch(jail: Jail): CompilerLaunch {
  const layers = jail.plan.layers.filter((layer) => !notForTools.includes(layer));
  return {
    kind: "tools",
    spawner: jail.spawnerFor({ execute: [wholeMachine] }, layers),
    layers,
    flags: jail.has("permissions") ? permissionFlags({ read: ["*"], mayStartPrograms: true }) : [],
    env: bareEnvironment(),
  };
}
