// Snippets as models and students write them, with what running them gives.

export interface Snippet {
  readonly title: string;
  readonly source: string;
  readonly args?: readonly unknown[];
  /** What it ends with, unless it fails. */
  readonly value?: unknown;
  readonly output?: readonly string[];
  /** The message that it fails with, and the first place in its stack or its first diagnostic. */
  readonly fails?: { readonly kind: string; readonly message: string; readonly at: string };
}

export const snippets: readonly Snippet[] = [
  { title: "one expression", source: "1 + 1", value: 2 },
  {
    title: "prints, and nothing else",
    source: `console.log("Hello, world!");`,
    output: ["Hello, world!"],
  },
  {
    title: "prints and a value",
    source: `const words = "the quick brown fox".split(" ");
console.log("words:", words.length);
words.map((word) => word[0].toUpperCase() + word.slice(1)).join(" ")`,
    value: "The Quick Brown Fox",
    output: ["words: 4"],
  },
  {
    title: "no semicolons",
    source: `let total = 0
const prices = [10, 20, 30]
for (const price of prices) total += price
const average = total / prices.length
;[total, average]`,
    value: [60, 20],
  },
  {
    title: "top-level await in a loop",
    source: `const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const seen = [];
for (const ms of [3, 1, 2]) {
  await sleep(ms);
  seen.push(ms);
}
seen`,
    value: [3, 1, 2],
  },
  {
    title: "a promise as its last value",
    source: `async function main() {
  const parts = await Promise.all([1, 2, 3].map(async (n) => n ** 2));
  return parts.reduce((a, b) => a + b, 0);
}
main()`,
    value: 14,
  },
  {
    title: "return at the top level",
    source: `const limit = 3;
for (let i = 0; ; i++) {
  if (i * i > limit) return { found: i };
}`,
    value: { found: 2 },
  },
  {
    title: "a condition that returns early",
    source: `if (args.length === 0) {
  return "nothing to do"
}
args[0] * 2`,
    args: [21],
    value: 42,
  },
  {
    title: "a class with private fields and inheritance",
    source: `class Account {
  #balance = 0;
  deposit(amount) {
    if (amount <= 0) throw new RangeError("Amount must be positive");
    this.#balance += amount;
    return this;
  }
  get balance() { return this.#balance; }
}
class Savings extends Account {
  addInterest(rate) { return this.deposit(this.balance * rate); }
}
new Savings().deposit(100).addInterest(0.05).balance`,
    value: 105,
  },
  {
    title: "an error that is caught",
    source: `try {
  JSON.parse("{ not json }");
} catch (error) {
  error.name
}`,
    value: "SyntaxError",
  },
  {
    title: "an error that is not caught, three lines down",
    source: `const user = { name: "Ada" };

console.log(user.name);
console.log(user.address.city);`,
    output: ["Ada"],
    fails: {
      kind: "crashed",
      message: "TypeError: Cannot read properties of undefined (reading 'city')",
      at: "script:4:26",
    },
  },
  {
    title: "a name that does not exist",
    source: `function area(r) {
  return Math.PI * radius ** 2;
}
area(2)`,
    fails: { kind: "crashed", message: "ReferenceError: radius is not defined", at: "area (script:2:20)" },
  },
  {
    title: "a syntax error",
    source: `const items = [1, 2, 3];
for (const item of items {
  console.log(item);
}`,
    fails: {
      kind: "compile",
      message: "Cannot compile script as it must be a program: Expected `)` but found `{` (script:2:26)",
      at: "script:2:26",
    },
  },
  {
    title: "TypeScript with interfaces, generics and an enum",
    source: `interface Item { id: number; tags: string[] }
${"enum"} Level { Low = 1, High }
function groupBy<T, K extends string>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const k = key(item);
    groups.set(k, [...(groups.get(k) ?? []), item]);
  }
  return groups;
}
const items: Item[] = [{ id: 1, tags: ["a"] }, { id: 2, tags: [] }, { id: 3, tags: ["b"] }];
const grouped = groupBy(items, (item) => (item.tags.length > 0 ? "tagged" : "plain"));
({ tagged: grouped.get("tagged")!.map(({ id }) => id), level: Level.High } satisfies object)`,
    value: { tagged: [1, 3], level: 2 },
  },
  {
    title: "an error in TypeScript, behind lines that are only types",
    source: `type Shape =
  | { kind: "circle"; r: number }
  | { kind: "square"; side: number };

const area = (shape: Shape): number => {
  if (shape.kind === "circle") return Math.PI * shape.r ** 2;
  throw new Error(\`no area of a \${shape.kind as string}\`);
};

area({ kind: "square", side: 2 });`,
    fails: { kind: "crashed", message: "Error: no area of a square", at: "area (script:7:9)" },
  },
];
