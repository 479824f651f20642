// Fuel: the same program with the same input uses the same fuel, whatever runs it; and no program gets past its end.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Sandbox } from "../../src/index.ts";
import { mistakeOf } from "../support/errors.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { backends, runtimeForTests } from "../support/reloading.ts";
import { endlessPrograms, type EndlessProgram } from "./fuel-endless.ts";
import { fuelPrograms, type FuelProgram } from "./fuel-programs.ts";

const deterministic = { seed: 42, now: 1_700_000_000_000 };
const enough = 1_000_000;
const runs = 100;

for (const backend of backends) {
  suite(`fuel of code compiled by ${backend}`, () => {
    const runtime = runtimeForTests({ compiler: { backend } });

    const create = ({ source }: FuelProgram, fuel = enough): Promise<Sandbox> =>
      runtime.current.create({ modules: { main: source }, limits: { fuel }, deterministic });

    for (const program of fuelPrograms) {
      const { name, args, value, fuel } = program;
      const expected = { value, fuel };
      const used = async (sandbox: Sandbox): Promise<unknown> => {
        const outcome = await sandbox.call("main.main", { args });
        return { value: valueOf(outcome), fuel: outcome.usage.fuel };
      };

      test(`${name} uses ${fuel}, in each of ${runs} runs, after a restart and in a replay`, async () => {
        await using sandbox = await create(program);
        for (let i = 0; i < runs; i++) assert.deepEqual(await used(sandbox), expected, `run ${i}`);
        await sandbox.restart();
        assert.deepEqual(await used(sandbox), expected);
        const { recording, ...outcome } = await sandbox.call("main.main", { args, record: true });
        assert.deepEqual({ value: valueOf(outcome), fuel: outcome.usage.fuel }, expected);
        const replay = await sandbox.replay(recording);
        assert.deepEqual({ value: valueOf(replay.outcome), fuel: replay.outcome.usage.fuel }, expected);
        assert.equal(replay.difference, null);
      });

      test(`${name} needs exactly that: with one less it ends with fuel`, async () => {
        await using sandbox = await create(program, fuel + 1);
        const [exact, less] = [
          { args, fuel },
          { args, fuel: fuel - 1 },
        ];
        assert.deepEqual(valueOf(await sandbox.call("main.main", exact)), value);
        if (fuel === 1)
          return void (await mistakeOf(() => sandbox.call("main.main", less), "INVALID_LIMITS"));
        assertFailed(await sandbox.call("main.main", less), "fuel", "fuel");
      });
    }
  });
}

suite("programs that would never end", () => {
  const runtime = runtimeForTests();
  const fuel = 300;

  const create = ({ before = "", body }: EndlessProgram): Promise<Sandbox> =>
    runtime.current.create({
      modules: { main: `${before}\nexport function main() { ${body} }\nexport const alive = () => "alive";` },
      limits: { fuel, timeoutMs: 20_000 },
    });

  test("a neighbour's variables do not change", async (t) => {
    const counter = `let count = 0; export const bump = () => ++count;`;
    await using neighbour = await runtime.current.create({ modules: { main: counter }, limits: { fuel } });
    let bumps = 0;
    const ends: string[] = [];
    runtime.current.events.on("cell.exited", ({ cause, detail }) => ends.push(`${cause} (${detail})`));
    for (const program of endlessPrograms) {
      await t.test(`a loop ${program.name} ends`, async () => {
        await using sandbox = await create(program);
        if (program.isUncounted) {
          assertFailed(await sandbox.call("main.main", { timeoutMs: 300 }), "timeout", "timeoutMs");
        } else {
          const outcome = await sandbox.call("main.main");
          assertFailed(outcome, "fuel", "fuel");
          assert.equal(outcome.usage.fuel, fuel);
        }
        assert.equal(valueOf(await sandbox.call("main.alive")), "alive");
        assert.equal(valueOf(await neighbour.call("main.bump")), ++bumps, `cells ended: ${ends.join()}`);
      });
    }
  });
});
