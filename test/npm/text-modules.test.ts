// npm packages imported by modules that are given as text: found from npmFolder, in every way that code comes into a sandbox.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createRuntime, unwrap, type Runtime } from "../../src/index.ts";
import { Folder } from "../support/folders.ts";
import { ask, refusalOf } from "../support/reloading.ts";

const packages = {
  "node_modules/double/package.json": { name: "double", version: "1.2.3", main: "index.js" },
  "node_modules/double/index.js": "exports.double = (n) => n * 2; exports.calls = 0;",
  "node_modules/double/deep/more.js": "module.exports = (n) => n * 4;",
  "node_modules/@scope/half/package.json": { name: "@scope/half", type: "module", exports: "./half.js" },
  "node_modules/@scope/half/half.js": "export default (n) => n / 2;",
};
const main = `import double, { double as twice } from "double"; export const f = (n) => [double.double(n), twice(n)];`;

async function withRuntime(act: (runtime: Runtime, folder: Folder) => Promise<void>): Promise<void> {
  using folder = new Folder(packages);
  await using runtime = await createRuntime({
    npmImports: ["double", "@scope/half", "absent"],
    npmFolder: folder.path,
    cells: { count: 1, spare: 0 },
  });
  await act(runtime, folder);
}

suite("packages imported by text modules", () => {
  test("create, fork, once, hotReload and batch specs find packages in npmFolder", async () => {
    await withRuntime(async (runtime) => {
      await using sandbox = await runtime.create({ modules: { main } });
      assert.deepEqual(await ask(sandbox, "main.f", 4), [8, 8]);
      assert.deepEqual(Object.keys((await sandbox.info()).modules).toSorted(), ["double", "main"]);
      const half = `import half from "@scope/half"; import four from "double/deep/more.js"; export const f = (n) => [half(n), four(n)];`;
      await sandbox.hotReload({ main: half });
      assert.deepEqual(await ask(sandbox, "main.f", 4), [2, 16]);
      await sandbox.rollback("main", 1);
      assert.deepEqual(await ask(sandbox, "main.f", 4), [8, 8]);
      await using fork = await runtime.fork(sandbox.id, { modules: { main: half } });
      assert.deepEqual(await ask(fork, "main.f", 8), [4, 32]);
      const once = await runtime.once(`import { double } from "double"; export default (n) => double(n);`, {
        args: [21],
      });
      assert.equal(unwrap(once), 42);
      const made = await runtime.batch.create([{ modules: { main } }, { modules: { main: half } }]);
      assert.ok(made.every((item) => item.ok));
    });
  });

  test("a package that is admitted and not installed is named with what to do", async () => {
    await withRuntime(async (runtime, folder) => {
      const modules = { main: `import absent from "absent/sub"; export const f = absent;` };
      const { message, phase } = await refusalOf(runtime.create({ modules }), "LOAD_FAILED");
      const rule = `it must be installed in ${folder.path}/node_modules: run npm install absent there`;
      assert.equal(message, `Cannot import package "absent/sub" as ${rule}`);
      assert.equal(phase, "link");
    });
  });
});
