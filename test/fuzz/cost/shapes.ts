// The values among which the search looks for expensive ones: a container of n items, each written as an expression in its
// index `i` and a free number `k`.

/** Expressions for one item. */
export const items: Readonly<Record<string, string>> = {
  record: "({ id: i, name: 'item ' + i })",
  "small integer": "i",
  "integer, stride 2^k": "i * 2 ** (k % 32)",
  "negative integer": "-1 - i * (k + 1)",
  "large integer": "2 ** 31 + i * 2 ** (k % 21)",
  fraction: "i + 0.5",
  "double, stride 2^k": "(i + 0.5) * 2 ** (k * 16 - 500)",
  "double, same low bits": "2 ** 53 * (1 + i * 2 ** (k - 50))",
  "not a number": "i % 2 ? NaN : -0",
  "bigint, small": "BigInt(i)",
  "bigint, same low digit": "(BigInt(i) << 64n) + BigInt(k)",
  "bigint, same two low digits": "(BigInt(i) << 128n) + BigInt(k)",
  "bigint, long": "(BigInt(i) << BigInt(k * 64 + 64)) - 1n",
  "bigint, negative": "-((BigInt(i) << 64n) + BigInt(k))",
  "short string": "'s' + i",
  "numeric string": "String(i * 2 ** (k % 20))",
  "array index near the end": "String(2 ** 32 - 2 - i * (k + 1))",
  "integer index beyond arrays": "String(2 ** 32 + i * 2 ** (k % 20))",
  "string of spaces": "' '.repeat(k) + i",
  "string that differs at its end": "'a'.repeat(k * 40) + i",
  "string that differs at its start": "i + 'a'.repeat(k * 40)",
  "control characters": "'\\u0001'.repeat(k * 10 + 1)",
  quotes: "'\"'.repeat(k * 10 + 1)",
  "lone surrogates": "'\\ud800'.repeat(k * 10 + 1)",
  "two-byte characters": "'é\\u4e00'.repeat(k * 10 + 1)",
  "proto key": "'__proto__'",
  null: "null",
  undefined: "undefined",
  hole: "undefined",
  "empty object": "({})",
  "empty array": "[]",
  "empty map": "new Map()",
  "empty set": "new Set()",
  "object with keys of its own": "({ ['k' + i]: i, ['l' + i]: k })",
  "object of k keys": "Object.fromEntries(Array.from({ length: k }, (_, j) => ['p' + j, j]))",
  "object without prototype": "Object.assign(Object.create(null), { i })",
  "set of one": "new Set([i])",
  "set of k colliding bigints": "new Set(Array.from({ length: k }, (_, j) => (BigInt(j) << 64n) + 1n))",
  "map of k": "new Map(Array.from({ length: k }, (_, j) => [j * 65536, j]))",
  date: "new Date(i)",
  "invalid date": "new Date(NaN)",
  "empty regexp": "/(?:)/",
  "regexp of properties": "new RegExp('[\\\\p{L}--[a-z]]'.repeat(k + 1) + i, 'v')",
  "regexp of cases": "new RegExp('[\\\\p{L}&&\\\\p{Lu}]'.repeat(k + 1), 'vi')",
  "regexp of groups":
    "new RegExp('(?<a' + Array.from({ length: k + 1 }, (_, j) => j + '>a)(?<a').join('') + 'z>b)')",
  "regexp of alternatives": "new RegExp('a|'.repeat(k * 20) + i)",
  "regexp of classes": "new RegExp('[^a-z0-9]'.repeat(k * 5 + 1), 'iu')",
  error: "new Error('e' + i)",
  "error with a cause": "new Error('e', { cause: new Error('c') })",
  "error with a long message": "new Error('m'.repeat(k * 100))",
  "error with frames":
    "Object.assign(new Error('e'), { stack: 'Error: e\\n' + '    at f (main:1:1)\\n'.repeat(k * 10) })",
  "error with odd frames":
    "Object.assign(new Error('e'), { stack: ('    at '.repeat(20) + '(((((main:1:1').repeat(k * 4) })",
  "error with one long line": "Object.assign(new Error('e'), { stack: 'at main:'.repeat(k * 100) })",
  "aggregate error": "new AggregateError(Array.from({ length: k }, (_, j) => new Error('a' + j)))",
  "byte array": "new Uint8Array(k)",
  "empty byte array": "new Uint8Array(0)",
  "float array": "new Float64Array(k).fill(1 / 3)",
  "bigint array": "new BigInt64Array(k)",
  "data view": "new DataView(new ArrayBuffer(8), 4)",
  buffer: "new ArrayBuffer(k)",
  "view of a shared buffer": "new Uint8Array(shared, i % 8, 4)",
  "boxed number": "Object(i)",
  "boxed string": "new String('b')",
  "shared object": "same",
  "shared bigint set": "sameSet",
  "sparse array": "Object.assign([], { length: k * 1000 })",
  "array with holes": "[, i, , k]",
  "deep array": "Array.from({ length: 90 }).reduce((deep) => [deep], i)",
  getter: "({ get a() { return i; } })",
  function: "i + 1 === n ? () => 1 : i",
};

/** Containers: an expression for the whole, from n and an item. */
export const containers: Readonly<Record<string, (item: string) => string>> = {
  "array of": (item) => `Array.from({ length: n }, (_, i) => ${item})`,
  "table of": (item) => `[undefined, ...Array.from({ length: n }, (_, i) => ${item})]`,
  "set of": (item) => `new Set(Array.from({ length: n }, (_, i) => ${item}))`,
  "map with keys": (item) => `new Map(Array.from({ length: n }, (_, i) => [${item}, 0]))`,
  "map with values": (item) => `new Map(Array.from({ length: n }, (_, i) => [i, ${item}]))`,
  "object with keys": (item) =>
    `Object.fromEntries(Array.from({ length: n }, (_, i) => [String(${item}), 0]))`,
  "object with values": (item) =>
    `Object.fromEntries(Array.from({ length: n }, (_, i) => ['k' + i, ${item}]))`,
  "error caused by": (item) => `new Error('outer', { cause: Array.from({ length: n }, (_, i) => ${item}) })`,
  "arrays of ten": (item) =>
    `Array.from({ length: Math.ceil(n / 10) }, (_, h) => Array.from({ length: 10 }, (__, j) => ((i) => ${item})(h * 10 + j)))`,
  "pairs of": (item) => `Array.from({ length: n }, (_, i) => [${item}, { i }])`,
  "chain of": (item) =>
    `Array.from({ length: Math.min(n, 150) }).reduce((inner, _, i) => ({ inner, own: ${item} }), null)`,
  "wide and repeated": (item) =>
    `(() => { const once = Array.from({ length: Math.ceil(Math.sqrt(n)) }, (_, i) => ${item}); return once.map(() => [...once]); })()`,
};

/** What every item may refer to. */
export const prelude = `
  const shared = new ArrayBuffer(16);
  const same = { a: 1 };
  const sameSet = new Set(Array.from({ length: 50 }, (_, i) => (BigInt(i) << 64n) + 1n));`;

/** Fragments of source: repeated n times, with the index in place of @. */
export const fragments: Readonly<Record<string, string>> = {
  "exported constants": "export const e@ = @;\n",
  "exported functions": "export function f@(a) { return a + @; }\n",
  "exports on one line": "export const g@=1;",
  "findings of eval": "eval('@');\n",
  "findings of Function": "Function('@')();",
  "unknown imports": "import 'x@';\n",
  "dynamic imports": "import('y@');\n",
  "long comment": "/* @ */",
  "empty lines": "\n",
  "empty statements": ";",
  strings: "'@';\n",
  "non-ASCII strings": "'é\\u4e00@😀';\n",
  "line separators": "\u2028",
  "carriage returns": "\r",
  templates: "`@${@}`;\n",
  numbers: "@;",
  classes: "class C@ { a = @; static b = () => @; }\n",
  "nested arrows": "(() => ",
  "less-than chain": "a<",
  "conditional chain": "a?b:",
  "broken at its end": "let v@ = @;\n",
  "regexp literals": "/[a-z]@/v;\n",
  objects: "({a:@,b:[@]});\n",
  "source map comments": "//# sourceMappingURL=data:application/json,@\n",
  types: "type T@ = { a: @ };\n",
  enums: "enum E@ { a = @ }\n",
};
