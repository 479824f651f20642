// Landlock: the kernel's list of folders that a thread, and what it starts, may still use.
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { isOutOfDescriptors } from "../std/descriptors.ts";
import type { Kernel } from "../std/kernel.ts";

/** What may be used, by path; nothing else can be. */
export interface Paths {
  readonly read: readonly string[];
  readonly execute: readonly string[];
  readonly write: readonly string[];
}

const access = { execute: 1, writeFile: 2, readFile: 4, readFolder: 8 } as const;
/** The rights that make sense on a file. */
const onFile = access.execute | access.writeFile | access.readFile;
// Each version of the interface knows more rights; rights that are not named are not restricted.
const rightsByAbi: readonly number[] = [0, 0x1fff, 0x3fff, 0x7fff, 0x7fff];
const rightsSinceThen = 0xffff;
const tcpBindAndConnect = 3n;
const scopeSignalsAndSockets = 3n;
const queryVersion = 1;
const ruleBeneath = 1;
const openPath = 0o10000000;

/** The version of Landlock that this kernel has enabled; 0 for none. */
export function landlockAbi(kernel: Kernel): number {
  return Math.max(0, kernel.call("landlock_create_ruleset", 0, 0, queryVersion));
}

/** Restricts the calling thread and all that it starts from here on. Returns 0, or the negative error number. */
export function restrain(kernel: Kernel, paths: Paths): number {
  const abi = landlockAbi(kernel);
  const rights = rightsByAbi[abi] ?? rightsSinceThen;
  const attributes = Buffer.alloc(24);
  attributes.writeBigUInt64LE(BigInt(rights), 0);
  if (abi >= 4) attributes.writeBigUInt64LE(tcpBindAndConnect, 8);
  if (abi >= 6) attributes.writeBigUInt64LE(scopeSignalsAndSockets, 16);
  const ruleset = kernel.call("landlock_create_ruleset", attributes, abi >= 6 ? 24 : abi >= 4 ? 16 : 8, 0);
  if (ruleset < 0) return ruleset;
  try {
    for (const path of paths.read)
      allowBeneath(kernel, ruleset, { path, rights: access.readFile | access.readFolder });
    for (const path of paths.execute) {
      allowBeneath(kernel, ruleset, { path, rights: access.execute | access.readFile | access.readFolder });
    }
    for (const path of paths.write)
      allowBeneath(kernel, ruleset, { path, rights: access.readFile | access.writeFile });
    return kernel.call("landlock_restrict_self", ruleset, 0);
  } finally {
    kernel.call("close", ruleset);
  }
}

// A path that does not exist needs no rule. One that could not be opened for lack of descriptors does: without it, nothing
// that is started under these rules would ever work.
function allowBeneath(
  kernel: Kernel,
  ruleset: number,
  { path, rights }: { readonly path: string; readonly rights: number },
): void {
  let fd: number;
  try {
    fd = openSync(path, openPath | constants.O_RDONLY);
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    return;
  }
  const rule = Buffer.alloc(12);
  rule.writeBigUInt64LE(BigInt(fstatSync(fd).isDirectory() ? rights : rights & onFile), 0);
  rule.writeInt32LE(fd, 8);
  kernel.call("landlock_add_rule", ruleset, ruleBeneath, rule, 0);
  closeSync(fd);
}
