// Isolates as cells make them, in a process with the flags of a cell: optimised code, the end of the stack, the heap's limit.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { suite, test } from "node:test";
import { cellFlags } from "../../../../../src/execution/cell-flags.ts";

const source = new URL("../../../../../src/execution/cell-host/isolates/bare-isolate.ts", import.meta.url);

/** What a program prints that makes isolates in a process with the flags of a cell. */
function printed(program: string): unknown {
  const preamble = `
import { makeBareIsolate } from ${JSON.stringify(source.href)};
const make = (memoryMiB, code) => {
  const isolate = makeBareIsolate(memoryMiB, () => {});
  const run = (text) => isolate.compileScriptSync(text).runSync(context, { reference: true });
  const context = isolate.createContextSync();
  return { isolate, made: run(code) };
};`;
  const args = [...cellFlags, "--allow-natives-syntax", "--input-type=module", "--eval", preamble + program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 120_000 });
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout);
}

/** Bits of the engine's answer about a function. */
const isOptimized = 0b11_1000;

suite("functions of isolates", () => {
  test("are optimised when they are entered for short times only, on the main thread and on others", () => {
    const states = printed(`
const code = \`(() => {
  const add = (x) => (x * 3 + 1) | 0;
  const sum = (n) => { let s = 0; for (let i = 0; i < n; i++) s = add(s + i); return s; };
  return [sum, () => %GetOptimizationStatus(sum)];
})()\`;
const states = [];
for (const isMain of [true, false]) {
  const { made } = make(16, code);
  const sum = made.getSync(0, { reference: true });
  const state = made.getSync(1, { reference: true });
  for (let i = 0; i < 3_000; i++) isMain ? sum.applySync(undefined, [100]) : await sum.apply(undefined, [100]);
  states.push(state.applySync());
}
console.log(JSON.stringify(states));`) as number[];
    assert.equal(states.length, 2);
    for (const state of states) assert.notEqual(state & isOptimized, 0, state.toString(2));
  });

  test("end with a RangeError where the stack ends, on the main thread and on others, while isolates are made", () => {
    const ends = printed(`
const code = \`(() => {
  const deeper = () => 1 + deeper();
  return () => { try { return deeper(); } catch (error) { return error.name; } };
})()\`;
const { made } = make(64, code);
const ends = [];
for (let i = 0; i < 30; i++) {
  const later = made.apply(undefined, []);
  make(16, "0").isolate.dispose();
  ends.push(await later, made.applySync(undefined, []));
}
console.log(JSON.stringify([...new Set(ends)]));`);
    assert.deepEqual(ends, ["RangeError"]);
  });
});

test("the engine allows a heap at most a fifth more than its limit, and a few MiB", () => {
  const sizes = [8, 32, 64, 128, 1_024];
  const limits = printed(`
const limitOf = (memoryMiB) => make(memoryMiB, "0").isolate.getHeapStatisticsSync().heap_size_limit / 2 ** 20;
console.log(JSON.stringify(${JSON.stringify(sizes)}.map(limitOf)));`) as number[];
  for (const [index, size] of sizes.entries()) {
    const limit = limits[index] ?? 0;
    assert.ok(limit >= size && limit <= size * 1.2 + 3, `${limit} MiB where ${size} are allowed`);
  }
});
