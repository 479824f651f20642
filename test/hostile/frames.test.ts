// Whatever a guest writes, returns, throws or stores within its limits, its cell makes no frame that the host refuses: such a
// frame would end the cell with all its sandboxes.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import * as fc from "fast-check";
import type { EventMap, Sandbox } from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const KiB = 2 ** 10;
const MiB = 2 ** 20;

const runtime = await startRuntime();
// A cell's reader takes frames of the longest limits that it ever had: here none are longer than 1 MiB.
const narrow = await startRuntime();
const exits: EventMap["cell.exited"][] = [];
for (const { events } of [runtime, narrow]) events.on("cell.exited", (event) => void exits.push(event));
const ends = (): string[] => exits.splice(0).map(({ cause, detail }) => `${cause}: ${detail}`);

const guest = `
import { server, supervisor } from "vivarium/guest";
const text = (unit, units) => unit.repeat(units);
export const write = (unit, units, lines) => {
  for (let i = 0; i < lines; i++) console.log(text(unit, units));
  return lines;
};
export const give = (unit, units) => text(unit, units);
export const fail = (unit, units) => { throw new Error(text(unit, units)); };
export const failWithCause = (unit, units) => { throw { name: text(unit, units), message: text(unit, units), stack: text(unit, units) }; };
let waiting = [];
const Holder = server({ init: () => "", handleCall: ([verb, unit, units], state, from) => {
  if (verb === "keep") return { reply: units, state: text(unit, units) };
  if (verb === "together") {
    waiting.push(from);
    if (waiting.length === 8) for (const { reply } of waiting.splice(0)) reply(text(unit, units));
    return { state };
  }
  return { reply: text(unit, units), state };
} });
export default supervisor({ children: [..."abcdefgh"].map((id) => ({ id, start: Holder })) });`;

const units = ["x", '"', "\\", '\\"', "\u0001", "\n", "é", "日", "😀", "\ud800"];

const createHolder = (
  limits: Record<string, number>,
  checkpoint?: "message",
  from = runtime,
): Promise<Sandbox> =>
  from.create({
    modules: { main: guest },
    supervisor: "main",
    limits,
    ...(checkpoint === undefined ? {} : { checkpoint }),
  });

suite("a cell's frames", () => {
  test("carry console lines that are all control characters, with a small resultBytes", async () => {
    const source = `export const write = () => { for (let i = 0; i < 15; i++) console.log("\\u0001".repeat(65_000)); return 15; };`;
    await using sandbox = await createMain(runtime, source, { resultBytes: 64 * KiB });
    const outcome = await sandbox.call("main.write");
    assert.deepEqual(ends(), []);
    assert.equal(valueOf(outcome), 15);
    assert.equal(outcome.logs.length, 15);
  });

  test("carry 16 MiB of console output in the order in which it was written", async () => {
    const source = `export const write = () => { for (let i = 0; i < 250; i++) console.log(i + "\\u0001".repeat(65_000)); return 1; };`;
    const limits = { outputBytes: 16 * MiB, logBytes: 16 * MiB };
    await using sandbox = await createMain(runtime, source, limits);
    const outcome = await sandbox.call("main.write");
    assert.deepEqual(ends(), []);
    assert.equal(valueOf(outcome), 1);
    const numbers = outcome.logs.map(({ text }) => Number.parseInt(text, 10));
    assert.ok(numbers.length > 1);
    assert.deepEqual(
      numbers,
      Array.from(numbers, (_, i) => 250 - numbers.length + i),
      "the last lines, in order",
    );
  });

  test("never hold a stored state that is too long: its server is told, and its cell goes on", async () => {
    await using sandbox = await createHolder({ resultBytes: MiB }, "message");
    const outcome = await sandbox.ask("a", ["keep", '\\"', 440_000]);
    assert.deepEqual(ends(), []);
    assertFailed(outcome, "crashed");
    assert.match(outcome.error.message, /must be data: it is longer than 1048576 bytes/);
    assert.equal(valueOf(await sandbox.ask("a", ["keep", '\\"', 100_000])), 100_000);
    assert.deepEqual(ends(), []);
  });

  test("never hold stored states that are too long together", async () => {
    await using sandbox = await createHolder({ resultBytes: MiB }, "message");
    const kept: boolean[] = [];
    for (const id of ["a", "b", "c", "d"]) kept.push((await sandbox.ask(id, ["keep", '"', 300_000])).ok);
    assert.deepEqual(ends(), []);
    assert.equal(kept[0], true, "the first one fits");
    assert.equal(kept.at(-1), false, "all of them do not");
  });

  test("never hold answers of one moment that are too long together", async () => {
    await using sandbox = await createHolder({ resultBytes: MiB }, "message", narrow);
    const asks = Array.from("abcdefgh", (id) => sandbox.ask<string>(id, ["together", '"', 450_000]));
    for (const outcome of await Promise.all(asks)) {
      if (outcome.ok) assert.equal(outcome.value.length, 450_000);
      else assertFailed(outcome, "output-limit", "resultBytes");
    }
    assert.deepEqual(ends(), []);
  });

  test("end no cell for any output within any limits", async () => {
    const plan = fc.record({
      resultBytes: fc.constantFrom(KiB, 64 * KiB, MiB, 8 * MiB),
      outputBytes: fc.constantFrom(0, 100, 64 * KiB, 4 * MiB),
      isCheckpointed: fc.boolean(),
      acts: fc.array(
        fc.record({
          verb: fc.constantFrom("write", "give", "fail", "failWithCause", "keep", "ask"),
          unit: fc.constantFrom(...units),
          bytes: fc.constantFrom(0, 1_000, 64_000, 1_000_000, 4_000_000),
          times: fc.integer({ min: 1, max: 40 }),
        }),
        { minLength: 1, maxLength: 5 },
      ),
    });
    const property = fc.asyncProperty(plan, async ({ acts, isCheckpointed, ...limits }) => {
      await using sandbox = await createHolder(limits, isCheckpointed ? "message" : undefined);
      const outcomes = acts.map(({ verb, unit, bytes, times }) => {
        const count = Math.floor(bytes / unit.length);
        if (verb === "keep" || verb === "ask")
          return sandbox.ask("abcdefgh"[times % 8] ?? "a", [verb === "ask" ? "give" : "keep", unit, count]);
        return sandbox.call(`main.${verb}`, {
          args: [unit, verb === "write" ? Math.min(count, 65_000) : count, times],
        });
      });
      await Promise.all(outcomes);
      assert.deepEqual(ends(), []);
    });
    await fc.assert(property, { numRuns: 25, seed: 11, endOnFailure: true });
  });
});
