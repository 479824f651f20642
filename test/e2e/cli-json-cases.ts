// For each command how it is asked for JSON: command lines that do their work, and those that fail, with their exit codes.
import { cpSync } from "node:fs";
import { connect } from "../../src/client/index.ts";
import { FilledFolder } from "../support/filled-folders.ts";
import type { Folder } from "../support/folders.ts";
import type { Serving } from "./serving.ts";

export interface JsonCase {
  readonly args: readonly string[];
  readonly form: "document" | "lines";
  /** Default: 0. */
  readonly code?: number;
  readonly stdin?: string;
  /** Sent when so many lines are there. */
  readonly ends?: { readonly lines: number; readonly signal: NodeJS.Signals };
}

export interface JsonFailure {
  readonly args: readonly string[];
  readonly code: number;
}

export interface CommandCases {
  readonly done: readonly JsonCase[];
  /** Besides those that every command has. */
  readonly failed?: readonly JsonFailure[];
  /** The arguments with which it would run on a server: where that refuses it, it ends with 5, where there is none, with 1. */
  readonly onServer?: readonly string[];
}

const document = (...args: readonly string[]): JsonCase => ({ args, form: "document" });
const lines = (...args: readonly string[]): JsonCase => ({ args, form: "lines" });
const gone = { args: ["nobody"], code: 1 } as const;

/** What the command lines below name. */
export const files = {
  "script.ts": "console.log('x'); [1, NaN]",
  "throws.ts": "throw new Error('no')",
  "loops.ts": "for (;;);",
  "guest.ts": "export const f = (n = 1) => n * 2; export const dice = () => Math.random();",
  "broken.ts": "export const f = (",
  "task.mjs":
    "export const module = 'guest'; export const fitness = { tests: [{ name: 't', call: 'guest.f', args: [2], expected: 4 }] };",
  "suite.json": { tests: [{ name: "t", call: "main.f", args: [2], expected: 4 }] },
  "specs.jsonl":
    '{"id": "b1", "modules": {"main": "export const f = (n) => n * 2;"}}\n{"modules": {"main": "export const f = ("}}\n',
  "named.jsonl": '"a"\n"nobody"\n',
  "wrong.jsonl": "5\n",
};

/**
 * On a server that has the sandboxes `a`, of two versions, and `k`, and with a data folder `data`. In this order: later ones use
 * what earlier ones wrote.
 */
export const cases: Readonly<Record<string, CommandCases>> = {
  demo: {
    done: [document("--problem", "square", "--population", "20", "--evaluations", "20")],
    failed: [{ args: ["--fresh"], code: 2 }],
  },
  run: {
    done: [
      document("script.ts"),
      document("guest.ts", "--target", "dice", "--seed", "1", "--record", "recording.json"),
      { ...document("throws.ts"), code: 3 },
      { ...document("loops.ts", "--timeout-ms", "100"), code: 4 },
    ],
    failed: [
      { args: ["none.ts"], code: 2 },
      { args: ["broken.ts", "--target", "f"], code: 3 },
    ],
    onServer: ["script.ts"],
  },
  repl: {
    done: [
      { ...lines(), stdin: "const n = 1\nn + 1\n" },
      { ...lines(), stdin: "throw 1\n.lod x\n", code: 2 },
    ],
    onServer: [],
  },
  eval: {
    done: [
      document("guest.ts", "--task", "task.mjs"),
      document("broken.ts", "--task", "task.mjs"),
      lines("guest.ts", "broken.ts", "--task", "task.mjs"),
    ],
    failed: [{ args: ["guest.ts"], code: 2 }],
  },
  batch: {
    done: [
      lines("specs.jsonl", "--call", "main.f", "--args", "[2]"),
      lines("specs.jsonl", "--suite", "suite.json"),
      lines("specs.jsonl", "--create", "--data", "other"),
      lines("named.jsonl", "--call", "main.f", "--data", "other"),
    ],
    failed: [{ args: ["wrong.jsonl", "--call", "main.f"], code: 2 }],
    onServer: ["specs.jsonl", "--call", "main.f"],
  },
  watch: {
    done: [
      {
        ...lines("guest.ts", "--call", "guest.f"),
        ends: { lines: 2, signal: "SIGINT" },
        code: 130,
      },
      { ...lines("broken.ts"), ends: { lines: 1, signal: "SIGINT" }, code: 130 },
    ],
    failed: [{ args: ["none.ts"], code: 2 }],
    onServer: ["guest.ts"],
  },
  serve: {
    done: [{ ...document("--port", "0"), ends: { lines: 7, signal: "SIGTERM" } }],
    failed: [
      { args: ["--host", "0.0.0.0"], code: 2 },
      { args: ["--tokens", "specs.jsonl"], code: 2 },
    ],
  },
  mcp: { done: [document("config", "claude")], failed: [{ args: ["--keep"], code: 2 }], onServer: [] },
  top: {
    done: [document("--interval", "100"), lines("--interval", "100", "--samples", "2")],
    onServer: [],
  },
  ps: { done: [document()], failed: [{ args: ["--limit", "0"], code: 2 }], onServer: [] },
  inspect: { done: [document("a")], failed: [gone], onServer: ["a"] },
  logs: {
    done: [document("a"), { ...lines("a", "--follow"), ends: { lines: 1, signal: "SIGINT" }, code: 130 }],
    failed: [gone],
    onServer: ["a"],
  },
  kill: { done: [document("k")], failed: [gone], onServer: ["a"] },
  restart: { done: [document("a")], failed: [gone], onServer: ["a"] },
  versions: { done: [document("a")], failed: [gone], onServer: ["a"] },
  diff: {
    done: [document("a", "main", "1", "2")],
    failed: [
      { args: ["a", "main", "1", "99"], code: 1 },
      { args: ["a", "main", "x", "2"], code: 2 },
    ],
    onServer: ["a", "main", "1", "2"],
  },
  rollback: {
    done: [document("a", "main", "1")],
    failed: [{ args: ["a"], code: 2 }],
    onServer: ["a", "main", "1"],
  },
  lineage: { done: [document("a")], failed: [gone], onServer: ["a"] },
  gc: { done: [document()], onServer: [] },
  export: {
    done: [document("a")],
    failed: [gone, { args: ["a", "--output", "script.ts/x"], code: 2 }],
    onServer: ["a"],
  },
  import: {
    done: [document("exported.json", "--id", "imported")],
    failed: [
      { args: ["suite.json"], code: 2 },
      { args: ["exported.json", "--id", "a"], code: 1 },
    ],
    onServer: ["exported.json"],
  },
  replay: {
    done: [
      document("a", "recording.json"),
      document("data", "--dump", "evolution.json"),
      document("evolution.json", "--html", "evolution.html"),
      { ...document("evolution.json"), code: 130, ends: { lines: 12, signal: "SIGINT" } },
    ],
    failed: [
      { args: ["a", "suite.json"], code: 2 },
      { args: ["suite.json"], code: 2 },
      { args: ["none"], code: 2 },
    ],
    onServer: ["a", "recording.json"],
  },
  "store check": { done: [document("data")], failed: [{ args: ["none"], code: 2 }] },
  "store compact": { done: [document("data")], failed: [{ args: ["none"], code: 2 }] },
  "store repair": { done: [document("data")], failed: [{ args: ["none"], code: 2 }] },
  "store export": { done: [lines("data")], failed: [{ args: ["none"], code: 2 }] },
  "store backup": { done: [document("data", "copy")], failed: [{ args: ["none", "to"], code: 2 }] },
  runs: { done: [document("data")], failed: [{ args: ["none"], code: 2 }] },
  bench: { done: [document("--seconds", "1")], onServer: ["--seconds", "1"] },
  doctor: { done: [document()] },
  completion: { done: [document("bash")], failed: [{ args: ["tcsh"], code: 2 }] },
};

/** The data folder, what was exported, and the sandboxes of the server. */
export async function prepare(folder: Folder, { url, token }: Serving): Promise<void> {
  using filled = new FilledFolder({ sandboxes: 2, documents: 2 });
  cpSync(filled.path, folder.at("data"), { recursive: true });
  await using runtime = await connect(url, { token });
  const main = "export const f = (n) => { console.log(n); return n; };";
  const sandbox = await runtime.create("a", { modules: { main } });
  await sandbox.hotReload({ main: `${main}// 2` });
  await sandbox.call("main.f", { args: [1] });
  await runtime.create("k", { modules: { main } });
  folder.write({ "exported.json": await sandbox.export() });
}
