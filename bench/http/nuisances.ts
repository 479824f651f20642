// Clients that behave badly, in the background: those that never read what they asked for, and those that never finish asking.
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface NuisancePlan {
  readonly port: number;
  readonly token: string;
  readonly slowReaders: number;
  readonly halfOpen: number;
}

export interface Nuisance {
  readonly connections: number;
  /** How many of them the server ended, after which each came again. */
  readonly ended: number;
}

const pauseMs = 200;
const endMs = 10_000;
const probeMs = 500;

/** Begins; the returned function ends it. */
export async function annoy(plan: NuisancePlan): Promise<() => Promise<Nuisance>> {
  const stop = new AbortController();
  let [connections, ended] = [0, 0];
  const loop = async (first: string, isReading: boolean): Promise<void> => {
    while (!stop.signal.aborted) {
      const socket = connect(plan.port, "127.0.0.1");
      connections++;
      if (!isReading) socket.pause();
      else socket.resume();
      socket.write(first);
      await gone(socket, stop.signal);
      if (!stop.signal.aborted) {
        ended++;
        await sleep(pauseMs);
      }
    }
  };
  const loops = [
    ...Array.from({ length: plan.slowReaders }, (_, number) => loop(slowRequest(plan.token, number), false)),
    ...Array.from({ length: plan.halfOpen }, (_, number) => loop(halfRequest(plan.token, number), true)),
  ];
  return async () => {
    stop.abort();
    await Promise.race([Promise.all(loops), sleep(endMs, undefined, { ref: false })]);
    return { connections, ended };
  };
}

// All events there are, or answers to many questions at once, which are never read.
function slowRequest(token: string, number: number): string {
  const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
  if (number % 2 === 0) return `GET /v1/events HTTP/1.1\r\n${head}Accept: text/event-stream\r\n\r\n`;
  return `GET /v1/sandboxes HTTP/1.1\r\n${head}\r\n`.repeat(100);
}

// A head without its end, or a body of which one byte comes.
function halfRequest(token: string, number: number): string {
  const head = `POST /v1/once HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
  if (number % 2 === 0) return `${head}X-Slow: `;
  return `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
}

// Whoever reads nothing learns that it was disconnected only by writing; an empty line means nothing between two requests.
function gone(socket: Socket, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const probing = socket.isPaused() ? setInterval(() => socket.write("\r\n"), probeMs) : undefined;
  const end = (): void => {
    clearInterval(probing);
    socket.destroy();
    resolve();
  };
  socket.on("error", end).on("close", end);
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  return promise;
}
