// Scripts as models and students write them run as they expect, alone and in a sandbox that is there already.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../../src/index.ts";
import { valueOf } from "../../support/outcomes.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { moreSnippets } from "./more-snippets.ts";
import { snippets, type Snippet } from "./snippets.ts";

const runtime = await startRuntime();
const sandbox = await runtime.create({ modules: { main: "export const square = (n) => n * n;" } });

function check(snippet: Snippet, outcome: Outcome, lines: readonly string[]): void {
  const { fails, output = [] } = snippet;
  assert.deepEqual(lines, output);
  if (fails === undefined) return assert.deepEqual(valueOf(outcome), snippet.value);
  assert.ok(!outcome.ok);
  const { kind, message, thrown, diagnostics } = outcome.error;
  assert.deepEqual({ kind, message }, { kind: fails.kind, message: fails.message });
  const place = thrown?.stack.split("\n    at ")[1] ?? "";
  const [first] = diagnostics ?? [];
  assert.equal(first === undefined ? place : `${first.module}:${first.line}:${first.column}`, fails.at);
  if (first !== undefined) assert.match(first.frame, new RegExp(`> ${first.line} \\|`));
}

for (const snippet of [...snippets, ...moreSnippets]) {
  const { title, source, args = [] } = snippet;
  test(`once: ${title}`, async () => {
    const outcome = await runtime.once(source, { args });
    check(
      snippet,
      outcome,
      outcome.output.map(({ text }) => text),
    );
  });
  // A sandbox goes on after the script: what its timers write then belongs to no run.
  if (!source.includes("setTimeout(() => console"))
    test(`in a sandbox: ${title}`, async () => {
      const outcome = await sandbox.run(source, { args });
      check(
        snippet,
        outcome,
        outcome.logs.map(({ text }) => text),
      );
    });
}

test("a script imports modules of its sandbox, by path, by name and later", async () => {
  const source = `import { square } from "./main";
import * as main from "main";
const { square: again } = await import("./main.js");
[square(3), main.square(4), again(5), typeof import.meta.url]`;
  assert.deepEqual(valueOf(await sandbox.run(source)), [9, 16, 25, "string"]);
});

test("a script sees nothing of the one before it", async () => {
  assert.equal(valueOf(await sandbox.run("let left = 1; var also = 2; typeof left")), "number");
  assert.equal(valueOf(await sandbox.run("typeof left + typeof also")), "undefinedundefined");
});
