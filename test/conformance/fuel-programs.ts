// Small programs with the fuel that each of them uses: one for every entry of a function and every turn of a loop. The
// counts are part of what is promised: they are the same on every machine, and a change of one is a change for users.

export interface FuelProgram {
  readonly name: string;
  /** Its function `main` is called with the arguments. */
  readonly source: string;
  readonly args: readonly unknown[];
  readonly value: unknown;
  readonly fuel: number;
}

/** Programs that end by themselves. */
export const fuelPrograms: readonly FuelProgram[] = [
  { name: "nothing", source: `export const main = () => {};`, args: [], value: undefined, fuel: 1 },
  {
    name: "an expression as body",
    source: `export const main = (n: number) => ({ n });`,
    args: [4],
    value: { n: 4 },
    fuel: 1,
  },
  {
    name: "every kind of loop",
    source: `export function main(n: number): number {
      let turns = 0;
      for (let i = 0; i < n; i++) turns++;
      for (const _ of Array(n).keys()) turns++;
      for (const _ in Array(n).fill(0)) { turns++; }
      let left = n;
      while (left-- > 0) turns++;
      do turns++; while (turns % n !== 0);
      return turns;
    }`,
    args: [10],
    value: 50,
    fuel: 51,
  },
  {
    name: "loops in loops, with labels",
    source: `export function main(n: number): number {
      let turns = 0;
      outer: for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
        if (j > i) continue outer;
        if (i + j > n) break outer;
        turns++;
      }
      return turns;
    }`,
    args: [12],
    value: 34,
    fuel: 51,
  },
  {
    name: "recursion",
    source: `export const main = (n: number): number => (n < 2 ? n : main(n - 1) + main(n - 2));`,
    args: [15],
    value: 610,
    fuel: 1_973,
  },
  {
    name: "callbacks of the language's own functions",
    source: `export const main = (n: number): string => Array.from({ length: n }, (_, i) => i)
      .filter((i) => i % 2 === 0).map((i) => i * i).sort((a, b) => b - a).join().replace(/4/g, () => "four");`,
    args: [9],
    value: "6four,36,16,four,0",
    fuel: 34,
  },
  {
    name: "a sieve",
    source: `export function main(n: number): number {
      const isComposite = new Uint8Array(n + 1);
      let primes = 0;
      for (let i = 2; i <= n; i++) {
        if (isComposite[i]) continue;
        primes++;
        for (let j = i * i; j <= n; j += i) isComposite[j] = 1;
      }
      return primes;
    }`,
    args: [1_000],
    value: 168,
    fuel: 2_411,
  },
  {
    name: "classes with fields, accessors, statics and an heir",
    source: `class Counter {
      static steps = 0;
      static { for (let i = 0; i < 3; i++) Counter.steps++; }
      #count = (() => 1)();
      get count(): number { return this.#count; }
      set count(n: number) { this.#count = n; }
      add(n: number): this { this.count += n; return this; }
    }
    class Double extends Counter {
      constructor(readonly factor = 2) { super(); }
      override add(n: number): this { return super.add(n * this.factor); }
    }
    export const main = (n: number): number => {
      let locals = 0;
      class Local { static { locals += n; } }
      return new Double().add(n).count + Counter.steps + locals + Number(Local.name === "Local");
    };`,
    args: [5],
    value: 20,
    fuel: 10,
  },
  {
    name: "generators and what spreads them",
    source: `function* naturals(below: number): Generator<number> { for (let i = 0; i < below; i++) yield i; }
    function* twice(below: number): Generator<number> { yield* naturals(below); yield* naturals(below); }
    export const main = (n: number): number[] => { const [first, ...rest] = twice(n); return [first!, rest.length]; };`,
    args: [7],
    value: [0, 13],
    fuel: 18,
  },
  {
    name: "exceptions, caught and passed on",
    source: `export function main(n: number): string {
      const path: string[] = [];
      const fall = (depth: number): void => {
        try { if (depth === 0) throw new RangeError("ground"); fall(depth - 1); }
        catch (error) { path.push("c"); throw error; }
        finally { path.push("f"); }
      };
      try { fall(n); } catch { path.push("!"); }
      return path.join("");
    }`,
    args: [3],
    value: "cfcfcfcf!",
    fuel: 5,
  },
  {
    name: "default parameters, tagged templates, optional calls and a proxy",
    source: `const tag = (parts: TemplateStringsArray, ...values: unknown[]) => parts.join("?") + values.length;
    const greet = (name = ((): string => "you")(), mark = tag\`a\${1}b\`) => name + mark;
    const seen = new Proxy({ n: 1 }, { get: (target, key) => (key === "n" ? target.n + 1 : undefined) });
    export const main = (f?: () => void): string => greet() + greet("me") + seen.n + String(f?.());`,
    args: [],
    value: "youa?b1mea?b12undefined",
    fuel: 10,
  },
  {
    name: "text from objects",
    source: `const shown = { toString: () => "shown", [Symbol.toPrimitive]: (hint: string) => hint };
    export const main = (): string => \`\${shown}\` + shown + [{ toString: () => "in a list" }];`,
    args: [],
    value: "stringdefaultin a list",
    fuel: 4,
  },
  {
    name: "an enum and a namespace inside a module",
    source: `enum Size { Small = 1, Large = Small << 4 }
    namespace Shapes { export const area = (side: number): number => side * side; }
    export const main = (side: number): number => Shapes.area(side) + Size.Large;`,
    args: [3],
    value: 25,
    fuel: 2,
  },
  {
    name: "promises",
    source: `export async function main(n: number): Promise<number> {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += await Promise.resolve(i).then((value) => value + 1);
      for await (const value of (async function* () { yield 1; yield 2; })()) sum += value;
      return sum;
    }`,
    args: [10],
    value: 58,
    fuel: 24,
  },
  {
    name: "timers, chance and the clock",
    source: `const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    export async function main(n: number): Promise<number> {
      const start = Date.now();
      let turns = 0;
      for (let i = 0; i < n; i++) {
        await pause(10 * Math.random());
        while (Math.random() < 0.9) turns++;
      }
      return turns + Number(Date.now() > start);
    }`,
    args: [5],
    value: 67,
    fuel: 82,
  },
];
