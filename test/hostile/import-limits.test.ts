// Imported individuals: whatever one says of itself, the limits of the runtime bound it, unless the caller raises them.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { checksumOfData } from "../../src/std/checksum.ts";
import { createRuntime, type EventMap, type Individual, type Limits } from "../../src/index.ts";
import { limitNames, limitTable } from "../../src/model/limits.ts";
import { mistakeOf } from "../support/errors.ts";
import { refusalOf, runtimeForTests } from "../support/reloading.ts";

const MiB = 2 ** 20;
const own = {
  memoryBytes: 16 * MiB,
  timeoutMs: 100,
  timeoutMsMax: 200,
  cpuMs: 150,
  fuel: 10 ** 9,
  processes: 2,
  outputBytes: 1_000,
  lifetimeMs: 3_600_000,
} as const;
const profiles = { roomy: { base: "high", limits: { memoryBytes: 512 * MiB, processes: 5_000 } } } as const;
const strict = runtimeForTests({ limits: own, profile: "high", profiles });
const open = runtimeForTests();

const main = "export const spin = () => { for (;;); }; export const f = () => 1;";
const highest = Object.fromEntries(limitNames.map((name) => [name, limitTable[name].max])) as Limits;
const off = { cpuMs: null, cpuPercent: null, fuel: null, lifetimeMs: null, idleMs: null } as const;

async function exported(): Promise<Individual> {
  await using sandbox = await open.current.create("traveller", { modules: { main }, profile: "high" });
  return sandbox.export();
}

/** Changed by someone who computes the checksum again. */
function forged(individual: Individual, change: object): Individual {
  const { checksum: _, ...body } = { ...individual, ...change };
  return { ...body, checksum: checksumOfData(body) };
}

suite("an imported individual", () => {
  for (const [name, limits] of Object.entries({ "the highest": highest, no: { ...highest, ...off } })) {
    test(`that names ${name} limits has those of the runtime`, async () => {
      const individual = forged(await exported(), { limits });
      await using sandbox = await strict.current.import(individual);
      await using native = await strict.current.create({ modules: { main } });
      // What the runtime does not bound is as the individual has it.
      const { cpuPercent, idleMs } = limits;
      const expected = { ...(await native.info()).limits, cpuPercent, idleMs };
      assert.deepEqual((await sandbox.info()).limits, expected);
      const outcome = await sandbox.call("main.spin");
      // Of its time and its processor time, whichever is used up first.
      assert.match(outcome.ok ? "ok" : outcome.error.kind, /^timeout$|^cpu$/);
      await mistakeOf(() => sandbox.call("main.spin", { timeoutMs: 201 }), "INVALID_LIMITS");
    });
  }

  test("keeps the limits that are lower than those of the runtime", async () => {
    const { limits } = await exported();
    const lower = { memoryBytes: 8 * MiB, timeoutMs: 50, timeoutMsMax: 60, fuel: 1_000, outputBytes: 0 };
    const individual = forged(await exported(), { limits: { ...limits, ...lower } });
    await using sandbox = await strict.current.import(individual);
    const { memoryBytes, timeoutMs, timeoutMsMax, fuel, outputBytes } = (await sandbox.info()).limits;
    assert.deepEqual({ memoryBytes, timeoutMs, timeoutMsMax, fuel, outputBytes }, lower);
  });

  test("gets no higher limits by naming a profile of the runtime that has them, but by a caller who names it", async () => {
    const individual = forged(await exported(), { limits: highest, profile: "roomy" });
    await using runtime = await createRuntime({ profile: "high", profiles, cells: { count: 1, spare: 0 } });
    const limitsOf = async (options: object): Promise<readonly number[]> => {
      await using sandbox = await runtime.import(individual, options);
      const { memoryBytes, processes, timeoutMsMax } = (await sandbox.info()).limits;
      return [memoryBytes, processes, timeoutMsMax];
    };
    assert.deepEqual(await limitsOf({}), [64 * MiB, 50, 60_000]);
    assert.deepEqual(await limitsOf({ profile: "roomy" }), [512 * MiB, 5_000, 60_000]);
  });

  test("has higher limits where the caller raises them by name, within the bounds of each", async () => {
    const individual = forged(await exported(), { limits: highest });
    const raised = { memoryBytes: 32 * MiB, timeoutMsMax: 5_000, timeoutMs: 4_000, cpuMs: null };
    await using sandbox = await strict.current.import(individual, { limits: raised });
    const { limits } = await sandbox.info();
    assert.deepEqual({ ...limits, ...raised }, limits);
    assert.deepEqual([limits.processes, limits.outputBytes, limits.fuel], [2, 1_000, 10 ** 9]);
    await using whole = await strict.current.import(individual, { id: "whole", limits: individual.limits });
    assert.deepEqual((await whole.info()).limits, individual.limits);
    for (const wrong of [{ memoryBytes: 5 * 2 ** 30 }, { unknown: 1 }, { timeoutMs: 201 }, 5])
      await mistakeOf(
        () => strict.current.import(individual, { id: "x", limits: wrong as Partial<Limits> }),
        "INVALID_LIMITS",
      );
  });

  test("is reported with every limit that was lowered, and with none where none was", async () => {
    const events: EventMap["sandbox.limited"][] = [];
    const stop = strict.current.events.on("sandbox.limited", (event) => events.push(event));
    const individual = await exported();
    const limits = { ...individual.limits, ...own, memoryBytes: 4 * 2 ** 30, cpuMs: null };
    await using _lowered = await strict.current.import(forged(individual, { limits }));
    const same = forged(individual, { limits: { ...individual.limits, ...own } });
    await using _same = await strict.current.import(same, { id: "same" });
    const raise = { memoryBytes: 4 * 2 ** 30, cpuMs: null };
    await using _raised = await strict.current.import(forged(individual, { limits }), {
      id: "raised",
      limits: raise,
    });
    stop();
    assert.deepEqual(
      events.map(({ sandboxId, lowered }) => ({ sandboxId, lowered })),
      [
        {
          sandboxId: "traveller",
          lowered: {
            memoryBytes: { asked: 4 * 2 ** 30, given: 16 * MiB },
            cpuMs: { asked: null, given: 150 },
          },
        },
      ],
    );
  });

  test("cannot restart itself more often than a sandbox that is created here", async () => {
    const individual = await exported();
    const rules = [
      { on: ["crashed"], max: 1_001, windowMs: 60_000 },
      { on: ["crashed"], max: 1, windowMs: 86_400_001 },
    ];
    for (const restart of rules)
      await refusalOf(strict.current.import(forged(individual, { restart })), "INVALID_INDIVIDUAL");
  });
});

suite("a recording that is replayed", () => {
  const deterministic = { seed: 1, now: 1 };
  const rewritten = (recording: object, change: object): never => {
    const { checksum: _, ...body } = { ...recording, ...change } as Record<string, unknown>;
    return { ...body, checksum: checksumOfData(body) } as never;
  };

  test("gets no more fuel or time than the sandbox has", async () => {
    await using sandbox = await open.current.create({
      modules: { main },
      deterministic,
      limits: { fuel: 1_000, timeoutMs: 50, timeoutMsMax: 60 },
    });
    const { recording } = await sandbox.call("main.f", { record: true });
    assert.equal((await sandbox.replay(recording)).same, true);
    for (const change of [{ fuel: null }, { fuel: 1_001 }, { timeoutMs: 61 }])
      await mistakeOf(() => sandbox.replay(rewritten(recording, change)), "INVALID_LIMITS");
  });
});
