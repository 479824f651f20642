// The attacks: ways in which a guest or its owner takes more than a fair part of processor, lanes, compiler or host.
import { calling, type Attack } from "./attack.ts";
import { unwrap } from "../subject.ts";

const MiB = 2 ** 20;
const nothing = { modules: { main: "export const attack = () => 1;" } };
/** About 900 KB of code. */
const bigBody = Array.from(
  { length: 16_000 },
  (_, n) => `const value${n} = (n) => n + ${n}; // ${"y".repeat(12)}\n`,
).join("");
/** The engine cannot be interrupted while it compiles a regular expression. */
const uncuttable = {
  modules: {
    main: `const set = new RegExp("[\\\\p{L}--[a-z]]".repeat(4_000), "v"); export const attack = () => set.test("a");`,
  },
};
const numbered = (count: number, mark: number): string =>
  `${Array.from({ length: count }, (_, n) => `export const v${n} = ${n * mark};`).join("\n")}\n`;

const computing: readonly Attack[] = [
  {
    name: "spinning intervals",
    about: "timers that compute for 900 ms, one after the other",
    spec: {
      modules: {
        main: `const spin = () => { const endMs = Date.now() + 900; while (Date.now() < endMs); };
          export const attack = () => void setInterval(spin, 1);`,
      },
    },
    begin: (sandbox) => sandbox.call("main.attack"),
  },
  calling("long runs", "runs that compute until their time is over", {
    main: "export const attack = () => { for (;;); };",
  }),
  calling("short deadlines", "endless runs with a timeout of 50 ms", {
    main: "export const attack = () => { for (;;); };",
    timeoutMs: 50,
  }),
  {
    name: "quick, then long",
    about: "fifty quick runs, then one that computes for a second",
    spec: {
      modules: {
        main: `export const attack = (ms) => { const endMs = Date.now() + ms; while (Date.now() < endMs); };`,
      },
    },
    act: (sandbox, _attacker, round) =>
      sandbox.call("main.attack", { args: [round % 51 === 50 ? 1_000 : 0] }),
  },
  calling("microtasks", "promises that follow each other without end", {
    main: "export const attack = async () => { for (;;) await null; };",
  }),
  calling("promise chains", "200,000 promises, each resolved by the one before", {
    main: `export const attack = async () => {
      for (;;) { let last = Promise.resolve(0); for (let n = 0; n < 200_000; n++) last = last.then((v) => v + 1); await last; }
    };`,
  }),
  {
    name: "timers",
    about: "1,000 timers that set each other anew",
    spec: {
      modules: {
        main: `const again = () => setTimeout(again, 1);
          export const attack = () => { for (let n = 0; n < 1_000; n++) again(); };`,
      },
    },
    begin: (sandbox) => sandbox.call("main.attack"),
  },
  calling("short URLs", "short URLs parsed without end", {
    main: `export const attack = () => { for (;;) new URL("https://example.org/a?b=c"); };`,
  }),
  calling("long URLs", "URLs of 200 KB parsed without end", {
    main: `const text = "https://example.org/" + "x".repeat(200_000);
      export const attack = () => { for (;;) new URL(text); };`,
  }),
  calling("text coding", "megabytes of text encoded and decoded without end", {
    main: `const text = "\\u00e4".repeat(500_000);
      export const attack = () => { for (;;) new TextDecoder().decode(new TextEncoder().encode(text)); };`,
  }),
  calling("memory", "memory up to the limit", {
    main: `export const attack = () => { const kept = []; for (;;) kept.push(new Array(1_000).fill(1.5)); };`,
    limits: { memoryBytes: 32 * MiB },
  }),
  calling("fuel", "runs that compute until their fuel is used up", {
    main: "export const attack = () => { for (;;); };",
    limits: { fuel: 50_000_000 },
  }),
  calling("deep stacks", "endless recursion, whose error is thrown", {
    main: "export const attack = () => { const f = (n) => f(n + 1) + 1; return f(0); };",
  }),
];

const crossing: readonly Attack[] = [
  calling("console lines", "a megabyte of console lines in each run", {
    main: `export const attack = () => { for (let n = 0; n < 60_000; n++) console.log("line", n); };`,
  }),
  calling("big results", "results of four megabytes", {
    main: `const text = "x".repeat(4_000_000); export const attack = () => text;`,
  }),
  calling("many objects", "results of 100,000 empty objects", {
    main: `const list = Array.from({ length: 100_000 }, () => ({})); export const attack = () => list;`,
  }),
  calling("sets of BigInts", "results that are sets of 5,000 large BigInts", {
    main: `const set = new Set(); for (let n = 0; n < 5_000; n++) set.add((BigInt(n) << 64n) + 1n);
      export const attack = () => set;`,
  }),
  calling("regular expressions", "results that are regular expressions of 60 KB", {
    main: `const source = "[\\\\p{L}--[a-z]]".repeat(4_000);
      export const attack = () => new RegExp(source, "v");`,
  }),
  calling("throws in a big module", "errors thrown in a module of a megabyte", {
    main: `${bigBody}export const attack = () => { throw new Error("no"); };`,
  }),
  calling("requests", "requests to the host, sixteen at a time", {
    main: `import { echo } from "vivarium/capabilities";
      export const attack = async () => { for (;;) await Promise.all(Array.from({ length: 16 }, (_, n) => echo(n))); };`,
    capabilities: { echo: { calls: 1_000_000_000, bytes: 2 ** 40 } },
  }),
  {
    name: "checkpoints",
    about: "a server whose state of 200 KB is stored after each message",
    spec: {
      modules: {
        main: `import { server } from "vivarium/guest";
          export default server({
            init: () => ({ n: 0, text: "x".repeat(200_000) }),
            handleCall: (_message, { n, text }) => ({ reply: n, state: { n: n + 1, text } }),
          });`,
      },
      supervisor: "main",
      checkpoint: "message",
    },
    act: async (sandbox) => {
      const [first] = await sandbox.processes();
      return first === undefined ? undefined : sandbox.ask("main", 1);
    },
  },
  calling("process events", "processes that are spawned and end without end", {
    main: `import { spawn } from "vivarium/guest";
      export const attack = () => { for (let n = 0; n < 50; n++) spawn(() => {}); };`,
  }),
];

const owning: readonly Attack[] = [
  {
    name: "create and destroy",
    about: "sandboxes created and destroyed without end",
    spec: nothing,
    act: async (_sandbox, { create }) => (await create(nothing)).destroy(),
  },
  {
    name: "loads without a pause",
    about: "sandboxes whose top level is one regular expression that takes 700 ms, created and destroyed",
    spec: nothing,
    act: async (_sandbox, { create }) => (await create(uncuttable)).destroy(),
  },
  {
    name: "reloads",
    about: "hot reloads without end, each of new code",
    spec: nothing,
    act: (sandbox, { number }, round) =>
      sandbox.hotReload({ main: `export const attack = () => ${number * 1_000_000 + round};` }),
  },
  {
    name: "compile bombs",
    about: "sources of 16 KB that the parser takes seconds for",
    spec: nothing,
    act: (_sandbox, { create, number }, round) =>
      create({ modules: { main: `/* ${number} ${round} */ ${"a<".repeat(8_000)}` } }),
  },
  {
    name: "sources of a megabyte",
    about: "sandboxes of new code of a megabyte, created and destroyed",
    spec: nothing,
    act: async (_sandbox, { create, number }, round) =>
      (await create({ modules: { main: `// ${number} ${round}\n${bigBody}` } })).destroy(),
  },
  {
    name: "diffs",
    about: "differences of two versions with 500 changed lines each",
    spec: { modules: { main: numbered(500, 2) } },
    begin: (sandbox) => sandbox.hotReload({ main: numbered(500, 3) }),
    act: (sandbox) => sandbox.diff("main", 1, 2),
  },
  {
    name: "batches",
    about: "batches of 200 calls into one sandbox",
    spec: { modules: { main: "export const attack = (n) => n;" } },
    act: async (sandbox, { runtime }) => {
      const results = await runtime.batch.call(Array<string>(200).fill(sandbox.id), "main.attack", {
        args: [1],
      });
      for (const outcome of results) unwrap(outcome);
    },
  },
  {
    name: "calls",
    about: "a hundred quick calls at a time",
    spec: { modules: { main: "export const attack = (n) => n;" } },
    act: (sandbox) =>
      Promise.all(Array.from({ length: 100 }, (_, n) => sandbox.call("main.attack", { args: [n] }))),
  },
];

export const attacks: readonly Attack[] = [...computing, ...crossing, ...owning];
