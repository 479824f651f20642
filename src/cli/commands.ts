// All commands of `vivarium` by name, with what each does. This file is all that `vivarium --help` loads: what a command needs
// is loaded when it is run.
import type { CommandTable } from "./command-file.ts";

/** In the order in which they are shown. */
export const commands: CommandTable = {
  demo: {
    about: "evolves programs, live in the terminal",
    load: async () => (await import("./demo.ts")).command,
  },
  run: {
    about: "runs a script or module in a sandbox and prints its value",
    load: async () => (await import("./run/run.ts")).command,
  },
  repl: {
    about: "a console: statements in a sandbox that keeps what they declare",
    load: async () => (await import("./repl/command.ts")).command,
  },
  eval: {
    about: "evaluates programs by a task, for engines written in any language",
    load: async () => (await import("./eval/command.ts")).command,
  },
  batch: {
    about: "calls, evaluates or creates many: lines of JSON in, lines of JSON out",
    load: async () => (await import("./batch/command.ts")).command,
  },
  watch: {
    about: "reloads a sandbox when its files change",
    load: async () => (await import("./watch/command.ts")).command,
  },
  serve: {
    about: "serves a runtime over HTTP to other programs, machines and languages",
    load: async () => (await import("./serve/command.ts")).command,
  },
  mcp: {
    about: "serves an agent by the Model Context Protocol on stdin and stdout",
    load: async () => (await import("./mcp/command.ts")).command,
  },
  top: {
    about: "a live table of sandboxes, cells, memory and outcomes",
    load: async () => (await import("./top/command.ts")).command,
  },
  ps: {
    about: "lists the living sandboxes",
    load: async () => (await import("./sandboxes/ps.ts")).command,
  },
  inspect: {
    about: "shows all that is known of a sandbox",
    load: async () => (await import("./sandboxes/inspect.ts")).command,
  },
  logs: {
    about: "shows what a sandbox wrote to its console",
    load: async () => (await import("./sandboxes/logs.ts")).command,
  },
  kill: {
    about: "ends sandboxes",
    load: async () => (await import("./sandboxes/kill.ts")).command,
  },
  restart: {
    about: "begins a sandbox anew",
    load: async () => (await import("./sandboxes/restart.ts")).command,
  },
  versions: {
    about: "lists the versions of its modules",
    load: async () => (await import("./sandboxes/versions.ts")).command,
  },
  diff: {
    about: "shows what differs between two versions",
    load: async () => (await import("./sandboxes/diff.ts")).command,
  },
  rollback: {
    about: "makes an earlier version or revision the current one",
    load: async () => (await import("./sandboxes/rollback.ts")).command,
  },
  lineage: {
    about: "shows where a sandbox comes from, as a tree",
    load: async () => (await import("./sandboxes/lineage.ts")).command,
  },
  gc: {
    about: "collects sandboxes that have expired, now",
    load: async () => (await import("./sandboxes/gc.ts")).command,
  },
  export: {
    about: "writes a sandbox as one piece of data",
    load: async () => (await import("./sandboxes/export.ts")).command,
  },
  import: {
    about: "creates a sandbox from what was exported",
    load: async () => (await import("./sandboxes/import.ts")).command,
  },
  replay: {
    about: "shows a recorded evolution in the browser, or runs a recorded run again",
    load: async () => (await import("./replay/command.ts")).command,
  },
  store: {
    about: "checks, repairs, compacts, exports or copies a data folder",
    load: async () => (await import("./store/command.ts")).command,
  },
  runs: {
    about: "shows what a data folder has, and the evolutions in it",
    load: async () => (await import("./store/runs.ts")).command,
  },
  bench: {
    about: "measures this machine for about ten seconds",
    load: async () => (await import("./bench/command.ts")).command,
  },
  doctor: {
    about: "says what isolation this machine gives, and what to do for more",
    load: async () => (await import("./doctor/command.ts")).command,
  },
  completion: {
    about: "prints a script that completes commands in a shell",
    load: async () => (await import("./completion/command.ts")).command,
  },
};
