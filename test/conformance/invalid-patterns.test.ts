// Regular expressions that the engine refuses: found when a module is compiled, as other errors of syntax are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf } from "../support/reloading.ts";
import { startRuntime } from "../support/runtimes.ts";

test("an invalid regular expression is found when it is compiled, at its place", async () => {
  const runtime = await startRuntime();
  const invalid: readonly (readonly [source: string, line: number, column: number])[] = [
    ["const ok = 1 / 2;\nexport const r = /(abc/;", 2, 18],
    ["export const r = [/b/, /[z-a]/, /a**/];", 1, 24],
    ["interface A {}\n\nexport const f = (): RegExp =>\n  /a{2,1}/;", 4, 3],
    ["export const r = /\\p{Nope}/u;", 1, 18],
  ];
  for (const [main, line, column] of invalid) {
    const { diagnostics } = await refusalOf(runtime.create({ modules: { main } }), "PARSE_FAILED");
    assert.deepEqual([diagnostics[0]?.line, diagnostics[0]?.column], [line, column], main);
    assert.match(diagnostics[0]?.message ?? "", /^Invalid regular expression: \//);
  }
  const outcome = await runtime.once("const ok = 1;\nconst r = /(abc/;\nr.test('x')");
  assert.ok(!outcome.ok);
  assert.deepEqual([outcome.error.kind, outcome.error.diagnostics?.[0]?.line], ["compile", 2]);
  const valid = "export const r = [/[a/]b(?<n>c)/u, /\\/\\*/g, 1 / 2 / 3];";
  assert.deepEqual(await runtime.compile.check(valid), []);
});
