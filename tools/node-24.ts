// Runs tests on Node 24, the oldest that is supported, brought from the npm package of its binary: `npm run test:node24`
// for the limits, or with words that choose the files. Without Linux on x64 or arm64 there is no such package.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const version = "24";
const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "vivarium-node-24-"));
try {
  const pack = ["pack", "--silent", `node-${process.platform}-${process.arch}@${version}`];
  const names = execFileSync("npm", pack, { cwd: folder, encoding: "utf8" }).trim().split("\n");
  execFileSync("tar", ["xzf", names.at(-1) as string], { cwd: folder });
  const bin = join(folder, "package", "bin");
  const env = { ...process.env, PATH: [bin, process.env["PATH"]].join(delimiter) };
  const node = join(bin, "node");
  console.log(`Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}`);
  const args = ["tools/test.ts", ...(words.length > 0 ? words : ["test/limits/"])];
  process.exitCode = spawnSync(node, args, { cwd: root, env, stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
