// npm packages imported by scripts: found from npmFolder, whichever way the script takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../src/index.ts";
import { Folder } from "../support/folders.ts";
import { failureOf, valueOf } from "../support/outcomes.ts";

const packages = {
  "node_modules/double/package.json": { name: "double", version: "1.2.3", main: "index.js" },
  "node_modules/double/index.js": "exports.double = (n) => n * 2;",
  "node_modules/half/package.json": { name: "half", type: "module", exports: "./half.js" },
  "node_modules/half/half.js": "export default (n) => n / 2;",
};

test("once, run and sessions find packages, also by import(), and keep them", async () => {
  using folder = new Folder(packages);
  await using runtime = await createRuntime({
    npmImports: ["double", "half", "absent"],
    npmFolder: folder.path,
    cells: { count: 1, spare: 0 },
  });
  const source = `import { double } from "double"\nconst { default: half } = await import("half")\n;[double(4), half(4)]`;
  assert.deepEqual(valueOf(await runtime.once(source)), [8, 2]);
  await using sandbox = await runtime.create({ modules: { main: "export const n = 1;" } });
  assert.deepEqual(valueOf(await sandbox.run(source)), [8, 2]);
  assert.deepEqual(Object.keys((await sandbox.info()).modules).toSorted(), ["double", "half", "main"]);
  await using session = await runtime.session();
  assert.equal(valueOf(await session.run("let seen = 1")), undefined);
  assert.deepEqual(valueOf(await session.run(source)), [8, 2]);
  const again = await session.run("[seen, double(seen)]");
  assert.deepEqual([valueOf(again), again.fresh], [[1, 2], false]);
  for (const run of [
    (text: string) => runtime.once(text),
    (text: string) => sandbox.run(text),
    (text: string) => session.run(text),
  ]) {
    const absent = failureOf(await run(`import x from "absent"; x`));
    assert.equal(absent.kind, "load");
    assert.match(
      absent.message,
      /^Cannot import package "absent" as it must be installed in .*: run npm install absent there$/,
    );
    const unlisted = failureOf(await run(`import x from "lodash"; x`));
    assert.equal(unlisted.kind, "load");
    assert.match(unlisted.message, /"lodash" into "script(?:-\d)?" .*npm install lodash/);
  }
});
