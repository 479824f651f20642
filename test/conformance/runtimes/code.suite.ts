// Versions of code, processes and the compiler, as every runtime must have them.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LoadError } from "../../../src/index.ts";
import { errorOf } from "../../support/errors.ts";
import { failureOf, valueOf } from "../../support/outcomes.ts";
import { schemed } from "../../support/process-guests.ts";
import type { Tried } from "./subject.ts";

const version = (n: number): string => `export const f = () => ${n};`;

export function describeCode(tried: Tried): void {
  suite("versions", () => {
    test("a reload is a new version, which can be looked at, compared and rolled back", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: version(1) } });
      const report = await sandbox.hotReload({ main: version(2) }, { mutation: { step: 2 } });
      assert.equal(report.revision, 2);
      assert.equal(valueOf(await sandbox.call("main.f")), 2);
      assert.deepEqual([await sandbox.version("main"), await sandbox.versions("main")], [2, [1, 2]]);
      const [first, second] = await sandbox.history("main");
      assert.deepEqual([first?.current, second?.current, second?.mutation], [false, true, { step: 2 }]);
      assert.equal(await sandbox.source("main"), version(2));
      assert.equal(await sandbox.source("main", 1), version(1));
      assert.match(await sandbox.diff("main", 1, 2), /^-export const f = \(\) => 1;$/m);
      await sandbox.rollback("main", 1);
      assert.equal(valueOf(await sandbox.call("main.f")), 1);
      await sandbox.rollbackTo(2);
      assert.equal(valueOf(await sandbox.call("main.f")), 2);
    });

    test("a dry run changes nothing, and what does not load is undone", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: version(1) } });
      await sandbox.hotReload({ main: version(2) }, { dryRun: true });
      const error = await errorOf(() => sandbox.hotReload({ main: "export const f = ;" }), "PARSE_FAILED");
      assert.ok(error instanceof LoadError && error.phase === "parse" && error.diagnostics.length > 0);
      await errorOf(() => sandbox.hotReload({ main: "throw new Error('at load')" }), "LOAD_FAILED");
      assert.equal(valueOf(await sandbox.call("main.f")), 1);
      assert.equal((await sandbox.info()).revision, 1);
    });

    test("a module can be taken away, and a compiled one put in", async () => {
      const { runtime } = tried;
      await using sandbox = await runtime.create({ modules: { main: version(1), extra: version(9) } });
      const compiled = await runtime.compile.source(version(3), { name: "main.ts" });
      await sandbox.hotReload({ main: compiled, extra: null });
      assert.deepEqual(Object.keys((await sandbox.info()).modules), ["main"]);
      assert.equal(valueOf(await sandbox.call("main.f")), 3);
      await errorOf(() => sandbox.version("extra"), "VERSION_NOT_FOUND");
    });
  });

  suite("processes", () => {
    const source = schemed(1, {
      fields: "count: { type: 'number' }",
      more: "handleCast: (_, state) => ({ state }),",
    });

    test("processes are asked and told, shown, written down and put back", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source }, supervisor: "main" });
      assert.deepEqual(valueOf(await sandbox.ask("counter", "get")), { count: 0 });
      assert.equal((await sandbox.ask("counter", { count: 5 })).ok, true);
      assert.equal((await sandbox.send("counter", "whatever")).ok, true);
      const views = await sandbox.processes();
      assert.match(JSON.stringify(views), /counter/);
      const capture = await sandbox.captureState();
      await sandbox.ask("counter", { count: 6 });
      await sandbox.restoreState(capture);
      assert.deepEqual(valueOf(await sandbox.ask("counter", "get")), { count: 5 });
      await sandbox.checkpoint();
      await sandbox.restart();
      assert.deepEqual(valueOf(await sandbox.ask("counter", "get")), { count: 5 });
      assert.equal(failureOf(await sandbox.ask("nobody", 1)).kind, "not-found");
    });
  });

  suite("the compiler", () => {
    test("sources are compiled and checked", async () => {
      const { compile } = tried.runtime;
      const artifact = await compile.source("export const a: number = 1;", { name: "a.ts" });
      assert.deepEqual(artifact.exports, ["a"]);
      assert.deepEqual(await compile.check("export const a = 1;"), []);
      assert.equal((await compile.check("export const a = ;")).length, 1);
      const found = await compile.types({ main: "export const a: string = 1;" });
      assert.equal(found.length, 1);
      // Half of a pair of surrogates is a text as any other.
      assert.deepEqual(await compile.types({ main: 'export const half: string = "\ud800";' }), []);
      await errorOf(() => compile.source("export {"), "PARSE_FAILED");
    });
  });
}
