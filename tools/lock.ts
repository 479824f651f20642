// Completes package-lock.json: `node tools/lock.ts`, after `npm install` has changed it. npm leaves out optional packages
// for other platforms whose version it cannot find yet, and then refuses its own lock file in `npm ci`; so each is entered
// as its parent names it, with the platform that its latest published version is for.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { missingFrom, type Lock, type LockEntry } from "./lock/lock-file.ts";

const path = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const lock = JSON.parse(readFileSync(path, "utf8")) as Lock;
const missing = missingFrom(lock);
for (const { name, version, isDev } of missing)
  lock.packages[`node_modules/${name}`] = entryFor(name, version, isDev);
const sorted = Object.entries(lock.packages).sort(([one], [other]) => one.localeCompare(other, "en"));
writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
console.log(`lock: ${missing.length} entries added`);

function entryFor(name: string, version: string, isDev: boolean): LockEntry {
  const fields = ["os", "cpu", "libc", "license", "engines"];
  const shown = execFileSync("npm", ["view", name, "--json", ...fields], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const about = JSON.parse(shown === "" ? "{}" : shown) as Partial<
    Record<"os" | "cpu" | "libc", string | string[]>
  >;
  const list = (field: "os" | "cpu" | "libc"): object => {
    const value = about[field] ?? (field === "cpu" && name.includes("wasm32") ? "wasm32" : undefined);
    return value === undefined ? {} : { [field]: [value].flat() };
  };
  return {
    version,
    ...list("cpu"),
    ...(isDev ? { dev: true } : {}),
    ...list("libc"),
    optional: true,
    ...list("os"),
  };
}
