// What a Node process in the jail is started with: the flags of its permission model, its environment, and the folders of the
// packages that it loads.
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { isOutOfDescriptors } from "../../std/descriptors.ts";

/** The threads of a Node process that has just started: its main one, a pool of four, and two for timing and tether. */
export const threadsOfNode = 7;

/** What Node lets its own functions do, beside loading native code. */
export interface Permissions {
  /** Paths that may be read, with all beneath; `*` is everything. */
  readonly read: readonly string[];
  readonly mayStartPrograms: boolean;
}

const wanted = {
  always: ["--permission", "--disable-warning=SecurityWarning", "--allow-addons", "--allow-worker"],
  // SQLite would write files in spite of the permission model.
  ifKnown: ["--allow-ffi", "--no-experimental-sqlite"],
};

export function permissionFlags({ read, mayStartPrograms }: Permissions): string[] {
  return [
    ...wanted.always,
    ...wanted.ifKnown.filter((flag) => process.allowedNodeEnvironmentFlags.has(flag)),
    ...(mayStartPrograms ? ["--allow-child-process"] : []),
    ...read.map((path) => `--allow-fs-read=${path}`),
  ];
}

/** An environment without our variables. */
export function bareEnvironment(): Readonly<Record<string, string>> {
  return {
    TZ: "UTC",
    NO_COLOR: "1",
    // Node ends at once when it may not read this file.
    OPENSSL_CONF: "/dev/null",
    // Otherwise the loader of native code would look for this file, which the permission model forbids.
    LIBC: existsSync("/etc/alpine-release") ? "musl" : "glibc",
  };
}

/** The folder of a package, as seen from a program; undefined where it is not installed. */
export function packageFolder(name: string, program: URL): string | undefined {
  const entry = locate(name, program);
  if (entry === undefined) return undefined;
  const marker = `${sep}node_modules${sep}${name.replace("/", sep)}${sep}`;
  const at = entry.lastIndexOf(marker);
  return at < 0 ? dirname(entry) : entry.slice(0, at + marker.length - 1);
}

/** The outermost folder of packages that a package lies in, with all that it may need. */
export function packagesFolder(name: string, program: URL): string | undefined {
  const entry = locate(name, program);
  if (entry === undefined) return undefined;
  const marker = `${sep}node_modules${sep}`;
  const at = entry.indexOf(marker);
  return at < 0 ? dirname(entry) : entry.slice(0, at + marker.length - 1);
}

/**
 * The links by which Node finds a package from a program: the folder of packages, and the package in it. Its loader must be
 * allowed to read them, beside what they lead to. The program's own path has no links.
 */
export function linksTo(name: string, program: URL): string[] {
  const folders = createRequire(program).resolve.paths(name) ?? [];
  const folder = folders.find((each) => existsSync(join(each, name)));
  if (folder === undefined) return [];
  const paths = [folder, join(realpathSync(folder), name)];
  return paths.filter((path) => lstatSync(path).isSymbolicLink());
}

/** The file that a package is loaded by, by a path without links; undefined where it is not installed. */
export function locate(name: string, program: URL): string | undefined {
  try {
    return realpathSync(createRequire(program).resolve(name));
  } catch (error) {
    // It may be installed all the same.
    if (isOutOfDescriptors(error)) throw error;
    return undefined;
  }
}
