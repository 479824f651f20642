// Landlock's rules as they are handed to the kernel, by the version of its interface.
import assert from "node:assert/strict";
import { closeSync, fstatSync, openSync, readlinkSync } from "node:fs";
import { test } from "node:test";
import { landlockAbi, restrain, type Paths } from "../../../src/jail/landlock.ts";
import type { Kernel } from "../../../src/std/kernel.ts";
import { Folder } from "../../support/folders.ts";

interface Heard {
  ruleset?: {
    readonly handled: bigint;
    readonly network: bigint;
    readonly scoped: bigint;
    readonly bytes: number;
  };
  readonly rules: { readonly path: string; readonly rights: bigint }[];
  restricted: number;
  closed: number;
}

const rulesetFd = 1_000_000;
const none: Paths = { read: [], execute: [], write: [] };
const right = { execute: 1n, write: 2n, readFile: 4n, readFolder: 8n };

/** A kernel that has this version of Landlock and writes down what it is told. */
function kernelWith(abi: number, failing?: "create" | "restrict"): { kernel: Kernel; heard: Heard } {
  const heard: Heard = { rules: [], restricted: 0, closed: 0 };
  const call: Kernel["call"] = (name, ...args) => {
    if (name === "close") {
      heard.closed++;
      assert.equal(args[0], rulesetFd);
      return 0;
    }
    if (name === "landlock_restrict_self") {
      heard.restricted++;
      return failing === "restrict" ? -1 : 0;
    }
    if (name === "landlock_add_rule") {
      const rule = args[2] as Buffer;
      const fd = rule.readInt32LE(8);
      assert.ok(fstatSync(fd) !== undefined);
      heard.rules.push({ path: readlinkSync(`/proc/self/fd/${fd}`), rights: rule.readBigUInt64LE(0) });
      return 0;
    }
    assert.equal(name, "landlock_create_ruleset");
    if (args[2] === 1) return abi === 0 ? -38 : abi;
    const attributes = args[0] as Buffer;
    heard.ruleset = {
      handled: attributes.readBigUInt64LE(0),
      network: attributes.readBigUInt64LE(8),
      scoped: attributes.readBigUInt64LE(16),
      bytes: args[1] as number,
    };
    return failing === "create" ? -22 : rulesetFd;
  };
  const unused = (): never => assert.fail("it is not needed");
  return { kernel: { arch: "arm64", call, addressOf: unused, view: unused }, heard };
}

for (const [abi, handled, network, scoped, bytes] of [
  [1, 0x1fffn, 0n, 0n, 8],
  [2, 0x3fffn, 0n, 0n, 8],
  [3, 0x7fffn, 0n, 0n, 8],
  [4, 0x7fffn, 3n, 0n, 16],
  [5, 0xffffn, 3n, 0n, 16],
  [6, 0xffffn, 3n, 3n, 24],
  [7, 0xffffn, 3n, 3n, 24],
  [99, 0xffffn, 3n, 3n, 24],
] as const) {
  test(`version ${abi} of Landlock is asked for all that it can keep in, and no more`, () => {
    const { kernel, heard } = kernelWith(abi);
    assert.equal(restrain(kernel, none), 0);
    assert.deepEqual(heard.ruleset, { handled, network, scoped, bytes });
    assert.equal(heard.restricted, 1);
    assert.equal(heard.closed, 1);
  });
}

test("each path gets the rights of its list; a file gets none that only folders have", (t) => {
  if (process.platform !== "linux") return t.skip("it needs /proc");
  using folder = new Folder({ "read/a": "a", "execute/b": "b", "write/c": "c" });
  const at = (name: string): string => folder.at(name);
  const { kernel, heard } = kernelWith(7);
  const paths = {
    read: [at("read"), at("read/a")],
    execute: [at("execute"), at("execute/b")],
    write: [at("write/c")],
  };
  const before = openSync("/dev/null", "r");
  restrain(kernel, paths);
  const { readFile, readFolder, execute, write } = right;
  assert.deepEqual(heard.rules, [
    { path: at("read"), rights: readFile | readFolder },
    { path: at("read/a"), rights: readFile },
    { path: at("execute"), rights: execute | readFile | readFolder },
    { path: at("execute/b"), rights: execute | readFile },
    { path: at("write/c"), rights: readFile | write },
  ]);
  const after = openSync("/dev/null", "r");
  assert.equal(after, before + 1, "a descriptor was left open");
  closeSync(before);
  closeSync(after);
});

test("a path that is not there needs no rule", () => {
  const { kernel, heard } = kernelWith(7);
  assert.equal(restrain(kernel, { ...none, read: ["/there/is/no/such/path"] }), 0);
  assert.deepEqual(heard.rules, []);
});

test("a refusal of the kernel is passed on, and nothing is left open", () => {
  const refused = kernelWith(7, "create");
  assert.equal(restrain(refused.kernel, none), -22);
  assert.equal(refused.heard.restricted, 0);
  const late = kernelWith(7, "restrict");
  assert.equal(restrain(late.kernel, none), -1);
  assert.equal(late.heard.closed, 1);
});

test("a kernel without Landlock has version 0", () => {
  assert.equal(landlockAbi(kernelWith(0).kernel), 0);
  assert.equal(landlockAbi(kernelWith(4).kernel), 4);
});
