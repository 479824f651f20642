// Compiles samples a few times while a compiler process has nothing else to do, so that the engine has translated the parser's
// and the linker's functions before most modules of guests come.
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "../../std/clock.ts";
import type { Backend } from "./backends/backend.ts";
import { compileModule } from "./pipeline.ts";

/** Each takes a few milliseconds, for which a task may have to wait. */
const rounds = 12;
/** So long nothing else came in. A process that was just started leaves the processors to the cell that starts beside it. */
const quietMs = 100;
/** How often it is looked whether the process is quiet. */
const looksMax = 600;

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

const typedSample = `type Item = { readonly weight: number; readonly name?: string };
${sample}
export function heaviest(items: readonly Item[], least: number = 0): Item | undefined {
  return items.filter(({ weight }: Item): boolean => weight >= least).at(-1) as Item | undefined;
}`;

/** What the process has to do beside it. */
export interface Business {
  readonly isWorking: boolean;
  /** How often it has begun to work. */
  readonly begun: number;
}

/** Goes on whenever there is nothing else to do. */
export async function warmUp(backend: Backend, business: Business): Promise<void> {
  let known = -1;
  for (let look = 0, round = 0; look < looksMax && round < rounds; look++) {
    if (business.isWorking || known !== business.begun) {
      known = business.begun;
      await new Promise<void>((resolve) => void systemClock.after(quietMs, resolve));
      continue;
    }
    // In both languages with fuel and without.
    const [name, source] =
      round % 4 < 2 ? (["sample.ts", typedSample] as const) : (["sample.js", sample] as const);
    await compileModule({ t: "module", id: 0, name, source, isMetered: round % 2 === 1 }, backend);
    round++;
    // What has arrived is read first.
    await nextTurn();
  }
}
