// Idempotency keys: the same key of the same token with the same request gets the same answer, once it is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { serve } from "../../support/served.ts";

const clock = new FakeClock();
const { ask, refuse, runtime } = await serve({ clock });
const main = "export const f = () => 1;";
const keyed = (key: string) => ({ "idempotency-key": key });
const create = (key: string, body: object = { modules: { main } }) =>
  ask("POST /v1/sandboxes", { body, headers: keyed(key) });

test("a request that is sent twice makes one sandbox, and is answered twice", async () => {
  const first = await create("one");
  const second = await create("one");
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.equal(second.headers.get("idempotency-replayed"), "true");
  assert.equal(await second.text(), await first.text());
  assert.equal((await runtime.list()).length, 1);
});

test("a second request meanwhile waits for the answer to the first", async () => {
  const before = (await runtime.list()).length;
  const answers = await Promise.all([create("two"), create("two"), create("two")]);
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  assert.equal(new Set(texts).size, 1);
  assert.equal((await runtime.list()).length, before + 1);
});

test("another request under the same key is a conflict", async () => {
  await create("three");
  const body = { modules: { main: "export const g = 1;" } };
  const problem = await refuse("POST /v1/sandboxes", "IDEMPOTENCY_CONFLICT", {
    body,
    headers: keyed("three"),
  });
  assert.equal(problem.status, 409);
});

test("a mistake is answered again, a request that was aborted is not kept", async () => {
  const bad = { modules: { main: "export const" } };
  assert.equal((await create("bad", { ...bad, id: "bad" })).status, 422);
  assert.equal((await create("bad", { ...bad, id: "bad" })).headers.get("idempotency-replayed"), "true");
  const closing = new AbortController();
  closing.abort();
  const body = { modules: { main } };
  await ask("POST /v1/sandboxes", { body, headers: keyed("gone"), signal: closing.signal }).catch(() => {});
  assert.equal((await create("gone")).headers.get("idempotency-replayed"), null);
});

test("the lines of a batch are kept, unless their reader left", async () => {
  const body = { specs: [{ modules: { main } }] };
  const batch = () => ask("POST /v1/batches/create", { body, headers: keyed("batch") });
  const first = await (await batch()).text();
  const second = await batch();
  assert.equal(await second.text(), first);
  assert.equal(second.headers.get("content-type"), "application/x-ndjson");
  const left = () => ask("POST /v1/batches/create", { body, headers: keyed("left") });
  await (await left()).body?.cancel();
  assert.equal((await left()).headers.get("idempotency-replayed"), null);
});

test("a key is forgotten after a day, and must be one", async () => {
  const first = await (await create("day")).text();
  clock.advance(86_400_001);
  assert.notEqual(await (await create("day")).text(), first);
  await refuse("POST /v1/sandboxes", "INVALID_OPTIONS", { body: {}, headers: keyed("with space") });
});
