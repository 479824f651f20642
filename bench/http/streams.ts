// Event streams that stay open beside the load: each must have every event that is published, once and in order.
import { request, type ClientRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { summarise, type Summary } from "../statistics.ts";

export interface StreamPlan {
  readonly port: number;
  readonly token: string;
  readonly count: number;
  /** The sandbox that the published events are about. */
  readonly sandboxId: string;
}

export interface Streamed {
  readonly published: number;
  /** Over all streams. */
  readonly received: number;
  /** Events that one of the streams did not have, had twice or had too early. */
  readonly wrong: number;
  /** Streams that did not open, or ended before they were closed. */
  readonly broken: number;
  /** From publishing to having it. */
  readonly latencyMs: Summary;
  readonly errors: Readonly<Record<string, number>>;
}

const name = "fitness.adjusted";
const pauseMs = 50;
const openMs = 20_000;
/** The last events have so long to arrive. */
const arrivalMs = 5_000;

/** Opens all streams; the returned function publishes no more, closes them and tells what they had. */
export async function openStreams(plan: StreamPlan): Promise<() => Promise<Streamed>> {
  const seen = new Uint32Array(plan.count);
  const latencies: number[] = [];
  const errors: Record<string, number> = {};
  const note = (kind: string): void => void (errors[kind] = (errors[kind] ?? 0) + 1);
  const closing = new AbortController();
  const { signal } = closing;
  let [wrong, broken, published] = [0, 0, 0];
  const opened = Array.from({ length: plan.count }, (_, stream) =>
    openStream(plan, {
      onEvent: ({ score: number, delta: sentMs }) => {
        if (number !== (seen[stream] ?? 0) + 1) wrong++;
        seen[stream] = number;
        latencies.push(performance.now() - sentMs);
      },
      onEnd: (why) => {
        if (signal.aborted) return;
        broken++;
        note(why);
      },
    }),
  );
  await Promise.race([
    Promise.all(opened.map(({ ready }) => ready)),
    sleep(openMs, undefined, { ref: false }),
  ]);
  const publishing = (async () => {
    while (!signal.aborted) {
      const failure = await publish(plan, published + 1);
      if (failure === undefined) published++;
      else note(failure);
      await sleep(pauseMs);
    }
  })();
  return async () => {
    closing.abort();
    await publishing;
    const untilMs = performance.now() + arrivalMs;
    while (performance.now() < untilMs && seen.some((number) => number < published)) await sleep(pauseMs);
    for (const { sent } of opened) sent.destroy();
    for (const number of seen) wrong += published - number;
    return { published, received: latencies.length, wrong, broken, latencyMs: summarise(latencies), errors };
  };
}

interface Listener {
  readonly onEvent: (event: { readonly score: number; readonly delta: number }) => void;
  readonly onEnd: (why: string) => void;
}

function openStream(
  { port, token, sandboxId }: StreamPlan,
  { onEvent, onEnd }: Listener,
): { readonly sent: ClientRequest; readonly ready: Promise<void> } {
  const ready = Promise.withResolvers<void>();
  const path = `/v1/events?name=${name}&sandboxId=${encodeURIComponent(sandboxId)}`;
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const sent = request({ host: "127.0.0.1", port, path, headers, agent: false });
  const end = (why: string): void => {
    ready.resolve();
    onEnd(why);
  };
  sent.on("error", (error) => end(error.message));
  sent.on("response", (response) => {
    if (response.statusCode !== 200) return end(`an event stream was answered with ${response.statusCode}`);
    ready.resolve();
    let rest = "";
    response.setEncoding("utf8").on("data", (text: string) => {
      const frames = `${rest}${text}`.split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const data = /^data: ?(.*)$/m.exec(frame)?.[1];
        const event = data === undefined ? undefined : eventOf(data);
        if (event !== undefined) onEvent(event);
      }
    });
    response.on("error", (error) => end(error.message));
    response.on("end", () => end("an event stream ended"));
  });
  sent.end();
  return { sent, ready: ready.promise };
}

function eventOf(data: string): { readonly score: number; readonly delta: number } | undefined {
  const { name: named, event } = JSON.parse(data) as {
    name?: string;
    event?: { score: number; delta: number };
  };
  return named === name ? event : undefined;
}

function publish({ port, token, sandboxId }: StreamPlan, number: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const event = { sandboxId, score: number, delta: performance.now(), reason: "published by the benchmark" };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const sent = request(
    { host: "127.0.0.1", port, path: "/v1/events", method: "POST", headers },
    (response) => {
      response.resume();
      response.on("end", () =>
        resolve(
          response.statusCode === 204 ? undefined : `publishing was answered with ${response.statusCode}`,
        ),
      );
    },
  );
  sent.on("error", (error) => resolve(`publishing: ${error.message}`));
  sent.end(JSON.stringify({ name, event }));
  return promise;
}
