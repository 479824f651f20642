// A connection that died without a word, as after the sleep of a laptop, is noticed by the absence of the server's heartbeats.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { RemoteEventStream } from "../../../src/client/handles/events.ts";
import { retryOptions } from "../../../src/client/transport/retry.ts";
import { Transport } from "../../../src/client/transport/transport.ts";
import type { EventConnection } from "../../../src/client/types.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";

interface Stream {
  readonly lastId: string | null;
  readonly send: (text: string) => void;
}

const live = "id: 7\nevent: live\ndata: {}\n\n";
const turn = (): Promise<void> => new Promise((go) => setImmediate(go));

function follow(heartbeatMs = 15_000) {
  const clock = new FakeClock();
  const streams: Stream[] = [];
  const heard: EventConnection[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    request.signal.addEventListener("abort", () => void writer.abort(request.signal.reason).catch(() => {}));
    const send = (text: string): void => void writer.write(new TextEncoder().encode(text)).catch(() => {});
    streams.push({ lastId: request.headers.get("last-event-id"), send });
    return new Response(readable);
  };
  const url = new URL("http://127.0.0.1:1");
  const transport = new Transport({
    url,
    token: undefined,
    fetch,
    retry: retryOptions.read({}, "retry"),
    clock,
  });
  const events = new RemoteEventStream(transport, { heartbeatMs, onConnection: (one) => heard.push(one) });
  events.onAny(() => {});
  after(() => events.close());
  return { clock, streams, heard, events };
}

test("a stream on which nothing came for three heartbeats is opened anew behind the last event", async () => {
  const { clock, streams, heard } = follow();
  await turn();
  streams[0]?.send(live);
  await turn();
  clock.advance(44_000);
  await turn();
  assert.equal(streams.length, 1);
  clock.advance(2_000);
  await turn();
  assert.equal(heard.at(-1)?.open, false);
  assert.match(heard.at(-1)?.error?.message ?? "", /must send something every 45000 ms: got nothing/);
  clock.advance(1_000);
  await turn();
  assert.deepEqual([streams.length, streams[1]?.lastId, heard.at(-1)?.open], [2, "7", true]);
});

test("a server with slower heartbeats is waited for accordingly", async () => {
  const { clock, streams } = follow(60_000);
  await turn();
  streams[0]?.send(live);
  await turn();
  clock.advance(179_000);
  await turn();
  assert.equal(streams.length, 1);
  clock.advance(2_000);
  await turn();
  clock.advance(1_000);
  await turn();
  assert.equal(streams.length, 2);
});

test("heartbeats keep a stream on which nothing else comes", async () => {
  const { clock, streams } = follow();
  await turn();
  streams[0]?.send(live);
  for (let beat = 0; beat < 20; beat++) {
    await turn();
    clock.advance(15_000);
    streams[0]?.send(": nothing new\n\n");
  }
  await turn();
  assert.equal(streams.length, 1);
});

test("nothing waits any more once nobody listens", async () => {
  const { clock, streams, events } = follow();
  await turn();
  streams[0]?.send(live);
  await turn();
  events.close();
  await turn();
  assert.equal(clock.pending, 0);
});

test("onAny() without options listens to everything", () => {
  assert.doesNotThrow(() => follow().events.onAny(() => {})());
});
