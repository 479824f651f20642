// What users of a Node that is too old are told: one line, by the installation and by every entry, whatever else they do not know.
// The old ones are brought from the npm packages of their binaries; where they cannot be had, the test says so.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { bringNode } from "../../tools/test/node-24.ts";
import { Folder } from "../support/folders.ts";
import { root, runNode, runProgram } from "./program.ts";

const oldNodes = ["18.20.8", "20.11.1", "22.11.0"];

interface Package {
  readonly exports: Readonly<Record<string, string | { readonly default?: string }>>;
}

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Package;
const entries = Object.values(exports).flatMap((entry) =>
  typeof entry === "string" || entry.default === undefined ? [] : [entry.default],
);

const lineFor = (version: string): string =>
  `vivarium needs Node.js 24 or later: this is ${version} (see https://nodejs.org, or use nvm)`;

for (const version of oldNodes)
  test(`Node ${version} is told in one line which one is needed`, async (t) => {
    const brought = await bringNode(version);
    if (typeof brought === "string") return t.skip(`Node ${version} could not be had here: ${brought}`);
    using old = brought;
    const line = lineFor(version);
    for (const entry of entries) {
      const path = JSON.stringify(join(root, entry));
      const code = `import(${path}).catch((error) => console.log(error.name + ": " + error.message))`;
      const { stdout } = await runProgram(old.node, ["-e", code]);
      assert.equal(stdout, `Error: ${line}\n`, entry);
    }
    const command = await runProgram(old.node, [join(root, "dist/cli/main.js"), "demo"]);
    assert.deepEqual(command, { code: 1, stdout: "", stderr: `${line}\n` });
    await assertNotInstalled(old.bin, line);
  });

// From a folder that is packed as the package is, without its dependencies, which take minutes to be compiled.
async function assertNotInstalled(bin: string, line: string): Promise<void> {
  const { name, version, engines, scripts } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as Record<string, Record<string, string>>;
  using folder = new Folder({
    "package/package.json": { name, version, engines, scripts: { preinstall: scripts?.["preinstall"] } },
    "package/node-version.cjs": readFileSync(join(root, "node-version.cjs")),
    "project/package.json": { private: true },
  });
  const env = {
    ...process.env,
    PATH: [bin, process.env["PATH"]].join(delimiter),
    npm_config_ignore_scripts: "false",
  };
  const flags = ["--no-audit", "--no-fund", "--install-links", "--offline"];
  const cwd = folder.at("project");
  const { code, stderr } = await runProgram("npm", ["install", ...flags, "../package"], { cwd, env });
  assert.equal(code, 1, stderr);
  assert.ok(stderr.includes(line), stderr);
}

test("a Node that will do is told nothing, and may require() every entry as well as import it", async () => {
  for (const entry of entries) {
    const path = JSON.stringify(join(root, entry));
    const code = `const required = require(${path});
      import(${path}).then((imported) => console.log(Object.keys(imported).length > 0 && Object.keys(imported).every((name) => imported[name] === required[name])));`;
    assert.deepEqual(await runNode(["-e", code]), { code: 0, stdout: "true\n", stderr: "" }, entry);
  }
  assert.deepEqual(await runNode(["node-version.cjs"]), { code: 0, stdout: "", stderr: "" });
});
