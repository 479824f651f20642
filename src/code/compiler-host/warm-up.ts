// Compiles a sample a few times while a new compiler process has nothing else to do, so that the engine has translated the
// parser's and the linker's functions before the first module of a guest comes.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Backend } from "./backends/backend.ts";
import { compileModule } from "./pipeline.ts";

/** Each takes a few milliseconds, for which a task may have to wait. */
const rounds = 12;

const sample = `import { other } from "./other"; import * as space from "./space";
export let count = 0;
const table = new Map([["a", { x: 1, y: [1, 2] }]]);
export function total(list, { factor = 1, ...rest } = {}) {
  let sum = 0;
  for (const item of list) {
    if (typeof item === "number" && item > 0) sum += item * factor;
    else sum -= table.get(item)?.x ?? 0;
  }
  count++;
  return other(sum) + \`\${sum} of \${list.length}\`.length;
}
export class Thing {
  #inner = new Set();
  get size() { return this.#inner.size; }
  async run(act) { try { return await act([...this.#inner].map((x) => x + 1)); } catch (error) { throw error; } }
}`;

/** Ends early when it may not go on. */
export async function warmUp(backend: Backend, mayGoOn: () => boolean): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    // What has arrived is read first.
    await nextTurn();
    if (!mayGoOn()) return;
    await compileModule(
      { t: "module", id: 0, name: "sample.js", source: sample, isMetered: round % 2 === 1 },
      backend,
    );
  }
}
