// Modules that are not allowed: Node's own, files, packages and URLs, by import() in all its spellings.
import { escape, type Escape } from "./escape.ts";

const got = `.then((found) => (found ? "REACHED " + Object.keys(found).length : ""), () => "")`;

export const imports: readonly Escape[] = [
  escape("import-fs", "files", `return import("node:fs")${got};`),
  escape("import-bare", "a builtin module without its prefix", `return import("child_process")${got};`),
  escape("import-process", "the process", `return import("node:process")${got};`),
  escape(
    "import-module",
    "require by way of node:module",
    `return import("node:module").then((found) => found.createRequire("/")("fs"))${got};`,
  ),
  escape("import-vm", "another context", `return import("node:vm")${got};`),
  escape("import-worker", "a thread", `return import("node:worker_threads")${got};`),
  escape(
    "import-data",
    "a module in its own address",
    `return import("data:text/javascript,export const a = 1")${got};`,
  ),
  escape(
    "import-file",
    "a file by its address",
    `return import("file:///proc/self/cmdline").then(() => "REACHED", (error) => (/EACCES|not found|Cannot find|must be|no such module|Cannot import|granted/i.test(String(error)) ? "" : "REACHED it was read: " + error));`,
  ),
  escape(
    "import-package",
    "a package of the host's",
    `return import("rolldown/package.json", { with: { type: "json" } })${got};`,
  ),
  escape(
    "import-comment",
    "with a comment between the word and its bracket",
    `return import /* nothing */ ("node:fs")${got};`,
  ),
  escape(
    "import-computed",
    "with a name that is put together",
    `return import(["node", "fs"].join(":"))${got};`,
  ),
  escape(
    "import-object",
    "with an object that becomes a name",
    `return import({ toString: () => "node:fs" })${got};`,
  ),
  escape(
    "import-changing",
    "with an object that becomes another name when it is asked again",
    `
    let asked = 0;
    return import({ toString: () => (asked++ === 0 ? "node:os" : "node:fs") })${got};`,
  ),
  escape(
    "import-microtask",
    "from a microtask, outside of the call",
    `return new Promise((resolve) => queueMicrotask(() => import("node:fs")${got}.then(resolve)));`,
  ),
  escape(
    "import-timer",
    "from a timer",
    `return new Promise((resolve) => setTimeout(() => import("node:fs")${got}.then(resolve), 1));`,
  ),
  escape(
    "import-climb",
    "the promise of an import is the host's",
    `
    const promise = import("node:fs");
    promise.catch(() => {});
    return climb(promise) || promise.then((found) => climb(found), (error) => climb(error));`,
  ),
];
