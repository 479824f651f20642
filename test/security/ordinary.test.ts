// False positives: popular packages, as they are published, pass the gate of the default profile.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startRuntime } from "../support/runtimes.ts";
import { hostPackages, ordinaryPackages } from "./packages.ts";

const installed = new URL("../../node_modules/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, installed), "utf8");
const runtime = await startRuntime();
const othersPerPackage = 5;
const sourceLengthMax = 500_000;
const limits = { sourceBytes: 4 * 2 ** 20, compileMs: 60_000 };

test("none of the sources of popular packages is rejected under medium", async (t) => {
  const versions = new Set<string>();
  const rejected: string[] = [];
  let sources = 0;
  let warned = 0;
  for (const [folder, files] of Object.entries(ordinaryPackages)) {
    const { name, version } = JSON.parse(read(`${folder}/package.json`)) as { name: string; version: string };
    versions.add(`${name}@${version}`);
    for (const file of files.split(" ")) {
      sources++;
      const found = await runtime.compile.check(read(`${folder}/${file}`), { limits });
      const errors = found.filter(({ severity }) => severity === "error");
      if (errors.length > 0) rejected.push(`${name}@${version} ${file}: ${errors[0]?.message}`);
      else if (found.length > 0) warned++;
    }
  }
  t.diagnostic([...versions].join(" "));
  t.diagnostic(
    `${versions.size} packages, ${sources} sources, ${rejected.length} rejected, ${warned} warned of`,
  );
  assert.deepEqual(rejected, []);
  assert.ok(versions.size >= 150, `${versions.size} packages`);
  assert.ok(sources >= 320, `${sources} sources`);
});

// The list above was made of files that pass; so that it is not a matter of choice, others are taken as they come.
test("whatever else of these packages is rejected imports something of a host in so many words", async (t) => {
  const written = /(?:from|import)\s*\(?\s*["'`]([^"'`]+)["'`]/g;
  const isHosts = (specifier: string): boolean => isBuiltin(specifier) || /^(?:\w+:|\/)/.test(specifier);
  let sources = 0;
  let rejected = 0;
  for (const [folder, listed] of Object.entries(ordinaryPackages)) {
    const inFolder = globSync("**/*.{js,mjs,cjs}", { cwd: fileURLToPath(new URL(`${folder}/`, installed)) });
    const files = inFolder.filter(
      (file) => !file.includes("node_modules") && !listed.split(" ").includes(file),
    );
    for (const file of files.toSorted().slice(0, othersPerPackage)) {
      const source = read(`${folder}/${file}`);
      if (source.length > sourceLengthMax) continue;
      sources++;
      const errors = (await runtime.compile.check(source, { limits })).filter(
        ({ severity }) => severity === "error",
      );
      if (errors.length === 0) continue;
      rejected++;
      const imports = [...source.matchAll(written)].map(([, specifier = ""]) => specifier);
      assert.ok(imports.some(isHosts), `${folder}/${file}: ${errors[0]?.message}`);
    }
  }
  t.diagnostic(`${sources} more sources, ${rejected} rejected`);
  assert.ok(sources >= 280 && rejected < sources / 5, `${rejected} of ${sources}`);
});

for (const [path, builtin] of hostPackages) {
  test(`${path} is rejected for ${builtin}`, async () => {
    const found = await runtime.compile.check(read(path), { limits });
    const error = found.find(({ severity }) => severity === "error");
    assert.ok(error?.message.startsWith(JSON.stringify(builtin)) === true, JSON.stringify(found));
  });
}
