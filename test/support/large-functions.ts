// Large functions of many shapes, each with a loop that can be made endless.

/** One statement of a kind, with the number of it; they use `s`, a number, `i`, a number, and `o`, an object. */
export const statementKinds: Readonly<Record<string, (k: number) => string>> = {
  arithmetic: (k) => `s = (s * ${(k % 7) + 1} + i ^ ${k}) | 0;`,
  branches: (k) =>
    `if ((i + ${k}) % ${(k % 5) + 2} === 0) s += o.c[${k % 3}] + Math.sqrt(i + ${k}); else o.a = s & ${k};`,
  loops: (k) => `for (let j = 0; j < 2; j++) s = (s + j * ${k}) | 0;`,
  closures: (k) => `for (let j = 0; j < 2; j++) s = (s + [j, i].map((x) => x + ${k})[0]) | 0;`,
  "for-of": (k) => `for (const x of o.c) s = (s + x * ${k}) | 0;`,
  patterns: (k) => `{ const [a, b = ${k}] = o.c; const { c: [d] } = o; s = (s + a + b + d) | 0; }`,
  objects: (k) => `o = { ...o, a: s & 7, b: { x: i, y: ${k} } }; s = (s + o.b.y) | 0;`,
  switches: (k) =>
    `switch (i % 3) { case 0: s += ${k}; break; case 1: s ^= ${k}; break; default: s = (s + String(i).length) | 0; }`,
  tries: (k) => `try { if (s % ${k + 2} === 1) throw s; s = (s + ${k}) | 0; } catch (e) { s = (e + 1) | 0; }`,
};

/** Code that turns `n` times, and for ever where that is infinite. */
export function loopOf(kind: string, count: number): string {
  const statement = statementKinds[kind];
  if (statement === undefined)
    throw new RangeError(`Cannot make statements as there are none of this kind: got ${kind}`);
  const statements = Array.from({ length: count }, (_, k) => statement(k));
  return `let s = 0, o = { a: 1, b: { x: 1, y: 2 }, c: [1, 2, 3] };
  for (let i = 0; i < n; i++) { ${statements.join("\n")} }`;
}

/** Modules that export `run(n)`, by where the code is. */
export const places: Readonly<Record<string, (code: string) => string>> = {
  "a function": (code) => `export function run(n) { ${code} return s; }`,
  "an arrow function": (code) => `export const run = (n) => { ${code} return s; };`,
  "a default value": (code) => `export const run = (n, value = (() => { ${code} return s; })()) => value;`,
  "a method that uses super": (code) => `
class A { base() { return 1; } }
class B extends A { base() { return 2; } run(n) { ${code} return s + super.base(); } }
export const run = (n) => new B().run(n);`,
  "a constructor that calls super": (code) => `
class A { constructor(x) { this.x = x; } }
class B extends A { constructor(n) { ${code} super(s); this.y = new.target === B; } }
export const run = (n) => { const { x, y } = new B(n); return [x, y]; };`,
  "a getter": (code) => `export const run = (n) => ({ get x() { ${code} return s; } }).x;`,
  "an async function": (code) => `export async function run(n) { ${code} return await s; }`,
  "an async arrow function": (code) => `export const run = async (n) => { await 0; ${code} return s; };`,
  "a generator": (code) => `
function* values(n) { const got = yield arguments.length; ${code} yield s; return got; }
export const run = (n) => { const g = values(n, 5); return [g.next().value, g.next("x").value, g.next()]; };`,
  "an async generator": (code) => `
async function* values(n) { const got = yield 1; ${code} yield s; return got; }
export const run = async (n) => { const g = values(n); return [(await g.next()).value, (await g.next("x")).value, await g.next()]; };`,
  "a static block": (code) => `
export const run = (n) => { class A { static x; static { ${code} A.x = s + this.name.length; } } return A.x; };`,
  "a field": (code) => `
export const run = (n) => { class A { k = 2; x = (() => { ${code} return s * this.k; })(); } return new A().x; };`,
};
