// Compiled modules are stored once, and what is remembered of that is bounded.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Artifact } from "../../../../src/code/modules/artifact.ts";
import { StoredArtifacts } from "../../../../src/orchestration/code/stored-artifacts.ts";

/** More than are remembered. */
const many = 20_001;

const artifactOf = (checksum: string): Artifact => ({
  metered: false,
  checksum,
  source: "",
  code: "",
  imports: [],
  dynamicImports: [],
  exports: [],
  linkage: { imports: [], locals: [], reexports: [], stars: [], body: "sync" },
  sourceMaps: [],
  findings: [],
  warnings: [],
});

test("a compiled module is stored once, and once more after very many others", () => {
  const written: string[] = [];
  const write = async (key: string): Promise<void> => void written.push(key);
  const artifacts = new StoredArtifacts({ write, read: async () => undefined }, "compiler");
  const note = (checksum: string): void => artifacts.note(new Map([["main", artifactOf(checksum)]]));
  note("a");
  note("a");
  assert.deepEqual(written, ["a@compiler"]);
  for (let n = 0; n < many; n++) note(`other ${n}`);
  note("a");
  assert.deepEqual([written.length, written.at(-1)], [many + 2, "a@compiler"]);
});
