// Sandboxes of one cell that have a module's text in common, and so its compiled code: each is the same as if it were alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unwrap } from "../../src/index.ts";
import { runtimeForTests } from "../support/reloading.ts";

const runtime = runtimeForTests({ cells: { count: 1, spare: 0 } });

// Long enough to have something to keep; the throw is in its last line.
const shared = `let count = 0;
export function next(n: number): number { return (count += n); }
export function spin(n: number): number { let sum = 0; for (let i = 0; i < n; i++) sum += i % 7; return sum; }
export class Named { twice(n: number): number { return n * 2; } }
export const text = (): string => next.toString() + new Named().twice(2);
export function fail(): never { throw new RangeError("on the sixth line"); }
`;

test("sandboxes that share a module have variables, fuel, stacks and texts of their own", async () => {
  const seen = new Set<string>();
  for (let i = 0; i < 5; i++) {
    const sandbox = await runtime.current.create({ modules: { main: shared }, limits: { fuel: 10_000 } });
    const first = unwrap(await sandbox.call("main.next", { args: [i] }));
    assert.equal(first, i);
    const spun = await sandbox.call("main.spin", { args: [1_000] });
    const spent = await sandbox.call("main.spin", { args: [100_000] });
    const failed = await sandbox.call("main.fail");
    const stack = failed.ok ? "" : (failed.error.thrown?.stack ?? "");
    assert.match(stack, /main:6:\d+/);
    const shown = unwrap(await sandbox.call("main.text"));
    seen.add(JSON.stringify([unwrap(spun), spun.usage.fuel, spent.ok || spent.error.kind, stack, shown]));
    await sandbox.destroy();
  }
  assert.equal(seen.size, 1, [...seen].join("\n"));
});

test("modules of one text under two names keep their names in stacks", async () => {
  for (let i = 0; i < 4; i++) {
    const sandbox = await runtime.current.create({ modules: { main: shared, other: shared } });
    for (const name of ["main", "other"]) {
      const failed = await sandbox.call(`${name}.fail`);
      assert.match(failed.ok ? "" : (failed.error.thrown?.stack ?? ""), new RegExp(`${name}:6:\\d+`));
    }
    await sandbox.destroy();
  }
});

test("texts of one length are never taken for each other, also in reloads", async () => {
  const giving = (n: number): string => `export const give = () => ${n}; // ${"x".repeat(2_000)}`;
  const sandboxes = await Promise.all(
    [1, 2, 3].map((n) => runtime.current.create({ modules: { main: giving(n) } })),
  );
  for (let round = 0; round < 3; round++) {
    for (const [i, sandbox] of sandboxes.entries()) {
      const n = ((i + round) % 3) + 1;
      await sandbox.hotReload({ main: giving(n) });
      assert.equal(unwrap(await sandbox.call("main.give")), n);
    }
  }
});
