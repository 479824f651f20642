// The layers that a process applies to itself once all is loaded that it will ever need. They cannot be undone.
import { openKernel, type Kernel } from "../std/kernel.ts";
import { ownFilter } from "./filters.ts";
import type { JailLayer } from "./layers.ts";

const prctl = { setDumpable: 4, setNoNewPrivileges: 38 } as const;
const resource = { fileBytes: 1, core: 4, openFiles: 7 } as const;
const openFilesMax = 256;
const seccompSetFilter = 1;
const onAllThreads = 1;
const getDescriptorFlags = 1;
const closeOnExec = 1;
/** Descriptors from here on were not passed to us on purpose. */
const firstForeignFd = 6;
const fdsMax = 65_536;
const fdEnd = 0x7fff_ffff;
/** An entry: the descriptor, and, in the upper half of the second word, the result. */
const pollEntryWords = 2;
const notOpen = 32 << 16;
/** What Node 26 lets a process give up for good. */
const droppedScopes = ["fs.read", "fs.write", "net", "child", "worker", "addon", "ffi", "inspector", "wasi"];

export interface SealOptions {
  /** The layers that were planned. */
  readonly layers: readonly JailLayer[];
  /** The largest file that the process must still be able to write to, in bytes. */
  readonly fileBytesMax: number;
  /** Whether it still has to read files and start programs, as far as the layers allow it. */
  readonly isLoading: boolean;
}

/** Applies those of the layers that a process applies to itself, and returns all that hold. */
export function seal({ layers, fileBytesMax, isLoading }: SealOptions): readonly JailLayer[] {
  const kernel = openKernel();
  const through = (act: (kernel: Kernel) => boolean) => (): boolean => kernel !== undefined && act(kernel);
  const does: Partial<Record<JailLayer, () => boolean>> = {
    user: () => process.getuid?.() !== 0,
    permissions: () => process.permission !== undefined,
    jitless: () => process.execArgv.includes("--jitless"),
    descriptors: through(closeForeign),
    resources: through((open) => limitResources(open, fileBytesMax)),
    hidden: through((open) => open.call("prctl", prctl.setDumpable, 0) === 0),
    seal: through((open) => applyOwnFilter(open, layers)),
  };
  const held = layers.filter(
    (layer) => layer !== "seal" && layer !== "tripwire" && (does[layer]?.() ?? true),
  );
  // The filter is applied last, as it forbids the calls above; after it only permissions are dropped.
  const isSealed = layers.includes("seal") && does.seal?.() === true;
  if (!isLoading) dropPermissions();
  if (!isSealed) return held;
  return [...held, "seal", ...layers.filter((layer) => layer === "tripwire")];
}

function applyOwnFilter(kernel: Kernel, layers: readonly JailLayer[]): boolean {
  const options = {
    pid: process.pid,
    isTripwire: layers.includes("tripwire"),
    isJitless: layers.includes("jitless"),
  };
  return applyFilter(kernel, ownFilter(kernel.arch, options), onAllThreads) === 0;
}

/** Applies a filter to the calling thread, or to all. Returns 0, or the negative error number. */
export function applyFilter(kernel: Kernel, filter: Buffer, flags: number): number {
  kernel.call("prctl", prctl.setNoNewPrivileges, 1);
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(kernel.addressOf(filter), 8);
  return kernel.call("seccomp", seccompSetFilter, flags, program);
}

function limitResources(kernel: Kernel, fileBytesMax: number): boolean {
  return [
    setLimit(kernel, resource.core, 0),
    setLimit(kernel, resource.fileBytes, fileBytesMax),
    setLimit(kernel, resource.openFiles, openFilesMax),
  ].every(Boolean);
}

function setLimit(kernel: Kernel, which: number, value: number): boolean {
  const limits = Buffer.alloc(16);
  limits.writeBigUInt64LE(BigInt(value), 0);
  limits.writeBigUInt64LE(BigInt(value), 8);
  return kernel.call("prlimit64", 0, which, limits, 0) === 0;
}

// Descriptors that an ancestor opened without close-on-exec are inherited; those that Node opened have the flag. One call asks
// about all of them, as a call for each would cost some megabytes; it refuses more entries than may be open.
function closeForeign(kernel: Kernel): boolean {
  const limits = Buffer.alloc(16);
  if (kernel.call("prlimit64", 0, resource.openFiles, 0, limits) !== 0) return false;
  const end = Math.max(firstForeignFd, Math.min(fdsMax, Number(limits.readBigUInt64LE(0))));
  const count = end - firstForeignFd;
  const entries = new Int32Array(count * pollEntryWords);
  for (let index = 0; index < count; index++) entries[index * pollEntryWords] = firstForeignFd + index;
  const bytes = new Uint8Array(entries.buffer);
  if (kernel.call("ppoll", bytes, count, new Uint8Array(16), 0, 0) < 0) return false;
  for (let index = 0; index < count; index++) {
    const found = entries[index * pollEntryWords + 1] ?? 0;
    if ((found & notOpen) === 0) closeIfForeign(kernel, firstForeignFd + index);
  }
  return kernel.call("close_range", end, fdEnd, 0) === 0;
}

function closeIfForeign(kernel: Kernel, fd: number): void {
  const flags = kernel.call("fcntl", fd, getDescriptorFlags, 0);
  if (flags >= 0 && (flags & closeOnExec) === 0) kernel.call("close", fd);
}

function dropPermissions(): void {
  const permission = process.permission as { drop?: (scope: string) => void } | undefined;
  for (const scope of droppedScopes) permission?.drop?.(scope);
}
