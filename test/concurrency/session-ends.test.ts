// What listens to a session's sandbox ends with that sandbox, however it ends, and hears no other one of the same id.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Session } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime({ collector: { intervalMs: 50 } });
const logging = { modules: { main: "export default () => console.log('of another');" } };

/** Each destroys a session's sandbox, and not by the session. */
const ends: Readonly<Record<string, (session: Session) => PromiseLike<unknown>>> = {
  "runtime.destroy": ({ id }) => runtime.destroy(id),
  "batch.destroy": ({ id }) => runtime.batch.destroy([id]),
  "its own handle": ({ sandbox }) => sandbox.destroy(),
  "the collector, after its lifetime": ({ id }) =>
    until("it is collected", async () => !(await runtime.has(id))),
};

suite("a session whose sandbox was destroyed hears nothing of a later one with its id", () => {
  for (const [index, [name, end]] of Object.entries(ends).entries())
    test(`by ${name}`, async () => {
      const id = `ended-${index}`;
      const lines: string[] = [];
      const isCollected = name.startsWith("the collector");
      const session = await runtime.session({
        id,
        onOutput: ({ text }) => lines.push(text),
        ...(isCollected ? { limits: { lifetimeMs: 1_000 } } : {}),
      });
      valueOf(await session.run("console.log('own')"));
      await end(session);
      await using later = await runtime.create(id, logging);
      valueOf(await later.call("main.default"));
      assert.deepEqual(lines, ["own"]);
    });
});

test("a session that is closed late leaves the listener of a later one with its id", async () => {
  const earlier = await runtime.session({ id: "again" });
  await runtime.destroy("again");
  await using later = await runtime.session({ id: "again" });
  await earlier.close();
  const outcome = await later.run("console.log('heard')");
  assert.deepEqual(
    outcome.output.map(({ text }) => text),
    ["heard"],
  );
});

test("a session that is refused, as its id is in use, leaves the listener of the one that has it", async () => {
  await using session = await runtime.session({ id: "taken" });
  await errorOf(() => runtime.session({ id: "taken" }), "SANDBOX_EXISTS");
  const outcome = await session.run("console.log('heard')");
  assert.deepEqual(
    outcome.output.map(({ text }) => text),
    ["heard"],
  );
});

test("nothing is left of a session whose modules do not load", async () => {
  const broken = { PARSE_FAILED: "export const = 1", LOAD_FAILED: "throw new TypeError('no')" } as const;
  for (const [code, main] of Object.entries(broken)) {
    await errorOf(() => runtime.session({ id: "broken", modules: { main } }), code as keyof typeof broken);
    assert.equal(await runtime.has("broken"), false);
  }
});

test("a session hears its sandbox after a restart", async () => {
  await using session = await runtime.session({
    modules: { main: "console.log('loaded');" },
  });
  await session.sandbox.restart();
  const outcome = await session.run("console.log('heard')");
  assert.deepEqual(
    outcome.output.map(({ text }) => text),
    ["heard"],
  );
});
