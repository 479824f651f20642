// Run by shortage.test.ts with few descriptors: takes them all, ends the cells, and gives the descriptors back.
import { closeSync, openSync } from "node:fs";
import { createRuntime } from "../../src/index.ts";
import { until } from "../support/waiting.ts";

const runtime = await createRuntime({ cells: { count: 1, spare: 1, warm: 0 } });
await until("both cells are up", async () => (await runtime.health()).cells.ready === 2);
const sandbox = await runtime.create({ modules: { main: "export const f = (n) => n;" } });
const held: number[] = [];
try {
  for (;;) held.push(openSync("/dev/null", "r"));
} catch {
  // There are none left.
}
for (const { pid } of (await runtime.metrics()).cells) process.kill(pid, "SIGKILL");
await until("the cells are gone", async () => (await runtime.health()).status === "down");
// The descriptors of lost cells are taken too, so that several starts fail, some of them halfway.
for (let round = 0; round < 4; round++) {
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {
    for (let count = 0; count < round * 2; count++) closeSync(held.pop() as number);
  }
  const startedMs = performance.now();
  await until("a moment has passed", () => performance.now() - startedMs > 150);
}
for (const fd of held) closeSync(fd);
// On a slow machine so many starts have failed that no other is tried for ten seconds, and calls are refused meanwhile.
await until("cells start again", async () => (await runtime.health()).cells.ready > 0);
const outcome = await sandbox.call("main.f", { args: [1], repeatable: true });
console.log(outcome.ok ? "answered again" : `failed: ${outcome.error.kind} ${outcome.error.message}`);
await runtime.close();
