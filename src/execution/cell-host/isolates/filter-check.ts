// Whether this engine keeps from its optimising compilers what the flags of cells exclude: these flags are made for the engine's
// own tests, and another version of it may ignore them. A cell in which they do not hold does not start.
import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";
import { reserved } from "../../../model/code/reserved.ts";

/** As many calls as make the engine optimise a function with all that it has. */
const calls = 1_000;

/** Bits of the engine's answer about a function: optimised, by either compiler. */
const optimized = 0b11_1000;

const heated = (name: string): string => `(() => {
  const { ${name}: sum } = { ${name}: (n) => { let s = 0; for (let i = 0; i < n; i++) s += i; return s; } };
  for (let k = 0; k < ${calls}; k++) sum(100);
  return %GetOptimizationStatus(sum);
})()`;

/** Why large functions could not be interrupted in this process; undefined where they can. */
export function filterObjection(name: string = reserved.large): string | undefined {
  setFlagsFromString("--allow-natives-syntax");
  try {
    const state = runInThisContext(heated(name)) as number;
    return (state & optimized) === 0 ? undefined : "this engine optimises functions that its flags exclude";
  } finally {
    setFlagsFromString("--no-allow-natives-syntax");
  }
}
