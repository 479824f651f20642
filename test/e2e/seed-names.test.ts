// The table of seed names is true: every name of the ancestor has a counterpart, and every counterpart exists.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Tracker } from "../../src/evolution/index.ts";
import { startRuntime } from "../support/runtimes.ts";
import { root } from "./program.ts";

const rows = readFileSync(join(root, "docs/seed-names.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").map((cell) => cell.trim()));
const namesIn = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

const seedNames = [
  ..."create_sandbox destroy_sandbox restart_sandbox list_sandboxes get_sandbox_info get_info".split(" "),
  ..."get_sandbox_pid hot_reload hot_reload_source rollback_module get_module_version".split(" "),
  ..."list_module_versions get_version_history run run_with_timeout batch_create batch_destroy".split(" "),
  ..."batch_evaluate batch_run batch_hot_reload resource_usage update_limits compile_sandbox".split(" "),
  ..."compile_file capture_process_state".split(" "),
];

test("every name of the ancestor is in the table, once", () => {
  const named = rows.flatMap(([, there]) => namesIn(there));
  for (const name of seedNames) assert.equal(named.filter((given) => given === name).length, 1, name);
  for (const kind of ["PopulationRegistry", "FitnessRecorder", "LineageTracker"])
    assert.ok(
      named.some((name) => name.startsWith(`${kind}.`)),
      kind,
    );
});

test("every counterpart exists", async () => {
  const runtime = await startRuntime();
  await using sandbox = await runtime.create({ modules: { main: "export const f = 1;" } });
  const faces: Readonly<Record<string, unknown>> = { runtime, sandbox, tracker: new Tracker() };
  for (const [, , here] of rows) {
    for (const name of namesIn(here)) {
      const found = name
        .split(".")
        .reduce((at: unknown, part) => (at as Readonly<Record<string, unknown>>)[part], faces);
      assert.ok(found !== undefined, name);
    }
  }
});
