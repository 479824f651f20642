// Programs that use the ways in: the top level, names of modules and exports, imports, and functions given to run().
import { called, calmValue, loaded, whole, type Hostile } from "./program.ts";

const calm = `export const calm = () => "${calmValue}";`;
/** An object with an own key that an object literal cannot have. */
const named = (name: string, source: string): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ["main", calm],
    [name, source],
  ]);

export const loading: readonly Hostile[] = [
  loaded("load-spins", ["timeout"], "for (;;);"),
  loaded(
    "load-grows",
    ["memory", "crashed", "timeout"],
    "const a = []; for (;;) a.push(new Array(1000).fill(1));",
  ),
  loaded("load-throws-proxy", ["timeout"], "throw new Proxy({}, { get() { for (;;); } });"),
  loaded("load-throws", ["crashed"], `throw new Error("broken");`),
  loaded("load-recursion", ["crashed"], "const f = () => f() + 1; f();"),
  loaded("load-waits-for-ever", ["timeout"], "await new Promise(() => {});"),
  loaded(
    "load-waits-for-a-timer-that-spins",
    ["timeout"],
    "await new Promise(() => setTimeout(() => { for (;;); }, 5));",
  ),
  loaded("load-waits-for-a-thenable", ["timeout"], "await { then() { for (;;); } };"),
  loaded("load-microtasks", ["timeout", "ok"], "const f = () => { Promise.resolve().then(f); }; f();"),
  loaded("load-rejects-unheard", ["ok", "crashed"], "Promise.reject(new Proxy({}, { get: () => 1 }));"),
  loaded("load-output", ["output-limit", "timeout"], `for (;;) console.log("x".repeat(1000));`),
  loaded(
    "load-fatal",
    ["crashed", "memory", "timeout"],
    "Array.prototype.toSorted.call({ length: 2 ** 27 + 1 });",
  ),
  loaded(
    "load-uninterruptible",
    ["timeout", "memory", "crashed"],
    "const b = []; b[2 ** 31] = 1; b.reverse(); new Array(2e8).fill(0);",
  ),
  loaded("load-sets-timers", ["ok"], "setInterval(() => { for (;;); }, 5);", {
    calm: ["ok", "timeout", "not-running"],
  }),
  loaded("load-dynamic-import-of-nothing", ["ok", "crashed"], `import("nowhere").catch(() => {});`),
  loaded(
    "load-freezes-everything",
    ["ok", "crashed"],
    "for (const name of Object.getOwnPropertyNames(globalThis)) { const it = globalThis[name]; if (it?.prototype) Object.freeze(it.prototype); }",
  ),
];

export const names: readonly Hostile[] = [
  {
    id: "module-proto",
    expect: ["ok"],
    modules: named("__proto__", "export const bomb = () => 7;"),
    target: "__proto__.bomb",
    value: 7,
  },
  {
    id: "module-constructor",
    expect: ["ok"],
    modules: named("constructor", "export const bomb = () => 7;"),
    target: "constructor.bomb",
    value: 7,
  },
  {
    id: "module-has-own",
    expect: ["ok"],
    modules: named("hasOwnProperty", "export const bomb = () => 7;"),
    target: "hasOwnProperty.bomb",
    value: 7,
  },
  {
    id: "module-then",
    expect: ["ok"],
    modules: named("then", "export const bomb = () => 7;"),
    target: "then.bomb",
    value: 7,
  },
  whole("export-proto", ["ok"], "const f = () => 7; export { f as __proto__ };", {
    target: "main.__proto__",
    value: 7,
  }),
  whole("export-constructor", ["ok"], "const f = () => 7; export { f as constructor };", {
    target: "main.constructor",
    value: 7,
  }),
  whole("export-then", ["ok"], "export const then = (resolve) => resolve; export const bomb = () => 7;", {
    value: 7,
  }),
  whole(
    "export-then-imported-late",
    ["timeout", "ok", "crashed"],
    `export const then = () => { for (;;); }; export const bomb = () => import("main").then(() => 1);`,
  ),
  whole("export-to-json", ["ok"], "export const toJSON = () => { for (;;); }; export const bomb = () => 7;", {
    value: 7,
  }),
  whole(
    "export-getter-that-spins",
    ["timeout"],
    "export let bomb = new Proxy(function () {}, { apply() { for (;;); } });",
  ),
  whole("export-is-no-function", ["not-found"], "export const bomb = { call() { for (;;); } };"),
  whole("target-inherited", ["not-found"], "export const bomb = () => 1;", { target: "main.toString" }),
  whole("target-inherited-proto", ["not-found"], "export const bomb = () => 1;", {
    target: "main.__proto__",
  }),
  whole("target-missing-module", ["not-found"], "export const bomb = () => 1;", {
    target: "constructor.constructor",
  }),
  {
    id: "imports-in-a-circle",
    expect: ["ok", "crashed"],
    modules: {
      main: `${calm}\nimport { b } from "other"; export const a = () => b(); export const bomb = () => b();`,
      other: `import { a } from "main"; export const b = () => a();`,
    },
  },
];

export const shipped: readonly Hostile[] = [
  called("run-spins", ["timeout"], "", {
    run: () => {
      for (;;);
    },
  }),
  called("run-throws-proxy", ["timeout"], "", {
    run: () => {
      throw new Proxy(
        {},
        {
          get() {
            for (;;);
          },
        },
      );
    },
  }),
  called("run-returns-its-modules", ["unserializable"], "", { run: (modules) => modules }),
  called("run-patches-modules", ["ok", "crashed"], "", {
    run: (modules) => {
      (modules["main"] as Record<string, unknown>)["calm"] = 1;
      return 7;
    },
    calm: ["ok", "not-found"],
  }),
  called("run-imports", ["rejected"], "", { run: () => import("node:fs") }),
  called("run-reaches-for-process", ["crashed"], "", {
    run: () =>
      (globalThis as { process?: { exit(): unknown } }).process?.exit() ??
      (Function as unknown as (text: string) => () => unknown)("return 1")(),
  }),
  called("run-is-async-for-ever", ["timeout"], "", {
    run: async () => {
      for (;;) await Promise.resolve();
    },
  }),
  called("run-is-a-generator", ["unserializable"], "", {
    run: function* () {
      yield 1;
    },
  }),
  called("run-deletes-everything", ["ok", "crashed"], "", {
    run: () => {
      for (const name of Object.getOwnPropertyNames(globalThis))
        delete (globalThis as Record<string, unknown>)[name];
      return 7;
    },
  }),
  called("run-recurses", ["crashed"], "", {
    run: () => {
      const f = (): number => f() + 1;
      return f();
    },
  }),
];
