// What a guest has only by grant: code from text, WebAssembly, shared memory, buffers that grow. All of it is taken away
// when the isolate boots, before it is known whose it will be, and what is granted is given back before any guest code.

type Names = readonly string[];

const global = globalThis as Record<string, unknown>;
const { WebAssembly, SharedArrayBuffer, Atomics, eval: evaluate, ArrayBuffer: RealBuffer } = global;
const samples = [function () {}, async function () {}, function* () {}, async function* () {}];
/** The four that make code from text; every function's `constructor` leads to one of them. */
const codeMakers = samples.map((sample) => {
  const prototype = Object.getPrototypeOf(sample) as { constructor: { name: string } };
  return { prototype, maker: prototype.constructor, name: prototype.constructor.name };
});
const bufferPrototype = (RealBuffer as ArrayBufferConstructor).prototype as { resize?: unknown };
const { resize } = bufferPrototype;
const { construct } = Reflect;

/** Takes everything away. */
export function withhold(): void {
  // WebAssembly and growable or shared memory are not counted by the heap limit; Atomics needs shared memory.
  for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "eval"]) delete global[name];
  forbidCodeFromText();
  forbidResizableBuffers();
}

/** Gives back what is granted, and closes for good what is not. Runs once, before any guest code. */
export function enable(names: Names): void {
  if (names.includes("webAssembly")) give("WebAssembly", WebAssembly);
  if (names.includes("sharedMemory")) {
    give("SharedArrayBuffer", SharedArrayBuffer);
    give("Atomics", Atomics);
  }
  if (names.includes("resizableBuffers")) {
    give("ArrayBuffer", RealBuffer);
    define(bufferPrototype, "constructor", RealBuffer);
    define(bufferPrototype, "resize", resize);
  }
  if (names.includes("dynamicCode")) {
    give("eval", evaluate);
    for (const { prototype, maker, name } of codeMakers) {
      define(prototype, "constructor", maker);
      if (name === "Function") give("Function", maker);
    }
    return;
  }
  for (const { prototype } of codeMakers)
    Object.defineProperty(prototype, "constructor", { writable: false, configurable: false });
}

function forbidCodeFromText(): void {
  for (const { prototype, name } of codeMakers) {
    const forbidden = function (): never {
      throw new EvalError(`Cannot make code from text: ${name}() is not granted`);
    };
    Object.defineProperty(forbidden, "name", { value: name });
    Object.defineProperty(forbidden, "prototype", { value: prototype });
    define(prototype, "constructor", forbidden);
    if (name === "Function") give("Function", forbidden);
  }
}

function forbidResizableBuffers(): void {
  const Real = RealBuffer as ArrayBufferConstructor;
  function FixedBuffer(length: unknown, options?: { maxByteLength?: unknown }): unknown {
    if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'");
    if (options?.maxByteLength !== undefined)
      throw new TypeError("Cannot make a resizable ArrayBuffer: it is not granted");
    return construct(Real, [length], new.target);
  }
  Object.defineProperties(FixedBuffer, Object.getOwnPropertyDescriptors(Real));
  define(bufferPrototype, "constructor", FixedBuffer);
  delete bufferPrototype.resize;
  give("ArrayBuffer", FixedBuffer);
}

function give(name: string, value: unknown): void {
  define(global, name, value);
}

function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });
}
