// Every clock that a guest can read counts whole milliseconds, and Temporal is otherwise the engine's own.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();

/** Each reads a clock as a number of nanoseconds. */
const clocks = {
  "Date.now": "BigInt(Math.round(Date.now() * 1000)) * 1000n",
  "new Date": "BigInt(Math.round(new Date().getTime() * 1000)) * 1000n",
  "performance.now": "BigInt(Math.round(performance.now() * 1e6))",
  "Temporal.Now.instant": "Temporal.Now.instant().epochNanoseconds",
  "Temporal.Now.zonedDateTimeISO": "Temporal.Now.zonedDateTimeISO().epochNanoseconds",
  "Temporal.Now.plainDateTimeISO": "Temporal.Now.plainDateTimeISO().toZonedDateTime('UTC').epochNanoseconds",
  "Temporal.Now.plainTimeISO":
    "((t) => BigInt(t.microsecond * 1000 + t.nanosecond))(Temporal.Now.plainTimeISO('UTC'))",
  "the engine's Temporal by way of a date":
    "new (Object.getPrototypeOf(new Date().toTemporalInstant()).constructor)(new Date().toTemporalInstant().epochNanoseconds).epochNanoseconds",
} as const;

for (const [clock, read] of Object.entries(clocks)) {
  test(`${clock} counts whole milliseconds`, async () => {
    const source = `export const fine = () => {
      const fine = [];
      for (let reads = 0; reads < 500; reads++) { const at = ${read}; if (at % 1_000_000n !== 0n) fine.push(at); }
      return fine.slice(0, 3);
    };`;
    await using sandbox = await createMain(runtime, source);
    assert.deepEqual(valueOf(await sandbox.call("main.fine")), []);
  });
}

suite("Temporal", () => {
  test("has the names, tags and functions of the engine's own", async () => {
    const describe = `(() => {
      const shown = (of) => [String(of), Object.getPrototypeOf(of) === Object.prototype,
        Object.entries(Object.getOwnPropertyDescriptors(of)).map(([name, { value, ...rest }]) =>
          [name, typeof value, value.name, value.length, typeof value === "function" && "prototype" in value, rest]).sort()];
      return JSON.stringify([shown(Temporal), shown(Temporal.Now), Object.getOwnPropertyDescriptor(globalThis, "Temporal").enumerable]);
    })()`;
    await using sandbox = await createMain(
      runtime,
      `export const describe = () => { void Temporal; return ${describe}; };`,
    );
    // oxlint-disable-next-line no-eval -- the same text, here in the engine as it is
    const own: unknown = (0, eval)(describe);
    assert.equal(valueOf(await sandbox.call("main.describe")), own);
  });

  test("computes as the engine's own", async () => {
    const source = `export const dates = () => [
      Temporal.PlainDate.from("2026-02-28").add({ days: 1 }).toString(),
      new Temporal.Duration(0, 0, 0, 1).total("hours"),
      Temporal.Instant.from("2026-01-01T00:00:00.123456789Z").epochNanoseconds,
      Temporal.Now.instant() instanceof Temporal.Instant,
      Temporal.Now.plainDateISO("Asia/Tokyo") instanceof Temporal.PlainDate,
      Temporal.Now.zonedDateTimeISO("Asia/Tokyo").timeZoneId,
      Math.abs(Temporal.Now.instant().epochMilliseconds - Date.now()) < 60_000,
    ];`;
    await using sandbox = await createMain(runtime, source);
    assert.deepEqual(valueOf(await sandbox.call("main.dates")), [
      "2026-03-01",
      24,
      1767225600123456789n,
      true,
      true,
      "Asia/Tokyo",
      true,
    ]);
  });

  test("a guest may replace it, as any other global", async () => {
    await using sandbox = await createMain(runtime, "Temporal = 5; export const f = () => Temporal;");
    assert.equal(valueOf(await sandbox.call("main.f")), 5);
  });

  test("has the virtual time and zone of a deterministic sandbox", async () => {
    const main = `export const f = () => [Temporal.Now.timeZoneId(), Temporal.Now.instant().epochMilliseconds - Date.now(),
      Temporal.Now.plainDateTimeISO().toString()];`;
    await using sandbox = await runtime.create({
      modules: { main },
      deterministic: { seed: 1, now: Date.UTC(2020, 1, 2) },
    });
    assert.deepEqual(valueOf(await sandbox.call("main.f")), ["UTC", 0, "2020-02-02T00:00:00"]);
  });
});
