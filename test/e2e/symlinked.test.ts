// The package where package managers, workspaces and containers have put links in its place, in that of its dependencies, or of
// the whole folder of packages: a sandbox answers all the same.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import { root, runNode } from "./program.ts";

const program = `
import { createRuntime } from "vivarium";
const runtime = await createRuntime();
const sandbox = await runtime.create({ modules: { main: "export const f = (x: number) => x + 1" } });
console.log((await sandbox.call("main.f", { args: [41] })).value);
await runtime.close();
`;
const packages = join(root, "node_modules");

test("a sandbox answers where the package is a link to a folder with its own packages", async () => {
  using folder = new Folder({ "project/first.mjs": program });
  install(folder.at("checkout"));
  link(packages, folder.at("checkout/node_modules"));
  link(folder.at("checkout"), folder.at("project/node_modules/vivarium"));
  await assertAnswers(folder);
});

test("a sandbox answers where node_modules is a link", async () => {
  using folder = new Folder({ "project/first.mjs": program });
  install(folder.at("elsewhere/node_modules/vivarium"));
  for (const name of ["isolated-vm", "rolldown"])
    link(join(packages, name), folder.at(`elsewhere/node_modules/${name}`));
  link(folder.at("elsewhere/node_modules"), folder.at("project/node_modules"));
  await assertAnswers(folder);
});

test("a sandbox answers where node_modules is a link and Node keeps the names of links", async () => {
  using folder = new Folder({ "project/first.mjs": program });
  install(folder.at("elsewhere/node_modules/vivarium"));
  for (const name of readdirSync(packages).filter((each) => each !== "vivarium" && !each.startsWith(".")))
    link(join(packages, name), folder.at(`elsewhere/node_modules/${name}`));
  link(folder.at("elsewhere/node_modules"), folder.at("project/node_modules"));
  await assertAnswers(folder, ["--preserve-symlinks"]);
});

test("a sandbox answers where every package has a folder of its own with links to what it needs", async () => {
  using folder = new Folder({ "project/first.mjs": program });
  const place = (owner: string, name: string): string =>
    folder.at(`project/node_modules/.pnpm/${owner}@1.0.0/node_modules/${name}`);
  install(place("vivarium", "vivarium"));
  for (const name of ["isolated-vm", "node-gyp-build"]) copyPackage(name, place(name, name));
  link(place("isolated-vm", "isolated-vm"), place("vivarium", "isolated-vm"));
  link(place("node-gyp-build", "node-gyp-build"), place("isolated-vm", "node-gyp-build"));
  link(join(packages, "rolldown"), place("vivarium", "rolldown"));
  link(place("vivarium", "vivarium"), folder.at("project/node_modules/vivarium"));
  await assertAnswers(folder);
});

/** The package as it is installed, without what it depends on. */
function install(folder: string): void {
  for (const name of ["dist", "package.json", "node-version.cjs"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
}

// Without the sources of its native code, which are large.
function copyPackage(name: string, folder: string): void {
  const isNeeded = (path: string): boolean => !/\.tgz$|[/\\](?:src|vendor)$/.test(path);
  cpSync(join(packages, name), folder, { recursive: true, filter: isNeeded });
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

async function assertAnswers(folder: Folder, flags: readonly string[] = []): Promise<void> {
  const cwd = folder.at("project");
  const { code, stdout, stderr } = await runNode([...flags, "first.mjs"], { cwd });
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "42\n", stderr: "" });
}
