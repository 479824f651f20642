// A few C functions through Node's own FFI. Node 24 has none: then there is no libc here, and the callers have their
// slower ways.
import { createRequire } from "node:module";

export interface Libc {
  mmap(address: bigint, bytes: bigint, protection: number, flags: number, fd: number, offset: bigint): bigint;
  prctl(option: number, argument: bigint): number;
  /** The memory at an address as a buffer, not a copy. */
  view(address: bigint, bytes: number): ArrayBuffer;
}

interface Ffi {
  DynamicLibrary: new (path: null) => {
    getFunction(name: string, signature: object): (...args: unknown[]) => unknown;
  };
  toArrayBuffer(address: bigint, bytes: number, copy: boolean): ArrayBuffer;
}

/** Opens libc; undefined where this Node or this system has no way to it. */
export function openLibc(): Libc | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const ffi = createRequire(import.meta.url)("node:ffi") as Ffi;
    const library = new ffi.DynamicLibrary(null);
    return {
      mmap: library.getFunction("mmap", {
        return: "pointer",
        arguments: ["pointer", "u64", "i32", "i32", "i32", "i64"],
      }) as Libc["mmap"],
      prctl: library.getFunction("prctl", { return: "i32", arguments: ["i32", "u64"] }) as Libc["prctl"],
      view: (address, bytes) => ffi.toArrayBuffer(address, bytes, false),
    };
  } catch {
    return undefined;
  }
}
