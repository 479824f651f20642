// Answers on their way into a connection: documents at once, streams as fast as they are read and no faster.
import type { ServerResponse } from "node:http";
import { problemContentType } from "../../contract/problem.ts";
import type { VivariumError } from "../../model/errors.ts";
import { headersOfRefusal } from "../access/refusals.ts";
import { toProblem } from "../http/problems.ts";

type Headers1 = Readonly<Record<string, string>>;

/** An error as a whole answer. */
export function problemOf(error: VivariumError): { readonly status: number; readonly body: string } {
  const problem = toProblem(error);
  return { status: problem.status, body: JSON.stringify(problem) };
}

export function sendProblem(outgoing: ServerResponse, error: VivariumError, more: Headers1 = {}): void {
  const { status, body } = problemOf(error);
  sendText(outgoing, {
    status,
    type: problemContentType,
    body,
    headers: { ...headersOfRefusal(error), ...more },
  });
}

export function sendText(
  outgoing: ServerResponse,
  answer: {
    readonly status: number;
    readonly type: string;
    readonly body: string;
    readonly headers?: Headers1;
  },
): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  const { status, type, body, headers } = answer;
  outgoing.writeHead(status, {
    ...headers,
    "content-type": type,
    "content-length": String(Buffer.byteLength(body)),
  });
  outgoing.end(body);
}

/** What a streamed answer is told of. */
export interface Streaming {
  /** Aborted when streams that have no end of their own are to end. */
  readonly endless: AbortSignal;
  /** Called when an answer turns out to be streamed; what it returns, when that is over. */
  readonly onStream: () => () => void;
}

/** Writes an answer; resolves when all of it is written, or nobody is there to read it. */
export async function sendResponse(
  response: Response,
  outgoing: ServerResponse,
  streaming: Streaming,
): Promise<void> {
  const { status, headers, body } = response;
  // One whose length is known is there already.
  const isDocument =
    body === null || headers.has("content-length") || isDocumentType(headers.get("content-type"));
  const document = isDocument && body !== null ? Buffer.from(await response.arrayBuffer()) : null;
  if (outgoing.destroyed) {
    // Whoever makes the rest is told that nobody wants it.
    if (!isDocument) await body?.cancel();
    return;
  }
  outgoing.statusCode = status;
  for (const [name, value] of headers) outgoing.setHeader(name, value);
  if (document !== null || body === null) {
    if (document !== null && !outgoing.hasHeader("content-length"))
      outgoing.setHeader("content-length", document.byteLength);
    outgoing.end(document ?? undefined);
    return;
  }
  // What is asked for by GET and sends events has no end of its own; a batch has one.
  const isEndless =
    outgoing.req.method === "GET" && headers.get("content-type")?.startsWith("text/event-stream") === true;
  const done = streaming.onStream();
  try {
    await pump(body, outgoing, isEndless ? streaming.endless : undefined);
  } finally {
    done();
  }
}

function isDocumentType(type: string | null): boolean {
  return type !== null && /^(?:application\/(?:problem\+)?json|text\/plain)\b/.test(type);
}

async function pump(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  endless: AbortSignal | undefined,
): Promise<void> {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  // A pending read ends with the cancellation.
  outgoing.once("close", cancel);
  endless?.addEventListener("abort", cancel, { once: true });
  if (endless?.aborted === true) cancel();
  outgoing.flushHeaders();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || outgoing.destroyed) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
    outgoing.end();
  } catch {
    // What breaks in the middle cannot be told any more, but by an answer that does not end as it should.
    outgoing.destroy();
  } finally {
    outgoing.off("close", cancel);
    endless?.removeEventListener("abort", cancel);
  }
}

// Resolves when more can be written, or nothing can any more; leaves no listener behind, as it is called again and again.
function drained(outgoing: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const names = ["drain", "close", "error"] as const;
  const onEach = (): void => {
    for (const name of names) outgoing.off(name, onEach);
    resolve();
  };
  for (const name of names) outgoing.on(name, onEach);
  return promise;
}
