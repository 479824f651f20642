// Makes an isolate of isolated-vm, with settings of the engine that isolated-vm has no options for: the engine reads these flags
// when it makes an isolate, so they are changed only for that moment, in which no other isolate is made.
import { setFlagsFromString } from "node:v8";
import ivm from "isolated-vm";

/** The engine's own default. */
const stackKiB = 984;

/**
 * The most that the flag can be, and more than any two stacks of a process are apart on nearly all machines. The engine of Node 24
 * also counts by it where the stack of a thread is when it collects garbage, and would end the process.
 */
const boundlessStackKiB = Number.parseInt(process.versions.node, 10) >= 26 ? 2_000_000_000 : stackKiB;

// New objects have 2 MiB where isolated-vm decides, and less where the limit is low: a program that makes many is a quarter
// slower than in plain Node. The engine allows three times this beyond the memory limit, so it is a small part of the limit.
const partOfMemory = 16;
const semiSpaceMiBMin = 4;
const semiSpaceMiBMax = 8;

/** An isolate with nothing in it. */
export function makeBareIsolate(memoryMiB: number, onCatastrophicError: (why: string) => void): ivm.Isolate {
  // The optimising compilers take the end of the stack of the thread that makes an isolate for the end of every stack, and on
  // other threads leave out most of their work. What running code may use of a stack is determined anew at each entry.
  setFlagsFromString(`--stack-size=${boundlessStackKiB}`);
  setFlagsFromString(`--max-semi-space-size=${semiSpaceMiBOf(memoryMiB)}`);
  try {
    return new ivm.Isolate({ memoryLimit: memoryMiB, onCatastrophicError });
  } finally {
    setFlagsFromString(`--stack-size=${stackKiB}`);
    setFlagsFromString("--max-semi-space-size=0");
  }
}

// 0 leaves it to isolated-vm.
function semiSpaceMiBOf(memoryMiB: number): number {
  const part = Math.floor(memoryMiB / partOfMemory);
  return part < semiSpaceMiBMin ? 0 : Math.min(part, semiSpaceMiBMax);
}
