// What is fuzzed: each takes randomness and time, does one thing after the other, and fails at the first that does not end
// as it must. A promise that stays pending, a crash or an unhandled rejection is a failure.
import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { completeConfig } from "../../src/api/options/config.ts";
import { assemble, launcherFor, openJail } from "../../src/api/wiring/create-runtime.ts";
import { Watchdog } from "../../src/execution/enforcement/watchdog.ts";
import { cellFlags } from "../../src/execution/cell-flags.ts";
import { programUrl } from "../../src/execution/programs.ts";
import { asCommand, asReport } from "../../src/execution/protocol/checks.ts";
import { slateBytes } from "../../src/execution/slate.ts";
import { engineFile, unjailedCellLaunch } from "../../src/execution/cell-launch.ts";
import { createRuntime, VivariumError, type Runtime } from "../../src/index.ts";
import { bareEnvironment } from "../../src/jail/spawn/node-process.ts";
import { systemClock } from "../../src/std/clock.ts";
import { FrameError, FrameReader, toFrame } from "../../src/std/frames.ts";
import { settled, until } from "../support/waiting.ts";
import { capabilities } from "./capabilities.ts";
import { costs } from "./cost/subject.ts";
import type { Dice } from "./dice.ts";
import { functions } from "./functions.ts";
import { noise } from "./messages.ts";
import { programOf } from "./programs.ts";
import { knownKinds, repeat, settleMsMax, type Fuzz, type Subject } from "./rounds.ts";
import { syntaxOf } from "./syntax.ts";

const MiB = 2 ** 20;
const atOnce = 16;
const limits = {
  timeoutMs: 50,
  loadMs: 300,
  stepMs: 50,
  memoryBytes: 32 * MiB,
  resultBytes: MiB,
  outputBytes: 10_000,
};
// A mistake is answered by one of our errors; anything else is a bug.
async function callIn(
  runtime: Runtime,
  modules: Record<string, string>,
  target: `${string}.${string}`,
): Promise<string> {
  const [made] = await Promise.allSettled([
    settled("create", runtime.create({ modules, limits }), settleMsMax),
  ]);
  assert.equal(made?.status, "fulfilled", `create: ${String((made as PromiseRejectedResult).reason)}`);
  const creation = (
    made as PromiseFulfilledResult<PromiseSettledResult<Awaited<ReturnType<Runtime["create"]>>>>
  ).value;
  if (creation.status === "rejected") {
    assert.ok(creation.reason instanceof VivariumError, `not one of ours: ${String(creation.reason)}`);
    return "refused";
  }
  await using sandbox = creation.value;
  const called = await settled("call", sandbox.call(target), settleMsMax);
  assert.equal(called.status, "fulfilled", `call: ${String((called as PromiseRejectedResult).reason)}`);
  const outcome = (called as PromiseFulfilledResult<Awaited<ReturnType<typeof sandbox.call>>>).value;
  return outcome.ok ? "ok" : outcome.error.kind;
}

async function withRuntime(
  fuzz: Fuzz,
  act: (runtime: Runtime, dice: Dice) => Promise<void>,
): Promise<number> {
  await using runtime = await createRuntime({ cells: { count: 1, spare: 1, warm: 2 } });
  const count = await repeat(fuzz, (dice) => act(runtime, dice));
  assert.equal(await callIn(runtime, { main: "export const f = () => 1" }, "main.f"), "ok", "it still works");
  return count;
}

const programs: Subject = (fuzz) =>
  withRuntime(fuzz, async (runtime, dice) => {
    const kind = await callIn(runtime, { main: programOf(dice) }, "main.f");
    assert.ok(kind === "refused" || knownKinds.has(kind), `it ended as ${kind}`);
  });

const syntax: Subject = (fuzz) =>
  withRuntime(fuzz, async (runtime, dice) => {
    await callIn(runtime, { main: syntaxOf(dice) }, "main.f");
  });

const checks: Subject = (fuzz) =>
  repeat(fuzz, async (dice) => {
    const truth = [
      { t: "hold", key: 1, isHeld: true },
      { t: "pending", op: 1, startedUs: 2 },
      { t: "log", key: 1, op: 1, lines: [[1, "x"]] },
      { t: "sample", op: 1, key: 1 },
    ];
    const reader = new FrameReader(MiB);
    for (let n = 0; n < 200; n++) {
      try {
        reader.push(noise(dice, truth), (message) => {
          const read = asReport(message) ?? asCommand(message);
          assert.ok(read === undefined || read === message);
        });
      } catch (error) {
        assert.ok(error instanceof FrameError, `not a frame's error: ${String(error)}`);
        return;
      }
    }
    await Promise.resolve();
  });

const bare = unjailedCellLaunch(systemClock);

/** Noise from a cell to the orchestrator. */
const orchestrator: Subject = async (fuzz) => {
  const config = completeConfig({ limits, cells: { count: 3, spare: 1, warm: 0, waitMs: 5_000 } });
  const guards = { jail: openJail(config), watchdog: new Watchdog() };
  const program = fileURLToPath(new URL("noisy-cell.ts", import.meta.url));
  const launch = launcherFor(config, guards, { program, launch: bare });
  await using runtime = await assemble(config, { ...guards, launch });
  const rounds = await repeat(fuzz, async (_, seed) => {
    await until("a cell is up", async () => (await runtime.health()).cells.ready > 0);
    const names = Array.from({ length: atOnce }, (__, index) => `noise${seed * atOnce + index}`);
    const ends = names.map((name) => callIn(runtime, { [name]: "export const f = () => 1" }, `${name}.f`));
    for (const kind of await Promise.all(ends))
      assert.ok(kind === "refused" || knownKinds.has(kind), `it ended as ${kind}`);
    assert.equal(({} as { x?: unknown }).x, undefined, "a prototype was polluted");
  });
  return rounds * atOnce;
};

/** Noise from the orchestrator's side to a cell: it ends at the first that is no command, and never hangs. */
const cell: Subject = (fuzz) =>
  repeat(fuzz, async (dice) => {
    const folder = mkdtempSync(join(tmpdir(), "vivarium-fuzz-"));
    const slate = openSync(join(folder, "slate"), "w+");
    writeSync(slate, Buffer.alloc(slateBytes));
    const { promise, resolve } = Promise.withResolvers<string>();
    const program = fileURLToPath(programUrl("cell-host"));
    const args = [...cellFlags, program, String(process.pid), "", engineFile()];
    const order = { command: process.execPath, args, env: bareEnvironment(), sharedFd: slate };
    const child = bare.spawner.spawn(order, { onBytes: () => {}, onFailure: resolve, onEnd: resolve });
    try {
      const start = { t: "start", asyncLanes: 1, sliceMs: 25, warm: 0, warmMemoryBytes: 32 * MiB };
      child.pipe.write(toFrame(start));
      const truth = [
        { t: "hold", key: 1, isHeld: true },
        { t: "drop", keys: [1, 2] },
        { t: "cancel", op: 1, key: 1 },
        { t: "sample", op: 1, key: 1 },
        { t: "run", groups: [] },
      ];
      for (let n = 0; n < 20; n++) child.pipe.write(noise(dice, truth));
      // Whatever it made of that, this is no frame; and what was left incomplete is filled up with it.
      child.pipe.end(Buffer.alloc(MiB, 0xff));
      const end = await settled("the cell's end", promise, settleMsMax);
      assert.equal((end as PromiseFulfilledResult<string>).value, "SIGKILL", "it ends itself");
    } finally {
      child.kill();
      closeSync(slate);
      rmSync(folder, { recursive: true });
    }
  });

export const subjects: Readonly<Record<string, Subject>> = {
  "guest programs": programs,
  capabilities,
  "syntax for the compiler": syntax,
  "the checks on frames": checks,
  "frames to the orchestrator": orchestrator,
  "frames to a cell": cell,
  "what costs the host": costs,
  "large functions": functions,
};
