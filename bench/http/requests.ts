// Requests as fast as they are answered, over connections that are kept, by one loop for each that is to be under way.
import { Agent, request } from "node:http";
import { summarise, type Summary } from "../statistics.ts";

export interface Load {
  readonly port: number;
  /** One after the other, by all loops together. */
  readonly paths: readonly string[];
  readonly token: string;
  readonly body: string;
  /** What every answer contains; one that does not counts as an error. */
  readonly expected: string;
  readonly concurrency: number;
  readonly lengthMs: number;
}

export interface Loaded {
  readonly requests: number;
  readonly seconds: number;
  readonly latencyMs: Summary;
  /** How many there were of each kind. */
  readonly errors: Readonly<Record<string, number>>;
}

/** No answer takes longer; one that does is an error. */
const patienceMs = 30_000;

/** Several loops until the time is over, and what they found. */
export async function load(plan: Load): Promise<Loaded> {
  const { concurrency, lengthMs } = plan;
  using connections = connectionsOf(concurrency);
  const latencies: number[] = [];
  const errors: Record<string, number> = {};
  const startedMs = performance.now();
  let next = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - startedMs < lengthMs) {
      const path = plan.paths[next++ % plan.paths.length] ?? "/";
      const sentMs = performance.now();
      try {
        await post(connections.agent, path, plan);
        latencies.push(performance.now() - sentMs);
      } catch (error) {
        const kind = error instanceof Error ? error.message.slice(0, 120) : String(error);
        errors[kind] = (errors[kind] ?? 0) + 1;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  const seconds = (performance.now() - startedMs) / 1_000;
  return { requests: latencies.length, seconds, latencyMs: summarise(latencies), errors };
}

/** So many requests one after the other; how long each took, in milliseconds. */
export async function oneByOne(
  plan: Omit<Load, "concurrency" | "lengthMs">,
  count: number,
): Promise<number[]> {
  using connections = connectionsOf(1);
  const latencies: number[] = [];
  for (let number = 0; number < count; number++) {
    const sentMs = performance.now();
    await post(connections.agent, plan.paths[number % plan.paths.length] ?? "/", plan);
    latencies.push(performance.now() - sentMs);
  }
  return latencies;
}

function connectionsOf(count: number): Disposable & { readonly agent: Agent } {
  const agent = new Agent({ keepAlive: true, maxSockets: count, maxFreeSockets: count });
  return { agent, [Symbol.dispose]: () => agent.destroy() };
}

type Posted = Pick<Load, "port" | "token" | "body" | "expected">;

function post(agent: Agent, path: string, { port, token, body, expected }: Posted): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  const sent = request({
    agent,
    host: "127.0.0.1",
    port,
    path,
    method: "POST",
    headers,
    timeout: patienceMs,
  });
  sent.on("timeout", () => sent.destroy(new Error(`no answer within ${patienceMs} ms`)));
  sent.on("error", reject);
  sent.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => (text += part));
    response.on("error", reject);
    response.on("end", () => {
      const isRight = response.statusCode === 200 && text.includes(expected);
      if (isRight) resolve();
      else reject(new Error(`${response.statusCode} ${text}`));
    });
  });
  sent.end(body);
  return promise;
}
