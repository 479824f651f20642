// Runs tests on Node 24, the oldest that is supported, which is brought from the npm package of its binary. There is one for
// Linux on x64 and arm64; elsewhere, and without a registry, it cannot be had.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Counts } from "./counts.ts";

const version = "24.21.0";
const fetchMs = 180_000;

/**
 * What the gate runs there: where a cell differs, as Node 24 has no FFI and another V8. Cells and compilers are started from
 * dist/programs, so that the package must be built; isolated-vm has a binary for either version.
 */
export const gateWords: readonly string[] = [
  "test/unit/execution/",
  "test/limits/timeout-ms.test.ts",
  "test/limits/memory-bytes.test.ts",
  "test/conformance/versions.test.ts",
];

/** A Node other than the one that runs this. */
export interface Node24 extends Disposable {
  readonly node: string;
  readonly bin: string;
}

const run = promisify(execFile);

/** Node 24 in a folder that goes with it; or why it cannot be had. */
export const bringNode24 = (): Promise<Node24 | string> => bringNode(version);

/** The same for any version. */
export async function bringNode(version: string): Promise<Node24 | string> {
  const folder = mkdtempSync(join(tmpdir(), `vivarium-node-${version}-`));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const name = `node-${process.platform}-${process.arch}@${version}`;
    const options = { cwd: folder, timeout: fetchMs };
    const { stdout } = await run("npm", ["pack", "--loglevel=error", "--prefer-offline", name], options);
    await run("tar", ["xzf", stdout.trim().split("\n").at(-1) ?? ""], options);
    const bin = join(folder, "package", "bin");
    const node = join(bin, "node");
    await run(node, ["--version"], options);
    return { node, bin, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    return reasonOf(error);
  }
}

/** What failed, on one line, and what it said first. */
function reasonOf(error: unknown): string {
  const { message, stderr = "" } = error as { readonly message: string; readonly stderr?: string };
  const said = stderr.trim().split("\n").at(0) ?? "";
  return [message.split("\n").at(0), said].filter((part) => part !== "").join(": ");
}

/** Runs the tests that the words choose, in a process of their own, and counts them. */
export async function testOnNode24(node24: Node24, root: string, words: readonly string[]): Promise<Counts> {
  console.log(`On Node ${version}:`);
  const env = { ...process.env, PATH: [node24.bin, process.env["PATH"]].join(delimiter) };
  const child = spawn(node24.node, ["tools/test.ts", "--report-counts", ...words], {
    cwd: root,
    env,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<Counts>();
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  child.once("message", (message) => void (counts = message as Counts));
  child.once("error", reject);
  // One that ends badly without a failed test has failed all the same.
  child.once("close", (code) => resolve(code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 }));
  return promise;
}
