// Time and memory as channels: clocks fine enough to see caches, memory that two threads share, and references that tell
// when the host lets go.
import { escape, type Escape } from "./escape.ts";

export const time: readonly Escape[] = [
  escape(
    "time-shared-memory",
    "memory that threads share makes a clock without end of digits",
    `
    return new SharedArrayBuffer(8).byteLength === 8 ? "REACHED shared memory" : "";`,
  ),
  escape(
    "time-shared-wasm",
    "the same through WebAssembly, when its name is taken away",
    `
    return new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer.constructor.name === "SharedArrayBuffer" ? "REACHED shared memory" : "";`,
  ),
  escape(
    "time-atomics-wait",
    "Atomics.wait blocks the thread for a time of our choice",
    `
    return Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 1) === "timed-out" ? "REACHED a blocked thread" : "";`,
  ),
  escape(
    "time-fine-clock",
    "the clock shows steps below five microseconds",
    `
    let least = Infinity;
    for (let n = 0; n < 2e5 && least > 0.004; n++) { const from = performance.now(); let to = from; while (to === from) to = performance.now(); least = Math.min(least, to - from); }
    return least < 0.004 ? "REACHED a step of " + least + " ms" : "";`,
  ),
  escape(
    "time-weak-ref",
    "a weak reference to what was given brings the host's object back after the call",
    `
    globalThis.weak = new WeakRef(given);
    return new Promise((resolve) => setTimeout(() => { const back = globalThis.weak.deref(); if (back !== undefined) back.isAdmin = true; resolve(""); }, 2));`,
  ),
  escape(
    "time-finalization",
    "a registry tells us when the host lets go, with an object of the host's as the token",
    `
    const registry = new FinalizationRegistry(() => {});
    registry.register({}, given);
    return climb(given);`,
  ),
  escape(
    "time-resizable",
    "a resizable buffer that the host has measured grows afterwards",
    `
    const buffer = new ArrayBuffer(8, { maxByteLength: 64 });
    setTimeout(() => buffer.resize(64), 0);
    globalThis.kept = buffer;
    return buffer;`,
  ),
];
