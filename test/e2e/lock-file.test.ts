// The lock file works on any machine: `npm ci` accepts it, and it names no place to download from.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { missingFrom, type Lock } from "../../tools/lock/lock-file.ts";
import { root } from "./program.ts";

const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;

test("the lock file has every optional package that another one names; node tools/lock.ts enters them", () => {
  assert.deepEqual(missingFrom(lock), []);
});

test("the lock file records no address to download from", () => {
  const addressed = Object.entries(lock.packages).filter(
    ([, { resolved }]) => resolved?.includes("://") === true,
  );
  assert.deepEqual(addressed, []);
});

test("the lock file has native packages for both processors of Linux, or for neither", () => {
  const paths = new Set(Object.keys(lock.packages));
  const alone = [...paths].filter((path) => {
    const twin = path.includes("linux-x64")
      ? path.replace("linux-x64", "linux-arm64")
      : path.replace("linux-arm64", "linux-x64");
    return !paths.has(twin);
  });
  assert.deepEqual(alone, []);
});

test("the packages with install scripts are those that package.json denies to run them", () => {
  const { allowScripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    allowScripts: Readonly<Record<string, boolean>>;
  };
  const denied = Object.keys(allowScripts).filter((name) => allowScripts[name] === false);
  const scripted = Object.entries(lock.packages)
    .filter(([path, { hasInstallScript }]) => path.startsWith("node_modules/") && hasInstallScript === true)
    .map(([path]) => path.slice("node_modules/".length));
  assert.deepEqual(denied.sort(), scripted.sort());
});
