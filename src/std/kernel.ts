// System calls through Node's own FFI, without native code of ours. Node 24 has no FFI: there `openKernel` gives undefined
// and callers use other means.
import { type Arch, isArch, numberOf, type Syscall } from "./syscalls.ts";

type Argument = number | bigint | Uint8Array;

export interface Kernel {
  readonly arch: Arch;
  /** What the call gives back; a failure is the negative number of its error. Buffers are passed by address. */
  call(name: Syscall, ...args: readonly Argument[]): number;
  /** The address of a buffer, valid as long as the buffer is referenced. */
  addressOf(bytes: Uint8Array): bigint;
  /** The memory at an address as a buffer, not a copy. */
  view(address: number, bytes: number): ArrayBuffer;
}

interface Ffi {
  DynamicLibrary: new (path: null) => {
    getFunction(name: string, signature: object): (...args: unknown[]) => unknown;
  };
  toArrayBuffer(address: bigint, bytes: number, copy: boolean): ArrayBuffer;
  getRawPointer(bytes: Uint8Array): bigint;
  getInt32(address: bigint, offset: number): number;
}

const argumentsMax = 6;
/** The result of a call that this processor does not have. */
const notImplemented = -38;

/** System calls; undefined where this Node or this system cannot make them. */
export function openKernel(): Kernel | undefined {
  if (process.platform !== "linux" || !isArch(process.arch)) return undefined;
  try {
    return kernelThrough(loadFfi(), process.arch);
  } catch {
    return undefined;
  }
}

// Suppresses the warning that the FFI is experimental, which concerns us and not our users. Asked of the process, as the module
// that has `createRequire` takes a cell 7 ms to load.
function loadFfi(): Ffi {
  const property = Object.getOwnPropertyDescriptor(process, "emitWarning");
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:ffi") as unknown as Ffi; // The types do not know it yet.
  } finally {
    if (property !== undefined) Object.defineProperty(process, "emitWarning", property);
  }
}

function kernelThrough(ffi: Ffi, arch: Arch): Kernel {
  const library = new ffi.DynamicLibrary(null);
  const words = Array.from({ length: argumentsMax + 1 }, () => "i64");
  const syscall = library.getFunction("syscall", { return: "i64", arguments: words });
  const errnoAddress = library.getFunction("__errno_location", { return: "pointer", arguments: [] });
  const toWord = (arg: Argument): bigint =>
    arg instanceof Uint8Array ? ffi.getRawPointer(arg) : BigInt.asIntN(64, BigInt(arg));
  return {
    arch,
    call(name, ...args) {
      const number = numberOf(name, arch);
      if (number === undefined) return notImplemented;
      const all = [BigInt(number), ...args.map(toWord)];
      while (all.length <= argumentsMax) all.push(0n);
      const result = Number(syscall(...all));
      return result === -1 ? -ffi.getInt32(errnoAddress() as bigint, 0) : result;
    },
    addressOf: (bytes) => ffi.getRawPointer(bytes),
    view: (address, bytes) => ffi.toArrayBuffer(BigInt(address), bytes, false),
  };
}
