// One tenant's sources, however long they take to compile, do not hold up another tenant's, nor a sandbox its siblings'.
// What is compared is an order: how many of the attacker's are done before the other's single small one.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { Sandbox } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { startRuntime } from "../support/runtimes.ts";

const attacks = 8;
const limits = { sourceBytes: 16 * 2 ** 20, compileMs: 600_000 };
const runtime = await startRuntime({ cells: { count: 1, spare: 2 }, limits });
const small = "export const f = () => 1;";

afterEach(async () => {
  for (const { id } of await runtime.list()) await runtime.destroy(id);
});

// Takes the compiler as long as thousands of small ones; each is another source, so that none is in the cache.
let made = 0;
const longSource = (): string =>
  `export const g = ${++made};\n` +
  Array.from(
    { length: 10_000 },
    (_, n) => `export function f${n}(a: number, b: string) { return [a + ${n}, b]; }`,
  ).join("\n");

async function sandboxOf(tenant: string): Promise<Sandbox> {
  return runtime.create({ modules: { main: small }, placement: { tenant } });
}

/** Compiles a source for a sandbox without loading it. */
const compileFor = (sandbox: Sandbox, main: string): Promise<unknown> =>
  sandbox.hotReload({ main }, { dryRun: true });

/** How many of the attacker's sources are compiled when a small one of the other's is. */
async function doneBefore(attackers: readonly Sandbox[], honest: Sandbox): Promise<number> {
  let done = 0;
  const long = Array.from({ length: attacks }, async (_, n) => {
    await compileFor(attackers[n % attackers.length] as Sandbox, longSource());
    done++;
  });
  await compileFor(honest, `export const f = () => ${++made};`);
  const before = done;
  await Promise.all(long);
  return before;
}

function assertFew(count: number): void {
  assert.ok(count <= 2, `${count} of ${attacks} came first`);
}

test("a tenant's source is compiled before those of another that came first and take long", async () => {
  const attacker = await sandboxOf("attacker");
  const honest = await sandboxOf("honest");
  assertFew(await doneBefore([attacker], honest));
});

test("a sandbox's source is compiled before those of a sibling that came first and take long", async () => {
  const attacker = await sandboxOf("one");
  const honest = await sandboxOf("one");
  assertFew(await doneBefore([attacker], honest));
});

test("a sandbox's small source is compiled before the long ones of many siblings", async () => {
  const attackers = await Promise.all(Array.from({ length: attacks }, () => sandboxOf("one")));
  const honest = await sandboxOf("one");
  assertFew(await doneBefore(attackers, honest));
});

test("a source that a parser would read again and again is refused, and no compiler is lost", async () => {
  const honest = await sandboxOf("honest");
  const { compile: before } = await runtime.metrics();
  for (let n = 0; n < attacks; n++) {
    const main = `const a = ${n}; export const x = ${"a<".repeat(8_000)}1;`;
    const error = await errorOf(
      () => runtime.create({ modules: { main }, placement: { tenant: "attacker" } }),
      "PARSE_FAILED",
    );
    assert.match(error.message, /More than 100 "<" are open at once \(main:1:\d+\)/);
  }
  await compileFor(honest, `export const f = () => ${++made};`);
  assert.equal((await runtime.metrics()).compile.restarts, before.restarts);
});
