// More snippets as models and students write them: what the language has, and what is left when they end.
import type { Snippet } from "./snippets.ts";

export const moreSnippets: readonly Snippet[] = [
  {
    title: "generators and spread",
    source: `function* fibonacci() {
  let [a, b] = [0, 1];
  while (true) {
    yield a;
    [a, b] = [b, a + b];
  }
}
const first = [];
for (const n of fibonacci()) {
  if (n > 50) break;
  first.push(n);
}
Math.max(...first)`,
    value: 34,
  },
  {
    title: "an async generator with for await",
    source: `async function* pages() {
  for (let page = 1; page <= 3; page++) {
    await null;
    yield { page, rows: page * 10 };
  }
}
let rows = 0;
for await (const { rows: count } of pages()) rows += count;
rows`,
    value: 60,
  },
  {
    title: "destructuring, defaults and rest",
    source: `const { name, scores: [best = 0, ...others], team: { city = "?" } = {} } =
  { name: "Lin", scores: [9, 7, 8] };
[name, best, others, city]`,
    value: ["Lin", 9, [7, 8], "?"],
  },
  {
    title: "template strings over several lines, tagged ones too",
    source:
      "const tag = (parts, ...values) => parts.raw.join('|') + values.join();\n" +
      "const n = 3\nconst text = `a${n}\n  b`\n" +
      "text.length + tag`x${1}\\n${2}`",
    value: "6x|\\n|1,2",
  },
  {
    title: "labelled loops",
    source: `const primes = [];
search: for (let i = 2; primes.length < 5; i++) {
  for (const p of primes) {
    if (i % p === 0) continue search;
  }
  primes.push(i);
}
primes`,
    value: [2, 3, 5, 7, 11],
  },
  {
    title: "try and finally",
    source: `const log = [];
function work() {
  try {
    log.push("work");
    return "done";
  } finally {
    log.push("cleanup");
  }
}
log.push(work());
log`,
    value: ["work", "cleanup", "done"],
  },
  {
    title: "a switch as its last statement",
    source: `const day = 6;
switch (day) {
  case 0:
  case 6:
    "weekend";
    break;
  default:
    "weekday";
}`,
    value: "weekend",
  },
  {
    title: "an if as its last statement",
    source: `const n = 7
if (n % 2 === 0) {
  "even"
} else {
  "odd"
}`,
    value: "odd",
  },
  {
    title: "an object alone",
    source: `{ status: "ok", items: [1, 2, 3] }`,
    value: { status: "ok", items: [1, 2, 3] },
  },
  {
    title: "an object last",
    source: `const min = Math.min(4, 2, 8);
const max = Math.max(4, 2, 8);
({ min, max });`,
    value: { min: 2, max: 8 },
  },
  {
    title: "a comment at its end, and one at its start",
    source: `#!/usr/bin/env node
"use strict";
// Counts vowels.
const count = (text) => (text.match(/[aeiou]/gi) ?? []).length;
count("Programming in JavaScript") // should be 7`,
    value: 7,
  },
  {
    title: "a declaration last gives nothing",
    source: `const double = (x) => x * 2;
console.log(double(4));
function triple(x) { return x * 3 }`,
    value: undefined,
    output: ["8"],
  },
  {
    title: "JSON, Map and Set",
    source: `const text = '[{"tag":"a"},{"tag":"b"},{"tag":"a"}]';
const counts = new Map();
for (const { tag } of JSON.parse(text)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
const unique = new Set(counts.keys());
JSON.stringify({ counts: Object.fromEntries(counts), unique: unique.size })`,
    value: `{"counts":{"a":2,"b":1},"unique":2}`,
  },
  {
    title: "a Map as its value",
    source: `new Map([["a", new Set([1, 2])]])`,
    value: new Map([["a", new Set([1, 2])]]),
  },
  {
    title: "recursion with memoisation",
    source: `const memo = {};
function ways(n) {
  if (n <= 1) return 1;
  return memo[n] ??= ways(n - 1) + ways(n - 2);
}
ways(50)`,
    value: 20365011074,
  },
  {
    title: "sorting by several keys",
    source: `const people = [
  { name: "Bo", age: 30 }, { name: "Al", age: 25 }, { name: "Cy", age: 30 },
];
people
  .toSorted((a, b) => b.age - a.age || a.name.localeCompare(b.name))
  .map((p) => p.name)`,
    value: ["Bo", "Cy", "Al"],
  },
  {
    title: "regular expressions with named groups",
    source: String.raw`const line = "2024-03-15 ERROR disk full";
const { groups } = /^(?<date>\d{4}-\d\d-\d\d)\s+(?<level>[A-Z]+)\s+(?<text>.*)$/.exec(line);
({ ...groups })`,
    value: { date: "2024-03-15", level: "ERROR", text: "disk full" },
  },
  {
    title: "timers that are left when its statements are over",
    source: `console.log("1: sync");
setTimeout(() => console.log("4: timeout"), 0);
Promise.resolve().then(() => console.log("3: microtask"));
console.log("2: sync end");`,
    output: ["1: sync", "2: sync end", "3: microtask", "4: timeout"],
  },
  {
    title: "a solution with its own tests, as a model sends it",
    source: `/**
 * Two Sum: indices of the two numbers that add up to target.
 */
function twoSum(nums, target) {
  const seen = new Map();
  for (let i = 0; i < nums.length; i++) {
    const j = seen.get(target - nums[i]);
    if (j !== undefined) return [j, i];
    seen.set(nums[i], i);
  }
  return null;
}

const cases = [[[2, 7, 11, 15], 9, [0, 1]], [[3, 2, 4], 6, [1, 2]], [[3, 3], 6, [0, 1]]];
for (const [nums, target, expected] of cases) {
  const got = twoSum(nums, target);
  console.assert(JSON.stringify(got) === JSON.stringify(expected), "failed", nums);
  console.log(JSON.stringify(got));
}`,
    output: ["[0,1]", "[1,2]", "[0,1]"],
  },
  {
    title: "var, hoisting and closures in loops",
    source: `var fns = [];
for (var i = 0; i < 3; i++) fns.push(() => i);
for (let j = 0; j < 3; j++) fns.push(() => j);
console.log(typeof later, late());
function late() { return "hoisted" }
var later = 1;
fns.map((f) => f())`,
    value: [3, 3, 3, 0, 1, 2],
    output: ["undefined hoisted"],
  },
  {
    title: "arguments of the caller",
    source: `const [rows, { column }] = args;
rows.map((row) => row[column]).filter(Number.isFinite)`,
    args: [[{ a: 1 }, { a: "x" }, { a: 3 }], { column: "a" }],
    value: [1, 3],
  },
  {
    title: "a value that is a function",
    source: `const add = (a) => (b) => a + b;
add(1)`,
    fails: {
      kind: "unserializable",
      message: "Cannot return the result as it must be data: result is a function",
      at: "",
    },
  },
  {
    title: "what is thrown after an await",
    source: `const load = async (id) => {
  await null;
  throw new Error("no user " + id);
};
console.log("loading");
const user = await load(7);
user.name`,
    output: ["loading"],
    fails: { kind: "crashed", message: "Error: no user 7", at: "load (script:3:9)" },
  },
];
