// What the compiler puts into modules changes neither how statements without semicolons are read nor what errors say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleGuestsIn } from "../support/module-guests.ts";
import { runtimeForTests } from "../support/reloading.ts";

const runtime = runtimeForTests();

const { valueOf } = moduleGuestsIn(runtime);

test("a statement that begins with what is rewritten does not continue a line without a semicolon", async () => {
  const statements = [
    "await null",
    "await null, 5",
    "eval('1')",
    "import('./main')",
    "import.meta",
    "x++, x++",
    "x++ || 1",
    "typeof arguments",
    "arguments?.length",
  ];
  for (const statement of statements) {
    const main = `globalThis.arguments = []; export let x = 1\nlet a = x\n${statement}\nif (a)\n${statement}
      switch (a) { case 1: a = x\n${statement} }
      export const f = () => { a = 7\n${statement.replace("await ", "void ")}\nreturn a }`;
    assert.equal(await valueOf({ main }), 7, statement);
  }
});

// Where an arrow function with a block ends, a bracket begins the next statement, whatever is put around the function.
const ended = [
  "const g = () => () => {}\n(mark)()",
  "const g = () => () => {}\n;[mark][0]()",
  "const g = () => 1 ? 2 : () => {}\n(mark)()",
  "const g = async () => async () => {}\n(mark)()",
  "x = () => {}\n(mark)()",
  "x = () => () => {}\n[mark][0]()",
  "const g = () => () => {}\n`${mark()}`",
  "const g = () => () => {}\n+mark()",
  "const g = () => () => {}\n/a/.test(mark())",
  "class C { g = 0 ? 1 : () => {}\n['mark']() { return mark() }\nstatic h = 0 ? 1 : () => {}\n*k() {} }\nnew C().mark(), new C().k()",
];
const large = Array.from({ length: 400 }, (_, number) => `[...[${number}]]`).join();

for (const fuel of [null, 1_000_000])
  test(`a statement behind the block of an arrow function is one of its own, ${fuel === null ? "without" : "with"} fuel`, async () => {
    for (const statements of [
      ...ended,
      ...ended.map((each) => each.replace("=> () =>", `=> (a = [${large}]) =>`)),
    ]) {
      const main = `let marks = 0\nexport let x = 1\nfunction mark() { marks++; return 1 }
        ${statements}\n{ ${statements} }\nexport const f = () => { ${statements}\nreturn marks }`;
      assert.equal(await valueOf({ main }, fuel), 3, statements.slice(0, 100));
    }
  });

// Each has an operand that is a number, an object without methods, null or undefined where that is an error.
const uses = [
  "(E)()",
  "new (E)()",
  "(E).name.method()",
  "(E)?.()",
  "(E)`text`",
  "(0, E)()",
  "(true ? E : 0)()",
  "(null ?? (E))()",
  "(y = E)()",
  "[...(E)]",
  "Math.max(...(E))",
  "for (const y of (E));",
  "const [y] = (E)",
  "const { y: { z } } = (E)",
  "({ y: { z: y } } = (E))",
  "[[y]] = [E]",
  "1 in (E)",
  "({}) instanceof (E)",
  "class C extends (E) {}",
  "(function* () { yield* (E) })().next()",
  "new Map([[1, 2], (E)])",
  "(E).a.b = 1",
  "delete (E).a.b",
  "Symbol() + (E)",
];
const expressions = [
  "x",
  "x = 5",
  "x = null",
  "x += 1",
  "x++",
  "--x",
  "x &&= 5",
  "x ||= 5",
  "[x] = 5",
  "{ x } = null",
  "[x = 3] = []",
  "imported",
  "imported = 5",
  "imported ??= 5",
  "imported++",
  "[imported] = [1]",
  "space",
  "space.x",
  "space.x = 1",
  "late",
  "late = 1",
  "import.meta",
  "import.meta.none",
  "import('./none')",
  "arguments",
  "arguments[0]",
  "eval('5')",
  "eval",
];
const functions = [
  "x = true ? function () { throw Error() } : 0; x()",
  "x = (0, () => { throw Error() }); x()",
  "x = [() => { throw Error() }][0]; x()",
  "[x] = [() => { throw Error() }]; x()",
  "[x = true ? () => { throw Error() } : 0] = []; x()",
  "x = true ? class { constructor() { throw Error() } } : 0; new x()",
  "x ||= 0; x = 0; x ||= true ? () => { throw Error() } : 0; x()",
];

test("no message and no stack has a name that the compiler introduced", async () => {
  const programs = [
    ...functions,
    ...uses.flatMap((use) =>
      expressions.map((expression) =>
        use.replace("E", () => (expression.startsWith("{") ? `(${expression})` : expression)),
      ),
    ),
  ];
  const attempts = programs.map((text) => `() => { x = 1; let y; { ${text} } }`);
  const main = `import { imported } from "./other"; import * as space from "./other"; globalThis.arguments = [];
    export let x = 1; let y; const run = (attempt) => { try { attempt() } catch (error) { return error.message + error.stack } };
    const all = [${attempts.join(",\n")}]; const early = all.map(run); export let late = 1;
    export const f = () => [...early, ...all.map(run)];`;
  const other = "export let imported = 1; export let x = 1;";
  const seen = (await valueOf({ main, other })) as (string | undefined)[];
  assert.ok(seen.filter((text) => text !== undefined).length > programs.length);
  const bad = seen.flatMap((text, index) =>
    text?.includes("__vivarium") ? [`${programs[index % programs.length] ?? ""}: ${text}`] : [],
  );
  assert.deepEqual(bad, []);
});
