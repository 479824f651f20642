// Sends requests as plain clients do, over a socket or to the server's `fetch`, and gives up on them where the plan says so.
import { request as open, type Agent } from "node:http";
import type { Server } from "../../../src/server/index.ts";
import type { Plan } from "./requests.ts";

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Given up by us: what came is perhaps not all. */
  readonly isCut: boolean;
}

export interface Line {
  readonly port: number;
  readonly agent: Agent;
  readonly server: Server;
}

export const isAnswered = (answer: Answered | undefined): answer is Answered => answer !== undefined;

/** The body in bytes; undefined where there is none. */
export function bodyOf({ body }: Plan): string | undefined {
  if (body === undefined) return undefined;
  return "text" in body ? body.text : (JSON.stringify(body.json) as string | undefined);
}

export function addressOf({ path, query }: Plan): string {
  // A lone surrogate is no text that an address can have: it becomes a replacement character.
  const texts = query.map((pair) => pair.map((each) => encodeURIComponent(each.toWellFormed())).join("="));
  return texts.length === 0 ? path : `${path}?${texts.join("&")}`;
}

/** Sends a request. Undefined where it was given up, or the server closed the connection, before an answer came. */
export function send(plan: Plan, line: Line, giveUp: AbortController): Promise<Answered | undefined> {
  if (plan.cut === "sent" || plan.cut === "upload") setImmediate(() => giveUp.abort());
  return plan.direct ? sendDirectly(plan, line, giveUp.signal) : sendOver(plan, line, giveUp.signal);
}

async function sendDirectly(
  plan: Plan,
  { server }: Line,
  signal: AbortSignal,
): Promise<Answered | undefined> {
  const { method, headers, cut } = plan;
  const text = bodyOf(plan);
  const request = new Request(`http://127.0.0.1${addressOf(plan)}`, {
    method,
    headers,
    signal,
    ...(text === undefined || method === "GET" ? {} : { body: text }),
  });
  const answer = await server.fetch(request);
  const decoder = new TextDecoder();
  let got = "";
  let isCut = cut === "head";
  let count = 0;
  try {
    // Left early, the body is cancelled.
    for await (const part of cut === "head" ? [] : (answer.body ?? [])) {
      got += decoder.decode(part as Uint8Array, { stream: true });
      if (++count === cut) isCut = true;
      if (isCut) break;
    }
    if (cut === "head") await answer.body?.cancel();
  } catch {
    isCut = true;
  }
  isCut ||= signal.aborted;
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: got, isCut };
}

function sendOver(plan: Plan, { port, agent }: Line, signal: AbortSignal): Promise<Answered | undefined> {
  const { method, cut } = plan;
  const text = bodyOf(plan);
  const { promise, resolve } = Promise.withResolvers<Answered | undefined>();
  const headers: Record<string, string> = { ...plan.headers };
  const isChunked = headers["transfer-encoding"] !== undefined;
  if (text !== undefined && !isChunked) headers["content-length"] = String(Buffer.byteLength(text));
  const options = { host: "127.0.0.1", port, agent, method, path: addressOf(plan), headers };
  const request = open(options, (response) => {
    let got = "";
    let count = 0;
    const end = (isCut: boolean): void => {
      const given = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
      resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(given), text: got, isCut });
      if (isCut) request.destroy();
    };
    if (cut === "head") return end(true);
    response.setEncoding("utf8");
    response.on("data", (part: string) => {
      got += part;
      if (++count === cut) end(true);
    });
    response.on("end", () => end(false));
    response.on("error", () => end(true));
    response.on("close", () => end(true));
  });
  // What the server refuses early it may close before all was sent.
  request.on("error", () => resolve(undefined));
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    resolve(undefined);
  });
  request.on("close", () => resolve(undefined));
  if (cut === "upload") request.write(text?.slice(0, text.length / 2) ?? "");
  else request.end(text);
  signal.addEventListener("abort", () => request.destroy(), { once: true });
  return promise;
}
