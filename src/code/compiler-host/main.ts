// Entry of the compiler process: one task at a time, its answer written completely before the next begins, so that it is
// known which task caused a crash. It parses guest source and never runs it.
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isJailLayer } from "../../jail/layers.ts";
import { seal } from "../../jail/seal.ts";
import { FrameReader, toFrame } from "../../std/frames.ts";
import { runAsBatch } from "../../std/scheduling.ts";
import { dieNow, tether } from "../../std/tether.ts";
import { errorAt, type Backend } from "./backends/backend.ts";
import { loadEsbuildBackend } from "./backends/esbuild.ts";
import { rolldownBackend } from "./backends/rolldown.ts";
import { compileModule } from "./pipeline.ts";
import { bundlePackage } from "./packages.ts";
import { speculationOf } from "./speculation.ts";
import { checkTypes } from "./type-check.ts";
import { warmUp } from "./warm-up.ts";
import type { AnyTask, CompilerAnswer, Recall } from "../compiler/compiler-protocol.ts";

const pipeFd = 3;
const frameBytesMax = 64 * 2 ** 20;

tether(Number(process.argv[2]));
// The orchestrator's thread, on which all else depends, goes on when it has sent a task.
runAsBatch();
const backend: Backend = process.argv[3] === "esbuild" ? await loadEsbuildBackend() : rolldownBackend;
const pipe = new Socket({ fd: pipeFd, readable: true, writable: true });
const reader = new FrameReader(frameBytesMax);
const tasks: AnyTask[] = [];
const recalled = new Set<number>();
/** The first turn may end before the pipe is read. */
const turnsToRead = 2;
const business = { isWorking: false, begun: 0 };

process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
pipe.on("error", dieNow);
pipe.on("close", dieNow);
pipe.on("data", (chunk: Buffer) => {
  reader.push(chunk, (message) => receive(message as AnyTask | Recall));
  if (!business.isWorking) void work();
});
// Compiles once, as what is loaded on first use must be loaded before the seal.
await compileModule(
  { t: "module", id: 0, name: "first", source: "export const first: number = 1", isMetered: true },
  backend,
);
const layers = (process.argv[4] ?? "").split(",").filter(isJailLayer);
const held = seal({ layers, fileBytesMax: 0, isLoading: process.argv[5] === "tools" });
pipe.write(toFrame({ ready: process.version, layers: held }));
await warmUp(backend, business);

async function work(): Promise<void> {
  business.isWorking = true;
  business.begun++;
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
    await write(recalled.delete(task.id) ? recalledAnswer(task.id) : await answer(task));
    // What arrived in the meantime is read before the next task begins, as it may recall that one.
    for (let turns = 0; turns < turnsToRead && tasks.length > 0; turns++) await nextTurn();
  }
  business.isWorking = false;
}

function receive(message: AnyTask | Recall): void {
  if (message.t !== "recall") tasks.push(message);
  else if (tasks.some(({ id }) => id === message.id)) recalled.add(message.id);
}

function recalledAnswer(id: number): CompilerAnswer {
  return { id, ok: false, refusal: "it was recalled" };
}

async function answer(task: AnyTask): Promise<CompilerAnswer> {
  const { id } = task;
  if (task.t === "package") {
    const bundled = await bundlePackage(task.specifier, task.root);
    return "source" in bundled ? { id, ok: true, ...bundled } : { id, ok: false, ...bundled };
  }
  if (task.t === "types") {
    const checked = await checkTypes(task.modules);
    return "diagnostics" in checked
      ? { id, ok: true, findings: checked.diagnostics }
      : { id, ok: false, ...checked };
  }
  const refused = speculationOf(task.source);
  if (refused !== undefined)
    return { id, ok: false, diagnostics: [errorAt(task, refused.at, refused.message)] };
  const result = await compileModule(task, backend);
  return "diagnostics" in result
    ? { id, ok: false, diagnostics: result.diagnostics }
    : { id, ok: true, module: result };
}

function write(message: CompilerAnswer): Promise<void> {
  return new Promise((resolve) => {
    pipe.write(toFrame(message), () => resolve());
  });
}
