// What a plain program gets on the same machine at the same time: it asks a bare process through a pipe, and measures how long
// the answer takes. It is a process of its own, so that a busy host delays it no more than the machine does.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { answer } from "./child.ts";

const pauseMs = 10;
const program = fileURLToPath(new URL("echo-program.ts", import.meta.url));
const child = spawn(process.execPath, ["--no-node-snapshot", program], {
  stdio: ["pipe", "pipe", "inherit"],
});
// It ends with this process, as its input does.
child.once("exit", () => process.exit());

answer({
  /** Milliseconds until the bare process has answered. */
  call: () => timeOf("c"),
  /** Milliseconds until it has made an isolate with a function in it. */
  create: () => timeOf("i"),
});

async function timeOf(question: string): Promise<number> {
  // As the honest owner does: a program that has just been woken is served sooner.
  await sleep(pauseMs);
  const startedMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<void>();
  child.stdout.once("data", () => resolve());
  child.stdin.write(question);
  await promise;
  return performance.now() - startedMs;
}
