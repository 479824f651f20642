// What this machine offers for a jail, and the paths that a Node process needs to start.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { openKernel, type Kernel } from "../std/kernel.ts";
import { landlockAbi, type Paths } from "./landlock.ts";
import type { SystemFacts } from "./plan.ts";

const readByOthers = 0o004;
const enterByOthers = 0o001;
const seccompActionAvailable = 2;
const libraryFolders = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

/** The facts of this machine; a child must be able to read `programs`. */
export function lookAtSystem(kernel: Kernel | undefined, programs: readonly string[]): SystemFacts {
  const { platform, arch, version } = process;
  return {
    platform,
    arch,
    node: version,
    hasKernel: kernel !== undefined,
    hasSeccomp: kernel !== undefined && hasFilters(kernel),
    landlockAbi: kernel === undefined ? 0 : landlockAbi(kernel),
    isRoot: process.getuid?.() === 0,
    unreadable: [process.execPath, ...programs].find((path) => !isReadableByOthers(path)),
  };
}

export { openKernel };

function hasFilters(kernel: Kernel): boolean {
  const killAction = Buffer.alloc(4);
  killAction.writeUInt32LE(0x8000_0000);
  return kernel.call("seccomp", seccompActionAvailable, 0, killAction) === 0;
}

/** Whether any user can read a path: itself, and every folder above it. */
function isReadableByOthers(path: string): boolean {
  let at = realpathSync(path);
  const isFolder = statSync(at).isDirectory();
  const needed = isFolder ? readByOthers | enterByOthers : readByOthers;
  if ((statSync(at).mode & needed) !== needed) return false;
  while (dirname(at) !== at) {
    at = dirname(at);
    if ((statSync(at).mode & enterByOthers) === 0) return false;
  }
  return true;
}

/** What any Node process needs: itself, its libraries, and nothing to write to but /dev/null. */
export function nodePaths(): Paths {
  return {
    read: ["/etc/ld.so.cache"],
    execute: [realpathSync(process.execPath), ...libraryFolders, ...mappedLibraries()],
    write: ["/dev/null"],
  };
}

// The libraries of this process: a child of the same program needs the same.
function mappedLibraries(): string[] {
  const maps = "/proc/self/maps";
  if (!existsSync(maps)) return [];
  const paths = readFileSync(maps, "utf8").matchAll(/\s(\/\S+\.so(?:\.\S+)?)$/gm);
  return [...new Set([...paths].map(([, path = ""]) => path))];
}
