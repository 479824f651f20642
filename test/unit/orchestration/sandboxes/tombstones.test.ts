// The dead are remembered up to a number and a weight, however loud they were.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Registry, tombstonesBytesMax } from "../../../../src/orchestration/sandboxes/registry.ts";
import { tombstoneOf } from "../../../../src/orchestration/sandboxes/tombstone.ts";
import type { ManagedSandbox } from "../../../../src/orchestration/sandboxes/managed-sandbox.ts";
import type { LogLine } from "../../../../src/index.ts";
import { sandboxFor } from "../../../support/managed-sandboxes.ts";

const line = (text: string): LogLine => ({ level: "log", text, at: 0 });
const loud = "x".repeat(60_000);

function archived(registry: Registry, id: string, lines: readonly string[]): ManagedSandbox {
  const logs = { toArray: () => lines.map(line), last: (count: number) => lines.map(line).slice(-count) };
  const sandbox = { ...sandboxFor(id, {}), logs } as unknown as ManagedSandbox;
  registry.add(sandbox);
  registry.archive(sandbox, tombstoneOf(sandbox, 0));
  return sandbox;
}

suite("tombstones", () => {
  test("keep the last hundred lines, and of loud ones only what is short enough", () => {
    const registry = new Registry(10);
    const many = archived(
      registry,
      "many",
      Array.from({ length: 200 }, (_, n) => `line ${n}`),
    );
    assert.deepEqual(
      registry
        .tombstone(many.id)
        ?.logs.map(({ text }) => text)
        .slice(0, 1),
      ["line 100"],
    );
    const one = archived(registry, "loud", [...Array.from({ length: 10 }, () => loud), "last words"]);
    assert.deepEqual(
      registry.tombstone(one.id)?.logs.map(({ text }) => text),
      ["last words"],
    );
  });

  test("make room for others when they are too many", () => {
    const registry = new Registry(2);
    const [first, ...others] = ["a", "b", "c"].map((id) => archived(registry, id, []));
    assert.equal(registry.tombstone(first?.id ?? ("" as never)), undefined);
    for (const { id } of others) assert.equal(registry.tombstone(id)?.info.id, id);
  });

  test("make room when they weigh too much, and weigh nothing once they are gone", () => {
    const registry = new Registry(1_000_000);
    const lines = Array.from({ length: 100 }, () => "y".repeat(160));
    const bytes = 16_000;
    for (let n = 0; n * bytes < 2 * tombstonesBytesMax; n++) archived(registry, `n${n}`, lines);
    const kept = registry.tombstones;
    assert.ok(kept > 1_000 && kept * bytes <= tombstonesBytesMax, `${kept} are kept`);
    for (let n = 0; n < 100; n++) archived(registry, "again", lines);
    assert.ok(registry.tombstones >= kept - 2, `${registry.tombstones} of ${kept} are left`);
  });
});
