// Programs that the gate has an opinion on, with what each preset makes of them.

/** What the gate does: a for admit, w for warn, r for reject. */
export type Letter = "a" | "w" | "r";

export interface GateProgram {
  readonly name: string;
  readonly source: string;
  /** Under high, medium, low and classroom. */
  readonly expected: readonly [high: Letter, medium: Letter, low: Letter, classroom: Letter];
  /** Where the first finding stands in the source, when there is one. */
  readonly at?: `${number}:${number}`;
}

type Row = readonly [name: string, expected: string, source: string, at?: `${number}:${number}`];

const f = (body: string): string => `export const f = (x: any, y?: any) => { ${body} };`;

const blocked: readonly Row[] = [
  ["a builtin of Node", "rrwr", 'import fs from "node:fs"; export const f = () => fs;', "1:16"],
  ["a builtin without its scheme", "rrwr", 'import { exec } from "child_process"; export const f = exec;'],
  ["a builtin below a builtin", "rrwr", 'import "fs/promises"; export const f = 1;'],
  ["a builtin passed on", "rrwr", 'export * from "node:os";'],
  ["a builtin passed on by name", "rrwr", 'export { cpus } from "os";'],
  ["a builtin imported while it runs", "rrwr", f('return import("node:net")'), "1:55"],
  ["a builtin in a template", "rrwr", f("return import(`node:vm`)")],
  ["a builtin whose name is escaped", "rrwr", 'import "\\u006eode:fs"; export const f = 1;'],
  ["isolated-vm", "rrwr", 'import ivm from "isolated-vm"; export const f = ivm;'],
  ["a file's address", "rrwr", 'import "file:///etc/passwd"; export const f = 1;'],
  ["code in an address", "rrwr", 'import "data:text/javascript,1"; export const f = 1;'],
  ["a web address", "rrwr", 'import "https://example.org/x.js"; export const f = 1;'],
  ["a path from the root", "rrwr", 'import "/etc/passwd"; export const f = 1;'],
  [
    "a builtin below types, in its own line",
    "rrwr",
    'interface A { b: string }\n\ntype C = A["b"];\nimport os from "node:os";\nexport const f = (): C => os.type();',
    "4:16",
  ],
  ["a builtin among other findings", "rrwr", f('process.exit(); return import("node:fs")')],
];

const suspicious: readonly Row[] = [
  ["process", "rwww", f("return process.env.HOME"), "1:48"],
  ["require", "rwww", f('return require("fs")')],
  ["Buffer", "rwww", f("return Buffer.from(x)")],
  ["fetch", "rwww", f('return fetch("http://127.0.0.1")')],
  ["a worker", "rwww", f('return new Worker("x.js")')],
  ["a host's global by way of globalThis", "rwww", f("return globalThis.process")],
  ["a host's global by way of globalThis twice", "rwww", f("return globalThis.globalThis?.process")],
  ["a host's global by a text", "rwww", f('return globalThis["pro" + "cess"]')],
  [
    "a host's global taken out of globalThis",
    "rwww",
    "const { process: p } = globalThis; export const f = () => p;",
  ],
  ["globalThis by a name worked out", "rwww", f("return globalThis[x]")],
  ["globalThis handed on", "rwww", f("const g = globalThis; return g[x]")],
  ["import.meta", "rwww", f("return import.meta.url")],
  ["an import worked out while it runs", "rwww", f("return import(x)")],
  ["__proto__ read", "rwww", f("return x.__proto__")],
  ["__proto__ by a text", "rwww", f('x["__pro" + "to__"] = y')],
  ["__proto__ in a pattern", "rwww", f("const { __proto__: p } = x; return p")],
  ["a getter defined the old way", "rwww", f('x.__defineGetter__("a", y)')],
  ["an intrinsic's prototype changed", "rwww", f("Array.prototype.map = x")],
  ["an intrinsic changed", "rwww", f("Object.keys = x")],
  ["an intrinsic's member deleted", "rwww", f("delete (Promise as any).prototype.then")],
  ["the prototype of a prototype", "rwww", f("Object.setPrototypeOf(Array.prototype, x)")],
  ["a property defined on a prototype", "rwww", f('Object.defineProperty(Object.prototype, "a", x)')],
  ["properties assigned to a prototype", "rwww", f("Object.assign(String.prototype, x)")],
  ["stack traces made by the guest", "rwww", f("Error.prepareStackTrace = x")],
  ["WebAssembly", "rwww", f("return new WebAssembly.Module(x)")],
  ["SharedArrayBuffer", "rwww", f("return new SharedArrayBuffer(8)")],
  ["Atomics", "rwww", f("Atomics.wait(x, 0, 0)")],
  ["a buffer that grows", "rwww", f("return new ArrayBuffer(8, { maxByteLength: 2 ** 30 })")],
  ["an uncommonly large module", "rwww", `export const f = () => "${"x".repeat(600_000)}";`],
];

// Granted under low: no finding there.
const granted: readonly Row[] = [
  ["eval", "rwaw", f("return eval(x)"), "1:48"],
  ["eval not called by its name", "rwaw", f("return (0, eval)(x)")],
  ["eval whose name is escaped", "rwaw", f("return \\u0065val(x)")],
  ["new Function", "rwaw", f("return new Function(x)")],
  ["Function handed on", "rwaw", f("return Reflect.construct(Function, [x])")],
  ["a class that extends Function", "rwaw", "export class F extends Function {}"],
  ["a constructor's constructor", "rwaw", f('return [].constructor.constructor("return this")()')],
  ["a constructor's constructor in pieces", "rwaw", f('return x["constr" + "uctor"]["constructor"](y)')],
  [
    "a constructor's constructor by a pattern",
    "rwaw",
    f("const { constructor: { constructor: F } } = x; return F(y)"),
  ],
  ["a function's constructor", "rwaw", f('return (() => {}).constructor("return 1")')],
  [
    "a function's constructor that looks like a method behind a comment",
    "rwaw",
    f('return (() => {}). // }\nconstructor("return 1")'),
  ],
  [
    "an asynchronous function's constructor",
    "rwaw",
    f("return Object.getPrototypeOf(async function () {}).constructor"),
  ],
];

const ordinary: readonly Row[] = [
  ["arithmetic", "aaaa", "export const f = (n: number) => n * 2;"],
  ["imports of its own modules", "aaaa", 'import { g } from "./other"; export const f = () => g();'],
  ["imports of its own modules by name", "aaaa", 'import { g } from "other"; export const f = () => g();'],
  [
    "a module of its own with a builtin's name",
    "aaaa",
    'import { g } from "util"; export const f = () => g();',
  ],
  ["processes", "aaaa", 'import { self } from "vivarium/guest"; export const f = () => self;'],
  [
    "variables with names of hosts",
    "aaaa",
    f("const process = x; let require = y; return [process, require]"),
  ],
  [
    "parameters with names of hosts",
    "aaaa",
    "export const f = (module: any, { fetch }: any, ...self: any) => [module, fetch, self];",
  ],
  [
    "methods with names of hosts",
    "aaaa",
    "export class A { process() { return this.process; } static eval = 1; }",
  ],
  [
    "labels and keys with names of hosts",
    "aaaa",
    f("global: for (;;) break global; return { process: 1, window: 2 }"),
  ],
  ["a caught error of a host's name", "aaaa", f("try { x() } catch (process) { return process }")],
  ["asking whether a host is there", "aaaa", f('return typeof process === "undefined" && typeof window')],
  ["a type's constructor", "aaaa", f("return x.constructor === Array || x instanceof Function")],
  ["a type's constructor by a pattern", "aaaa", f("const { constructor: C } = x; return C")],
  ["a null prototype", "aaaa", f("return { __proto__: null, x }")],
  [
    "a class's own prototype",
    "aaaa",
    "class A {}\n(A.prototype as any).b = 1;\nexport const f = () => new A();",
  ],
  ["functions called with a this", "aaaa", f("return Function.prototype.call.call(x, y)")],
  ["an ordinary buffer", "aaaa", f("return new ArrayBuffer(8)")],
  ["names in texts and comments", "aaaa", f('/* eval(process) */ return "eval(process.__proto__)"')],
  ["timers, console and urls", "aaaa", f('setTimeout(() => console.log(new URL("http://a/b").href), 1)')],
  ["stack traces of a chosen length", "aaaa", f("Error.stackTraceLimit = 5")],
];

export const gatePrograms: readonly GateProgram[] = [...blocked, ...suspicious, ...granted, ...ordinary].map(
  ([name, expected, source, at]) => ({
    name,
    source,
    expected: expected.split("") as unknown as GateProgram["expected"],
    ...(at === undefined ? {} : { at }),
  }),
);
