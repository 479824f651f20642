// The commands about data folders: their help, and where each is loaded from when it runs. Only they need SQLite, which
// Node 24 warns of when it is loaded.

const storeHelp = `Looks after a data folder, the one of createRuntime({ data: DIR }).

Usage: vivarium store ACTION DIR [options]

  check DIR          looks for everything that is wrong; changes nothing; also while a runtime has the folder open
  repair DIR         saves what can be saved into a new database; the damaged one stays beside it
  compact DIR        drops what nothing refers to, and gives its room back to the disk
  export DIR         writes sandboxes, tombstones and documents as lines of JSON; also while a runtime has it open
  backup DIR TO      copies what was committed to the new folder TO; also while a runtime has it open

  --json             check, repair, compact, backup: the whole report as JSON
  --output FILE      export: write there instead of to stdout
  --tombstones N     compact: keep the last N tombstones (default 10000)

Examples:
  vivarium store check ./run-1
  vivarium store backup ./run-1 ./run-1-copy
  vivarium store export ./run-1 --output run-1.jsonl
  vivarium store repair ./run-1

repair and compact need a folder that nobody has open.
Exit codes: 0 done and nothing is wrong, 1 something is wrong, was lost or failed, 2 a wrong option.`;

const runsHelp = `Shows what a data folder has: its owner, its sandboxes, its size, and the evolutions that ran in it.

Usage: vivarium runs DIR [--json]

  --json             everything as JSON

Examples:
  vivarium runs ./run-1
  vivarium runs ./run-1 --json

Nothing is changed, and a runtime that has the folder open is not disturbed.
An evolution is a row of the collection "runs" of runtime.documents: its key is its name, and its value an object with
title, seed, state ("running" or "done"), generation, evaluations, best, updatedAt and options, each of them optional.
Exit codes: 0 done, 1 the folder cannot be read, 2 a wrong option.`;

export const store = {
  about: "checks, repairs, compacts, exports or copies a data folder",
  help: storeHelp,
  run: async (args: readonly string[]): Promise<number> => (await import("./command.ts")).runStore(args),
} as const;

export const runs = {
  about: "shows what a data folder has, and the evolutions in it",
  help: runsHelp,
  run: async (args: readonly string[]): Promise<number> => (await import("./runs.ts")).runRuns(args),
} as const;
