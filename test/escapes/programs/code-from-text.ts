// Code from text or bytes, which no gate has seen: every way to Function, eval and the like.
import { escape, type Escape } from "./escape.ts";

const word = `"return 'REACHED code from text'"`;

export const codeFromText: readonly Escape[] = [
  escape("code-function", "Function by its name", `return Function(${word})();`),
  escape("code-new-function", "Function as a constructor", `return new Function(${word})();`),
  escape(
    "code-function-prototype",
    "Function by the prototype of functions",
    `return (() => {}).constructor(${word})();`,
  ),
  escape(
    "code-async",
    "the constructor of async functions",
    `return (async () => {}).constructor(${word})();`,
  ),
  escape(
    "code-generator",
    "the constructor of generators",
    `return (function* () {}).constructor("yield 'REACHED code from text'")().next().value;`,
  ),
  escape(
    "code-async-generator",
    "the constructor of async generators",
    `return (async function* () {}).constructor("yield 'REACHED code from text'")().next().then((step) => step.value);`,
  ),
  escape("code-reflect", "Reflect.construct", `return Reflect.construct(Function, [${word}])();`),
  escape(
    "code-reflect-target",
    "Reflect.construct with another new target",
    `return Function.prototype.call.call(Reflect.construct((() => {}).constructor, [${word}], Array), null);`,
  ),
  escape(
    "code-subclass",
    "a class that extends Function",
    `return new (class extends Function {})(${word})();`,
  ),
  escape(
    "code-super",
    "super() of a class that extends async functions",
    `
    const Kind = (async () => {}).constructor;
    return new (class extends Kind { constructor() { super(${word}); } })()();`,
  ),
  escape(
    "code-bound",
    "Function bound and called later",
    `return (() => {}).constructor.bind(null, ${word})()();`,
  ),
  escape(
    "code-template",
    "a template calls Function for us",
    "return (() => {}).constructor`return 'REACHED code from text'`();",
  ),
  escape(
    "code-by-then",
    "a promise calls Function for us",
    `return Promise.resolve(${word}).then((() => {}).constructor).then((made) => made());`,
  ),
  escape(
    "code-by-apply",
    "Reflect.apply calls Function for us",
    `return Reflect.apply((() => {}).constructor, undefined, [${word}])();`,
  ),
  escape("code-eval", "eval by its name", `return eval("'REACHED code from text'");`),
  escape("code-eval-indirect", "eval in the global scope", `return (0, eval)("'REACHED code from text'");`),
  escape(
    "code-eval-global",
    "eval as a property of the global object",
    `return globalThis.eval("'REACHED code from text'");`,
  ),
  escape(
    "code-timer",
    "a text given to a timer",
    `return new Promise((resolve) => {
       globalThis.found = resolve;
       globalThis.evaluate = (text) => { try { return eval(text); } catch {} };
       setTimeout(() => resolve(""), 100);
       try { setTimeout("found('REACHED code from text')", 0); } catch { evaluate("found('REACHED code from text')"); }
     });`,
  ),
  escape(
    "code-wasm",
    "WebAssembly from bytes",
    "return new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) && 'REACHED code from bytes';",
  ),
  escape(
    "code-wasm-async",
    "WebAssembly through its promise",
    `return WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => "REACHED code from bytes");`,
  ),
  escape(
    "code-restored-prototype",
    "the constructor of functions found through a prototype that was put aside",
    `for (const kind of [() => {}, async () => {}, function* () {}, async function* () {}])
       for (let at = kind; at !== null; at = Object.getPrototypeOf(at)) {
         const make = Object.getOwnPropertyDescriptor(at, "constructor")?.value;
         try { const found = make?.(${word})(); if (typeof found === "string") return found; } catch {}
       }
     return "";`,
  ),
];
