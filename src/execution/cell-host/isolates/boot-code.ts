// Compiled code of the guest runtime: of the functions that nearly all sandboxes use, when they are booted, loaded and called. An
// isolate compiles the others when it first calls them: with them, the code takes half as long again to read, and more memory.
import { setFlagsFromString } from "node:v8";
import { constants, createContext, Script } from "node:vm";
import type { GuestEntries } from "../../../guest/boot.ts";
import { slotOf } from "../../../model/runs/call-slots.ts";

const resultBytes = 2 ** 20;
const op = 1;
/** A module whose function answers with numbers, other data, an error and a promise. */
const factoryText = `(function(counter,spend,publish){return [[[],[],[["f"]],[],[],"sync"],[],(function*(){yield;
publish(0,(n)=>n===1?n.missing():n===2?[1,"2",null,{a:1}]:n===3?Promise.resolve(n):n)})]})`;
const argsText = '[{"a":[1,"2",null]}]';

/** The code of the guest runtime's text, for isolates in which functions are compiled eagerly. */
export function usedCodeOf(text: string): ArrayBuffer {
  // The engine compares the flags of now with those where the code is used.
  return new Uint8Array(usedScript(text).createCachedData()).buffer;
}

// Runs the text in a context of this thread, as isolates do: the engine keeps with a script what was compiled of it.
function usedScript(text: string): Script {
  setFlagsFromString("--lazy");
  // Functions that were compiled again as they were called often would be so in each isolate, which takes a page of its memory.
  // Without machine code there is no such compiler, and it must not be turned on.
  const isJitless = process.execArgv.includes("--jitless");
  if (!isJitless) setFlagsFromString("--no-sparkplug");
  try {
    const script = new Script(text);
    const context = createContext(constants.DONT_CONTEXTIFY);
    // The text evaluates to the function that boots.
    const boot = script.runInContext(context) as (ask: () => string) => GuestEntries;
    const guest = boot(() => "");
    use(guest, new Script(factoryText).runInContext(context));
    return script;
  } finally {
    if (!isJitless) setFlagsFromString("--sparkplug");
    setFlagsFromString("--no-lazy");
  }
}

function use(guest: GuestEntries, factory: unknown): void {
  const setup = { deterministic: null, features: [], isDense: false, resultBytes };
  guest.load(op, JSON.stringify({ setup, order: ["main"], tree: null }), factory);
  guest.callFirst(op, slotOf(0, [0]), "main", "f", 0);
  for (const n of [1, 2, 3, 4]) guest.call(op, slotOf(0, [n]), n);
  guest.call(op, slotOf(0, argsText), argsText);
  guest.other("runSeries", op, JSON.stringify([[["main", "f"]], [0, [4]], [0, [2]]]), -1, true);
  guest.other("collect", op);
  guest.other("probe");
  guest.other("retire");
}
