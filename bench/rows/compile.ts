// TypeScript in, a loadable module out: new to the cache, and known to it.
import { stripTypeScriptTypes } from "node:module";
import type { Runtime } from "vivarium";
import { timed } from "../measure.ts";
import { ours, type Row } from "../row.ts";
import { startRuntime } from "../subject.ts";
import { atMost } from "../target.ts";

// Fifty lines of the kind that people write.
const fiftyLines = `
interface Item { readonly weight: number; readonly value: number; readonly name: string }
interface Pick { readonly taken: readonly Item[]; readonly value: number }

export class Knapsack {
  readonly #items: Item[] = [];
  readonly capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  add(item: Item): this {
    this.#items.push(item);
    return this;
  }

  get density(): number[] {
    return this.#items.map(({ weight, value }: Item): number => value / weight);
  }

  greedy(): Pick {
    const order = [...this.#items].sort((a, b) => b.value / b.weight - a.value / a.weight);
    let room = this.capacity;
    const taken: Item[] = [];
    for (const item of order) {
      if (item.weight > room) continue;
      room -= item.weight;
      taken.push(item);
    }
    return { taken, value: taken.reduce((sum, { value }) => sum + value, 0) };
  }

  exact(): number {
    const best = new Array<number>(this.capacity + 1).fill(0);
    for (const { weight, value } of this.#items) {
      for (let room = this.capacity; room >= weight; room--) {
        best[room] = Math.max(best[room] ?? 0, (best[room - weight] ?? 0) + value);
      }
    }
    return best[this.capacity] ?? 0;
  }
}

export function score(items: readonly Item[], capacity: number): number {
  const sack = new Knapsack(capacity);
  for (const item of items) sack.add(item);
  const exact: number = sack.exact();
  return exact === 0 ? 1 : sack.greedy().value / exact;
}
`;

let made = 0;
const unseen = (): string => `${fiftyLines}// ${++made}`;

function compile(runtime: Runtime, source: string): Promise<number> {
  return timed(() => runtime.compile.source(source, { name: "sack.ts" }));
}

export const compileRows: readonly Row[] = [
  {
    name: "compile 50 lines, cold",
    about: "compile.source of a source never seen, there and back to the compiler process",
    unit: "ms",
    rounds: 100,
    targets: [atMost("floor", 100, { text: "≤ 100 ms" }), atMost("aim", 2, { text: "≤ 2 ms" })],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      return [
        { name: ours, sample: () => compile(runtime, unseen()) },
        {
          name: "type stripping only, in this process",
          sample: () => timed(() => Promise.resolve(stripTypeScriptTypes(unseen()))),
        },
      ];
    },
  },
  {
    name: "compile 50 lines, cached",
    about: "compile.source of a source that the cache has",
    unit: "ms",
    rounds: 500,
    targets: [atMost("floor", 10, { text: "≤ 10 ms" }), atMost("aim", 0.05, { text: "≤ 0.05 ms" })],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      await compile(runtime, fiftyLines);
      return [{ name: ours, sample: () => compile(runtime, fiftyLines) }];
    },
  },
];
