// Events over HTTP: as they happen, again for those who come back, and what is missing where that is too late.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMain, startRuntime } from "../../support/runtimes.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { gateOf, serve, type Served } from "../../support/served.ts";
import { until } from "../../support/waiting.ts";

interface Event {
  readonly id?: number;
  readonly kind?: string;
  readonly data?: {
    readonly name: string;
    readonly event: { readonly sandboxId?: string };
    readonly missed?: number | null;
  };
}

/** Reads events until one is the last; then closes the connection. */
async function read(
  [served, path]: readonly [served: Served, path: string],
  isLast: (event: Event) => boolean,
  { last, begun = () => {} }: { last?: number | string; begun?: () => void } = {},
): Promise<readonly Event[]> {
  const headers = last === undefined ? {} : { "last-event-id": String(last) };
  const response = await served.ask(`GET ${path}`, { headers });
  assert.equal(
    response.headers.get("content-type"),
    "text/event-stream",
    await (response.ok ? "" : response.text()),
  );
  begun();
  const reader = response.body!.getReader();
  const events: Event[] = [];
  for (let text = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return events;
    text += new TextDecoder().decode(value);
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks.filter((one) => !one.startsWith(":"))) {
      const field = (name: string): string | undefined =>
        block
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const [id, kind, data] = [field("id"), field("event"), field("data")];
      const event = {
        ...(id !== undefined && { id: Number(id) }),
        ...(kind !== undefined && { kind }),
        ...(data !== undefined && { data: JSON.parse(data) as NonNullable<Event["data"]> }),
      };
      if (kind === "live") continue;
      events.push(event);
      if (!isLast(event)) continue;
      await reader.cancel();
      return events;
    }
  }
}

const isDestroyed =
  (id: string) =>
  ({ data }: Event) =>
    data?.name === "sandbox.destroy.stop" && data.event.sandboxId === id;
const main = "export const f = () => 1;";

test("events come with numbers, of the names and the sandbox that are wanted, and again behind a number", async () => {
  const served = await serve();
  const { runtime } = served;
  const path = "/v1/events?name=sandbox.create.stop&name=sandbox.destroy.stop&sandboxId=a";
  const reading = read([served, path], isDestroyed("a"), {
    begun: () =>
      void runtime
        .create("b", { modules: { main } })
        .then(() => runtime.create("a", { modules: { main } }))
        .then(() => runtime.destroy("a")),
  });
  const events = await reading;
  assert.deepEqual(
    events.map(({ data }) => [data?.name, data?.event.sandboxId]),
    [
      ["sandbox.create.stop", "a"],
      ["sandbox.destroy.stop", "a"],
    ],
  );
  const again = await read([served, "/v1/events"], isDestroyed("a"), { last: events[0]?.id ?? 0 });
  assert.ok(again.length >= 2);
  assert.ok(again.every(({ id = 0 }) => id > (events[0]?.id ?? 0)));
  await until("readers are gone", () => served.server.load.requests === 0);
});

test("whoever comes back too late learns how many events are missing; from before a restart, that nobody knows", async () => {
  const served = await serve({ bounds: { replayEvents: 5 } });
  const { runtime } = served;
  const [first] = await read([served, "/v1/events"], () => true, {
    begun: () => void createMain(runtime, main),
  });
  for (let i = 0; i < 300; i++) {
    const sandbox = await createMain(runtime, main);
    await sandbox.destroy();
  }
  const [missed, next] = await read([served, "/v1/events"], ({ id }) => id !== undefined, {
    last: first?.id ?? 0,
  });
  assert.equal(missed?.kind, "missed");
  assert.equal(missed?.data?.missed, (next?.id ?? 0) - (first?.id ?? 0) - 1);
  const [unknown] = await read([served, "/v1/events"], () => true, { last: 1 });
  assert.equal(unknown?.data?.missed, null);
  await served.refuse("GET /v1/events", "INVALID_OPTIONS", { headers: { "last-event-id": "x" } });
  await served.refuse("GET /v1/events?name=nothing", "INVALID_OPTIONS");
});

test("where nothing happens a reader gets comments, and one that takes nothing is disconnected", async () => {
  const clock = new FakeClock();
  const served = await serve({ clock, bounds: { heartbeatMs: 1_000, stallMs: 5_000 } });
  const response = await served.ask("GET /v1/events?sandboxId=none");
  const reader = response.body!.getReader();
  const text = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
  assert.match(await text(), /^: events follow/);
  assert.match(await text(), /^id: \d+\nevent: live\n/);
  const beat = text();
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1_000);
  assert.match(await beat, /^: nothing new/);
  clock.advance(6_000);
  await assert.rejects(reader.read(), /took nothing/);
  assert.equal(served.server.load.requests, 0);
});

test("a tenant gets events of its own sandboxes alone, and none that is of no sandbox", async () => {
  const runtime = await startRuntime();
  const served = await serve({ gate: gateOf({ tenant: "t" }) }, runtime);
  const events = await read([served, "/v1/events"], isDestroyed("t:last"), {
    begun: () => {
      void (async () => {
        await runtime.create("other", { modules: { main } });
        await runtime.batch.create([{ id: "t:one", modules: { main } }]);
        await runtime.collect();
        await runtime.create("t:last", { modules: { main } });
        await runtime.destroy("t:last");
      })();
    },
  });
  assert.ok(events.every(({ data }) => data?.event.sandboxId?.startsWith("t:") === true));
  await served.refuse("GET /v1/events?sandboxId=other", "SANDBOX_NOT_FOUND");
});

test("what a capability of the host threw does not leave its process", async () => {
  const runtime = await startRuntime({
    capabilities: {
      fails: () => {
        throw Object.assign(new Error("at /secret/path"), { key: "secret" });
      },
    },
  });
  const source = `import { fails } from "vivarium/capabilities"; export const f = () => fails().catch(() => 1);`;
  await runtime.create("t:one", { modules: { main: source }, capabilities: ["fails"] });
  const served = await serve({ gate: gateOf({ tenant: "t" }) }, runtime);
  const isCalled = ({ data }: Event): boolean => data?.name === "capability.called";
  const [event] = await read([served, "/v1/events?name=capability.called"], isCalled, {
    begun: () => void served.give("POST /v1/sandboxes/t:one/calls", { body: { target: "main.f" } }),
  });
  assert.doesNotMatch(JSON.stringify(event), /secret/);
});

test("an event is published, and only one that may be", async () => {
  const served = await serve();
  const event = { sandboxId: "x", delta: 1, score: 2, reason: "because" };
  const events = await read([served, "/v1/events"], ({ data }) => data?.name === "fitness.adjusted", {
    begun: () => void served.ask("POST /v1/events", { body: { name: "fitness.adjusted", event } }),
  });
  assert.deepEqual(events.at(-1)?.data?.event, event);
  await served.refuse("POST /v1/events", "INVALID_OPTIONS", { body: { name: "cell.exited", event: {} } });
});

test("a server that keeps no events serves one reader after the other, and tells who comes back that some may be missing", async () => {
  const served = await serve({ bounds: { replayEvents: 0 } });
  const main = "export const f = () => 1;";
  const create = () => createMain(served.runtime, main);
  const first = await read([served, "/v1/events?name=sandbox.create.stop"], () => true, {
    begun: () => void create(),
  });
  await create();
  const last = first[0]?.id ?? 0;
  const again = await read(
    [served, "/v1/events?name=sandbox.create.stop"],
    ({ data }) => data?.name !== undefined,
    { last, begun: () => void create() },
  );
  assert.deepEqual(again[0]?.data, { missed: null });
  assert.equal(again.length, 2);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a stream of events ends with its reader's token, also where the wall clock jumps there", async () => {
  const clock = new FakeClock({ now: 1_000_000 });
  const secret = "a-token-that-ends-0123456789";
  const headers = { authorization: `Bearer ${secret}` };
  const bounds = { heartbeatMs: 10_000 };
  for (const [step, beats] of [
    [() => clock.advance(1_000), 0],
    [() => clock.jump(1_000), 1],
  ] as const) {
    const access = { tokens: [{ token: secret, scope: "read", expiresAt: clock.now() + 1_000 }] } as const;
    const served = await serve({ clock, bounds, access });
    const response = await served.ask("GET /v1/events?sandboxId=none", { headers });
    const reader = response.body!.getReader();
    await reader.read();
    await reader.read();
    const next = reader.read();
    await turn();
    step();
    if (beats > 0) clock.advance(10_000);
    const texts: string[] = [];
    for (let read = await next; !read.done; read = await reader.read())
      texts.push(new TextDecoder().decode(read.value));
    assert.ok(texts.every((text) => text.startsWith(":")));
    assert.equal(served.server.load.requests, 0);
    await served.refuse("GET /v1/events", "UNAUTHENTICATED", { headers });
  }
});

test("whoever wants few of many events has missed none when it comes back", async () => {
  const served = await serve({ bounds: { replayEvents: 1_500 } });
  const sandbox = await createMain(served.runtime, main);
  const path = "/v1/events?name=sandbox.destroy.stop";
  const response = await served.ask(`GET ${path}`);
  const reader = response.body!.getReader();
  let last = "";
  const reading = (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      last = /^id: (\d+)$/m.exec(new TextDecoder().decode(read.value))?.[1] ?? last;
  })();
  await until("it is live", () => last !== "");
  // Two events for each.
  for (let runs = 0; runs < 1_600; runs++) await sandbox.call("main.f");
  await reader.cancel();
  await reading;
  const again = await read([served, path], () => true, {
    last,
    begun: () => void served.runtime.destroy(sandbox.id),
  });
  assert.equal(again[0]?.data?.name, "sandbox.destroy.stop");
});
