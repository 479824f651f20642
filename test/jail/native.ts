// What the C library offers to machine code beyond bare system calls: to start programs and threads. JavaScript cannot
// run in a forked child, as the engine's heap is not there.
import { createRequire } from "node:module";

export interface Native {
  /** Starts a program and waits for its end; 0 when it went well, else the negative number of an error. */
  readonly start: (path: string, ...args: readonly string[]) => number;
  /** Starts a thread that sleeps for good; 0 when it went well. */
  readonly startThread: () => number;
}

interface Library {
  getFunction(name: string, signature: object): (...args: unknown[]) => unknown;
  getSymbol(name: string): bigint;
}

interface Ffi {
  DynamicLibrary: new (path: null) => Library;
  readonly getRawPointer: (bytes: Uint8Array) => bigint;
}

const failed = -5;
const semaphoreBytes = 32;

/** Opens the C library; with everything that is needed of it, as nothing can be loaded later. */
export function openNative(): Native {
  const { DynamicLibrary, getRawPointer } = createRequire(import.meta.url)("node:ffi") as Ffi;
  const library = new DynamicLibrary(null);
  const pointers = (count: number): string[] => Array.from({ length: count }, () => "pointer");
  const posixSpawn = library.getFunction("posix_spawn", { return: "i32", arguments: pointers(6) });
  const waitpid = library.getFunction("waitpid", { return: "i32", arguments: ["i32", "pointer", "i32"] });
  const create = library.getFunction("pthread_create", { return: "i32", arguments: pointers(4) });
  // A filter may refuse to pause, and a thread that was refused is over. A semaphore that is never raised needs no more
  // than the engine's own locks.
  const wait = library.getSymbol("sem_wait");
  const kept: Uint8Array[] = [];
  const keep = (bytes: Uint8Array): bigint => {
    kept.push(bytes);
    return getRawPointer(bytes);
  };
  const list = (texts: readonly string[]): bigint => {
    const bytes = Buffer.alloc(8 * (texts.length + 1));
    for (const [index, text] of texts.entries())
      bytes.writeBigUInt64LE(keep(Buffer.from(`${text}\0`)), 8 * index);
    return keep(bytes);
  };
  const neverRaised = keep(Buffer.alloc(semaphoreBytes));
  return {
    start(path, ...args) {
      const pid = Buffer.alloc(4);
      const refused = posixSpawn(
        keep(pid),
        keep(Buffer.from(`${path}\0`)),
        0n,
        0n,
        list([path, ...args]),
        list([]),
      );
      if (refused !== 0) return -(refused as number);
      const status = Buffer.alloc(4);
      waitpid(pid.readInt32LE(0), keep(status), 0);
      return status.readInt32LE(0) === 0 ? 0 : failed;
    },
    startThread: () => create(keep(Buffer.alloc(8)), 0n, wait, neverRaised) as number,
  };
}
