// The flags of Node and its engine that every cell is started with.
import { reserved } from "../model/code/reserved.ts";

// Without loop unrolling hot loops keep the checks that let a guest be interrupted.
// Without cells for the variables of functions what another module exports is as fast as a module's own; with them half as fast.
// Node 24 has none, and ends where it does not know a flag.
// What another thread has optimised between two entries is never put in use, as isolated-vm takes an isolate's lock anew for each,
// and until it is in use the function's loops look for interrupts only every few seconds. So functions are optimised inside of
// entries. That cannot be interrupted: large functions have a name by which they are left out.
// isolated-vm reads the stack of an entry before it ends it. For the positions in it the engine would compile each function there
// once more, without looking for interrupts: a tenth of a second for a large one. So it notes them when it first compiles.
export const cellFlags = [
  "--no-concurrent-recompilation",
  `--maglev-filter=-${reserved.large}*`,
  `--turbo-filter=-${reserved.large}*`,
  "--no-enable-lazy-source-positions",
  "--no-node-snapshot",
  "--no-turboshaft-loop-unrolling",
  ...(Number.parseInt(process.versions.node, 10) >= 26 ? ["--no-function-context-cells"] : []),
  "--disable-sigusr1",
  "--disable-warning=ExperimentalWarning",
];
