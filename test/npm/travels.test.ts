// Packages on all ways that code takes: files with their own node_modules or npmFolder's, files that are followed, exports,
// the data folder, and what profiles and limits say of them.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createRuntime, unwrap, type Runtime, type RuntimeOptions } from "../../src/index.ts";
import { Folder } from "../support/folders.ts";
import { ask, refusalOf } from "../support/reloading.ts";
import { until } from "../support/waiting.ts";

const large = `export const large = (n) => n + 1; export const text = "${"x".repeat(5_000)}";`;
const packages = {
  "node_modules/large/package.json": { name: "large", version: "1.0.0", type: "module", main: "./index.js" },
  "node_modules/large/index.js": large,
  "node_modules/near/package.json": { name: "near", version: "1.0.0" },
  "node_modules/near/index.js": `exports.where = "npmFolder";`,
};
const main = `import { large } from "large"; export const f = (n) => large(n);`;
const sourceBytes = 1_000;

suite("packages on their way", () => {
  let folder: Folder;
  let runtime: Runtime;
  const options = (): RuntimeOptions => ({
    npmImports: ["large", "near", "far"],
    npmFolder: folder.path,
    limits: { sourceBytes },
    cells: { count: 1, spare: 0 },
  });
  before(async () => {
    folder = new Folder(packages);
    runtime = await createRuntime(options());
  });
  after(async () => {
    await runtime?.close();
    folder?.[Symbol.dispose]();
  });

  test("a package may be longer than sourceBytes wherever it travels: fork, export, import, reload, fuel", async () => {
    await using sandbox = await runtime.create("first", { modules: { main } });
    assert.equal(await ask(sandbox, "main.f", 1), 2);
    await using fork = await runtime.fork("first", {});
    assert.equal(await ask(fork, "main.f", 2), 3);
    const individual = await sandbox.export();
    assert.match(individual.modules["large"]?.[0]?.source ?? "", /^\/\/ npm package large@1\.0\.0\n/);
    await using imported = await runtime.import(individual, { id: "second" });
    assert.equal(await ask(imported, "main.f", 3), 4);
    await imported.hotReload({ main: main.replace("large(n)", "large(n) * 2") });
    assert.equal(await ask(imported, "main.f", 3), 8);
    await using metered = await runtime.create({ modules: { main }, limits: { fuel: 100_000 } });
    assert.equal(await ask(metered, "main.f", 3), 4);
  });

  test("a module of a guest's own is bounded by sourceBytes, also under the name of a package", async () => {
    const long = `export const large = 1; // ${"x".repeat(sourceBytes)}`;
    for (const modules of [
      { main: long },
      { main, large: long },
      { other: `// npm package other@1\n${long}` },
    ])
      await refusalOf(runtime.create({ modules }), "COMPILE_FAILED");
  });

  test("a package is bounded by npmBytesMax, at the bound and beyond", async () => {
    await using sandbox = await runtime.create({ modules: { main } });
    const bytes = Buffer.byteLength((await sandbox.export()).modules["large"]?.[0]?.source ?? "");
    await using enough = await createRuntime({ ...options(), npmBytesMax: bytes });
    await using _fits = await enough.create({ modules: { main } });
    await using tight = await createRuntime({ ...options(), npmBytesMax: bytes - 1 });
    const { message } = await refusalOf(tight.create({ modules: { main } }), "LOAD_FAILED");
    const rule = `it must be at most npmBytesMax of createRuntime(), ${bytes - 1} bytes, with all that it imports: it is ${bytes}`;
    assert.equal(message, `Cannot import package "large" as ${rule}`);
  });

  test("files find packages from their own folder first, then from npmFolder", async () => {
    using own = new Folder({
      "index.js": `import { where } from "near"; import { large } from "large"; export const f = () => [where, large(1)];`,
      "node_modules/near/package.json": { name: "near" },
      "node_modules/near/index.js": `exports.where = "own";`,
    });
    await using sandbox = await runtime.create({ path: own.path });
    assert.deepEqual(await ask(sandbox, "index.f"), ["own", 2]);
    own.write({ "index.js": `import "far"; export const f = 1;` });
    const { message } = await refusalOf(runtime.create({ path: own.path }), "LOAD_FAILED");
    const places = `${own.path}/node_modules or ${folder.path}/node_modules`;
    assert.equal(
      message,
      `Cannot import package "far" as it must be installed in ${places}: run npm install far there`,
    );
  });

  test("a file that begins to import a package is followed, and one that ends is rid of it", async () => {
    using own = new Folder({ "index.js": "export const f = () => 0;" });
    await using sandbox = await runtime.create({ path: own.path, autoReload: true });
    own.write({ "index.js": `import { large } from "large"; export const f = () => large(1);` });
    await until("the package is used", async () => (await ask(sandbox, "index.f")) === 2);
    own.write({ "index.js": `export const f = () => 3;` });
    await until("it is used no longer", async () => (await ask(sandbox, "index.f")) === 3);
    assert.deepEqual(Object.keys((await sandbox.info()).modules), ["index"]);
  });

  test("what is stored with its packages runs again, also where they are installed no longer", async () => {
    using data = new Folder();
    const stored = (): Promise<Runtime> => createRuntime({ ...options(), data: data.at("run") });
    {
      await using first = await stored();
      await first.create("kept", { modules: { main } });
    }
    folder.remove("node_modules/large");
    try {
      await using again = await stored();
      const kept = await again.get("kept");
      assert.ok(kept !== undefined);
      assert.equal(await ask(kept, "main.f", 4), 5);
    } finally {
      folder.write(packages);
    }
  });

  test("batches of specs evaluate candidates that import packages", async () => {
    const specs = [1, 2].map((by) => ({
      modules: { main: `import { large } from "large"; export const f = () => large(${by});` },
    }));
    const { items } = await collected(runtime, specs);
    assert.deepEqual(items, [2, 3]);
  });

  test("profiles, blockedImports and missing options are named with what to do", async () => {
    await using bare = await createRuntime({
      blockedImports: ["near"],
      npmImports: ["near", "large"],
      cells: { count: 1, spare: 0 },
    });
    const refused = async (source: string, spec: object = {}): Promise<string> =>
      (await refusalOf(bare.create({ modules: { main: source }, ...spec }))).message;
    const only = "as the sandbox has only these modules: main";
    assert.equal(
      await refused(`import "lodash/fp"`),
      `Cannot import "lodash/fp" into "main" ${only}; to import the npm package, run npm install lodash in <folder> and name it: createRuntime({ npmImports: ["lodash"], npmFolder: "<folder>" })`,
    );
    assert.equal(
      await refused(`import "large"`),
      `Cannot import "large" into "main" ${only}; to import the npm package, name the folder whose node_modules has it: createRuntime({ npmFolder: "<folder>" })`,
    );
    assert.equal(
      await refused(`import "large"`, { profile: "high" }),
      `Cannot import "large" into "main" ${only}; profile "high" admits no npm packages`,
    );
    assert.equal(await refused(`import "./large"`), `Cannot import "./large" into "main" ${only}`);
    assert.match(
      await refused(`import "near"`),
      /^Cannot load module "main" as profile "medium" must admit it: "near" .*blocked-imports/,
    );
    for (const npmFolder of [folder.at("none"), "\0", "a".repeat(5_000)])
      await assert.rejects(
        createRuntime({ npmFolder }),
        /Cannot use npmFolder as it must be the path of a folder that exists: got/,
      );
  });
});

async function collected(
  runtime: Runtime,
  specs: readonly { readonly modules: Readonly<Record<string, string>> }[],
): Promise<{ readonly items: readonly unknown[] }> {
  const outcomes = await runtime.batch.call(specs, "main.f");
  return { items: outcomes.map((outcome) => unwrap(outcome)) };
}
