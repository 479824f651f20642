// Around every step there is a start and one end: a stop, or an exception where the caller or the machine is at fault.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadError, SandboxNotFoundError } from "../../../src/model/errors.ts";
import { Bus } from "../../../src/observability/bus.ts";
import { span } from "../../../src/observability/span.ts";
import { FakeClock } from "../../../src/testing/index.ts";

async function spanned(act: (clock: FakeClock) => Promise<unknown>): Promise<readonly unknown[]> {
  const clock = new FakeClock();
  const bus = new Bus(() => clock.now());
  const events: unknown[] = [];
  bus.onAny(({ name, event }) => events.push({ name, ...event }));
  const at = { bus, clock, name: "sandbox.create", sandboxId: "a" } as const;
  const result = await span(at, {}, () => act(clock)).catch((error: unknown) => error);
  return [result, ...events];
}

test("span() emits start and stop around a step that succeeds, with its duration", async () => {
  const events = await spanned((clock) => {
    clock.advance(7);
    return Promise.resolve("value");
  });
  assert.deepEqual(events, [
    "value",
    { name: "sandbox.create.start", sandboxId: "a" },
    { name: "sandbox.create.stop", sandboxId: "a", durationMs: 7, result: "ok" },
  ]);
});

test("span() emits a stop with the code where code failed to load, and passes the error on", async () => {
  const error = new LoadError("no", { phase: "parse" });
  assert.deepEqual(await spanned(() => Promise.reject(error)), [
    error,
    { name: "sandbox.create.start", sandboxId: "a" },
    { name: "sandbox.create.stop", sandboxId: "a", durationMs: 0, result: "PARSE_FAILED" },
  ]);
});

test("span() emits an exception for any other error, INTERNAL where it is not one of ours", async () => {
  const ours = new SandboxNotFoundError("a");
  const foreign = new RangeError("odd");
  const [, , first] = await spanned(() => Promise.reject(ours));
  const [passed, , second] = await spanned(() => Promise.reject(foreign));
  assert.equal(passed, foreign);
  assert.deepEqual(first, {
    name: "sandbox.create.exception",
    sandboxId: "a",
    durationMs: 0,
    code: "SANDBOX_NOT_FOUND",
    message: String(ours),
  });
  assert.equal((second as { code: string }).code, "INTERNAL");
});
