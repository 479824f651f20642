// The features that a profile enables: code from text, WebAssembly, shared memory, resizable buffers. All are disabled when
// the isolate boots, before its sandbox is known, and the profile's are enabled again before any guest code.

type Names = readonly string[];

const global = globalThis as Record<string, unknown>;
const { WebAssembly, SharedArrayBuffer, Atomics, eval: evaluate, ArrayBuffer: RealBuffer } = global;
const samples = [function () {}, async function () {}, function* () {}, async function* () {}];
/** The four constructors that make code from text; every function's `constructor` leads to one of them. */
const codeConstructors = samples.map((sample) => {
  const prototype = Object.getPrototypeOf(sample) as { constructor: { name: string } };
  return { prototype, original: prototype.constructor, name: prototype.constructor.name };
});
const bufferPrototype = (RealBuffer as ArrayBufferConstructor).prototype as { resize?: unknown };
const { resize } = bufferPrototype;
const { construct } = Reflect;

/** Disables all features. */
export function disableAll(): void {
  // WebAssembly and growable or shared memory are not counted by the heap limit; Atomics needs shared memory.
  for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "eval"]) delete global[name];
  disableCodeFromText();
  disableResizableBuffers();
}

/** Enables the named features and makes the lack of the others permanent. Runs once, before any guest code. */
export function enable(names: Names): void {
  if (names.includes("webAssembly")) setGlobal("WebAssembly", WebAssembly);
  if (names.includes("sharedMemory")) {
    setGlobal("SharedArrayBuffer", SharedArrayBuffer);
    setGlobal("Atomics", Atomics);
  }
  if (names.includes("resizableBuffers")) {
    setGlobal("ArrayBuffer", RealBuffer);
    define(bufferPrototype, "constructor", RealBuffer);
    define(bufferPrototype, "resize", resize);
  }
  if (names.includes("dynamicCode")) {
    setGlobal("eval", evaluate);
    for (const { prototype, original, name } of codeConstructors) {
      define(prototype, "constructor", original);
      if (name === "Function") setGlobal("Function", original);
    }
    return;
  }
  for (const { prototype } of codeConstructors)
    Object.defineProperty(prototype, "constructor", { writable: false, configurable: false });
}

function disableCodeFromText(): void {
  for (const { prototype, name } of codeConstructors) {
    const disabled = function (): never {
      throw new EvalError(`Cannot make code from text: ${name}() is not enabled`);
    };
    Object.defineProperty(disabled, "name", { value: name });
    Object.defineProperty(disabled, "prototype", { value: prototype });
    define(prototype, "constructor", disabled);
    if (name === "Function") setGlobal("Function", disabled);
  }
}

function disableResizableBuffers(): void {
  const Real = RealBuffer as ArrayBufferConstructor;
  function FixedBuffer(length: unknown, options?: { maxByteLength?: unknown }): unknown {
    if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'");
    if (options?.maxByteLength !== undefined)
      throw new TypeError("Cannot make a resizable ArrayBuffer: it is not enabled");
    return construct(Real, [length], new.target);
  }
  Object.defineProperties(FixedBuffer, Object.getOwnPropertyDescriptors(Real));
  define(bufferPrototype, "constructor", FixedBuffer);
  delete bufferPrototype.resize;
  setGlobal("ArrayBuffer", FixedBuffer);
}

function setGlobal(name: string, value: unknown): void {
  define(global, name, value);
}

function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });
}
