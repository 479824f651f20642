// What stands between tokens is read once, however much of it there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { endOfGap } from "../../../../src/code/compiler-host/gap.ts";
import { startRuntime } from "../../../support/runtimes.ts";

const comments = "    // one of many lines, \t // each with spaces    /* and more */\n".repeat(2_000);
const blank = `${" ".repeat(2_000)}${comments}/* the last\n one */`;

test("white space and comments end where the next token begins", () => {
  assert.equal(endOfGap("let a", 0), 0);
  assert.equal(endOfGap(" // a\n/* b */ let a", 0), 14);
  assert.equal(endOfGap("let /* not closed", 4), 4);
  assert.equal(endOfGap(`${blank}let a`, 0), blank.length);
});

test("a script may begin with thousands of spaces and comments", async () => {
  const runtime = await startRuntime();
  const scripts = [`${blank}1 + 1`, `${blank}{ a: 1 }`, `${blank}{ const a = 1; a + 1 }`];
  const values = await Promise.all(scripts.map(async (script) => runtime.once(script)));
  assert.deepEqual(
    values.map((outcome) => (outcome.ok ? outcome.value : outcome.error.message)),
    [2, { a: 1 }, 2],
  );
});

test("a function without a name may have as many behind its keyword", async () => {
  const runtime = await startRuntime();
  const call = async (source: string): Promise<unknown> => {
    const sandbox = await runtime.create({ modules: { main: source } });
    const outcome = await sandbox.call("main.default");
    return outcome.ok ? outcome.value : outcome.error.message;
  };
  assert.equal(await call(`export default function${blank}() { return 1; }`), 1);
  assert.equal(await call(`export default async function${blank}() { return 2; }`), 2);
  const sandbox = await runtime.create({
    modules: { main: `export default async /**/ function${blank}*() { yield 3; }` },
  });
  const parts: unknown[] = [];
  for await (const part of sandbox.stream("main.default")) parts.push(part);
  assert.deepEqual(parts, [3]);
});
