// What requests are made of: sources that do little things, names that exist, and texts and values that are odd.
import type { Dice } from "../dice.ts";

/** Whoever asks: each has a token of its own, but for `nobody` and `stranger`. */
export const callers = [
  "admin",
  "evaluator",
  "reader",
  "expired",
  "red",
  "blue",
  "nobody",
  "stranger",
] as const;
export type Who = (typeof callers)[number];

/** The tenant of a caller; empty for those that may use all. */
export const tenantOf = (who: Who): "red" | "blue" | "" => (who === "red" || who === "blue" ? who : "");

/** Stands in all that a tenant writes, so that it is seen where another one reads it. */
export const secretOf = (who: Who): string => `secret-of-${tenantOf(who) === "" ? "all" : tenantOf(who)}`;

const prefixOf = (who: Who): string => (tenantOf(who) === "" ? "" : `${tenantOf(who)}:`);

/** The ids that a caller gives to what it makes: few, so that requests meet. */
export const ownIds = (who: Who): readonly string[] =>
  ["a", "b", "c", "d"].map((name) => `${prefixOf(who)}${name}`);

const allIds = ["a", "b", "red:a", "red:b", "blue:a", "blue:b", "none", "red:none"];

/** An id that a caller speaks of. */
export const someId = (dice: Dice, who: Who): string => dice.pick(dice.chance(0.85) ? ownIds(who) : allIds);

export const exportNames = ["f", "parts", "slow", "spin", "boom", "odd", "log", "never", "big", "none"];

const functionsSource = `export const f = (n = 1) => n * 2;
export function* parts(n = 3) { for (let i = 0; i < n; i++) yield i; return "end"; }
export async function* slow(n = 3) { for (let i = 0; i < n; i++) { await new Promise((go) => setTimeout(go, 2)); yield { i }; } }
export const spin = () => { for (;;); };
export const boom = () => { throw Object.assign(new RangeError("boom", { cause: { why: 1 } }), { code: 3 }); };
export const odd = () => new Map([[NaN, [undefined, -0, 5n, new Date(0)]]]);
export const log = (...all) => { console.log("line", ...all); console.error("error"); return all.length; };
export const never = () => new Promise(() => {});
export const big = (n) => "x".repeat(Number(n) || 10);`;

const treeSource = `import { server, supervisor } from "vivarium/guest";
const Counter = server({ name: "counter", init: () => 0,
  handleCall: (message, state) => message === "boom" ? boom() : ({ reply: state, state: state + 1 }),
  handleCast: (message, state) => ({ state: state + 1 })});
export default supervisor({ children: [{ id: "counter", start: Counter }] });
export const f = (n = 1) => n + 1;`;

const sources = [
  functionsSource,
  functionsSource,
  functionsSource,
  treeSource,
  "export const f = (n: number): number => n * 3;",
  'import { f as g } from "./other"; export const f = (n) => g(n) + 1;',
  "export const f = (n) => n * ;",
  "throw new Error('at load')",
  "for (;;);",
  "",
  "export default 1; export const f = <b>no</b>;",
  "export const f = () => process.env;",
];
export const sourceOf = (dice: Dice, who: Who): string => `/* ${secretOf(who)} */ ${dice.pick(sources)}`;
export const treeOf = (who: Who): string => `/* ${secretOf(who)} */ ${treeSource}`;
export const functionsOf = (who: Who): string => `/* ${secretOf(who)} */ ${functionsSource}`;

export const scripts = [
  "args[0] * 2",
  "console.log('line'); 5",
  "for (;;);",
  "await new Promise(() => {})",
  "throw 1",
  "throw new AggregateError([new Error('one'), 2], 'all')",
  "new Set([1, NaN])",
  "globalThis.kept = (globalThis.kept ?? 0) + 1",
  "(",
  "() => 1",
  "Symbol('no')",
];
export const functions = [
  "(modules, n) => n",
  "async () => { console.log(1); }",
  "() => { throw 1; }",
  "1",
  "(",
];

export const processNames = ["counter", "none", "__proto__"];

/** Values of guests in JSON. */
export function guestValue(dice: Dice, depth = 0): unknown {
  const simple = [0, 1, -1, 2.5, 1e308, "text", "", "\ud800", "\u0000", true, null];
  if (depth > 2 || dice.chance(0.6)) return dice.pick(simple);
  if (dice.chance(0.5)) return dice.many(3, () => guestValue(dice, depth + 1));
  return Object.fromEntries(dice.many(3, () => [dice.pick(oddTexts), guestValue(dice, depth + 1)]));
}

/** Texts of the codec, and others that are none. */
export const encodedTexts = [
  "[]",
  "[1]",
  '["$"]',
  "[1,[2]]",
  "",
  "[",
  "null",
  "NaN",
  '{"a":1}',
  "[[0]]",
  '[["n","NaN"]]',
  "[".repeat(500),
  '["\\ud800"]',
  "[-1]",
];

/** Texts where nobody expects them. */
export const oddTexts: readonly string[] = [
  "",
  " ",
  ".",
  "..",
  "../..",
  "a/../b",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udc00x",
  "\ufeff",
  "\u202e",
  "ä",
  "😀",
  "NaN",
  "Infinity",
  "-0",
  "0x10",
  "1e3",
  "١",
  "null",
  "undefined",
  "[object Object]",
  "true",
  "a\r\nb",
  "%2e%2e",
  "%00",
  "%",
  "'\"`",
  "<script>",
  "${1}",
  "$&",
  "a".repeat(129),
  "a".repeat(257),
  "x".repeat(20_000),
];

/** Values that are hardly ever right. */
export function oddValue(dice: Dice): unknown {
  const made: readonly (() => unknown)[] = [
    () => dice.pick(oddTexts),
    () => dice.pick(oddTexts),
    () => dice.pick([0, -1, -0, 1.5, 1e21, 2 ** 53, -(2 ** 53), 1e308, 5e-324, 2 ** 31, 2 ** 32]),
    () => dice.pick([true, false, null]),
    () => [],
    () => ({}),
    () => [null],
    () => JSON.parse('{"__proto__":{"id":"x"}}') as unknown,
    () => ({ constructor: { prototype: {} }, toString: 1, valueOf: null }),
    () => ({ length: 1e9 }),
    () => JSON.parse('{"then":"a"}') as unknown,
    () => nested(dice.pick([20, 200, 2_000]), dice.chance(0.5)),
    () => Array.from({ length: 2_000 }, () => 0),
  ];
  return dice.pick(made)();
}

function nested(depth: number, isList: boolean): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = isList ? [value] : { a: value };
  return value;
}

/** Segments of a path as they are written there, which are no ids, or ids of nothing. */
export const oddSegments: readonly string[] = [
  "%2e%2e",
  "%2E.",
  "..",
  ".",
  "%00",
  "a%00b",
  "%2f",
  "a%2fb",
  "%5c",
  "%25",
  "%",
  "%zz",
  "%c0%ae",
  "%ed%a0%80",
  "%F0%9F%98%80",
  "%C3%A4",
  "",
  "a;b",
  "a+b",
  "a%20b",
  "__proto__",
  "constructor",
  ":",
  "red:",
  ":red",
  "a".repeat(128),
  "a".repeat(129),
  "a".repeat(300),
  "*",
  ":id",
  "{id}",
  "a%3Ab",
  "a,b",
  "a&b",
  "a=b",
];
