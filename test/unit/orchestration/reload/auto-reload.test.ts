// A file that was emptied is about to be written: what it has afterwards is followed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceTree } from "../../../../src/code/files/source-tree.ts";
import { Bus } from "../../../../src/observability/bus.ts";
import { AutoReload } from "../../../../src/orchestration/reload/auto-reload.ts";
import type { ReloadInput } from "../../../../src/orchestration/reload/reload-plan.ts";
import type { ManagedSandbox } from "../../../../src/orchestration/sandboxes/managed-sandbox.ts";
import { FakeClock } from "../../../../src/testing/index.ts";
import { Folder } from "../../../support/folders.ts";
import { until } from "../../../support/waiting.ts";

const treeOf = (root: string, source: string): SourceTree =>
  ({ root, path: root, modules: new Map([["main", { source, checksum: source }]]) }) as unknown as SourceTree;

test("a sandbox does not follow a file to the moment at which it is empty, but to what is written then", async () => {
  using folder = new Folder();
  const clock = new FakeClock();
  const reloads: unknown[] = [];
  const sandbox = {
    id: "s",
    tree: treeOf(folder.path, "first"),
    modules: new Map([["main", { source: "first", checksum: "first" }]]),
    reload: ({ changes }: ReloadInput) => {
      reloads.push(...changes().values());
      return Promise.resolve({ status: "reloaded", revision: 2 });
    },
    noteTree: () => {},
    noteError: () => {},
  } as unknown as ManagedSandbox;
  const written = ["", "second"];
  const autoReload = new AutoReload({
    clock,
    bus: new Bus(() => 0),
    readTree: () => Promise.resolve(treeOf(folder.path, written.shift() ?? "second")),
  });
  autoReload.start(sandbox);
  await until("it has read the empty file", () => written.length === 1);
  clock.advance(100);
  await until("it is reloaded", () => reloads.length > 0);
  autoReload.close();
  assert.deepEqual(reloads, [{ source: "second", checksum: "second" }]);
});

test("a sandbox that is stopped while a file is awaited reads it no more", async () => {
  using folder = new Folder();
  const clock = new FakeClock();
  let reads = 0;
  const modules = new Map([["main", { source: "first", checksum: "first" }]]);
  const sandbox = { id: "s", tree: treeOf(folder.path, "first"), modules } as unknown as ManagedSandbox;
  const autoReload = new AutoReload({
    clock,
    bus: new Bus(() => 0),
    readTree: () => {
      reads++;
      return Promise.resolve(treeOf(folder.path, ""));
    },
  });
  autoReload.start(sandbox);
  await until("it has read the empty file", () => reads === 1);
  autoReload.close();
  clock.advance(1_000);
  assert.equal(reads, 1);
});
