// `fetch` with Headers, Request and Response, in sandboxes that were granted it. The host sends the request and gives the head of
// the response; the body is asked for piece by piece.
import { connectBodies, Ready, type Source } from "./fetch/body.ts";
import { Headers } from "./fetch/headers.ts";
import { connectMessages, Request, Response, responseFrom, type RequestInit } from "./fetch/messages.ts";
import type { Made, Needs } from "./needs.ts";

/** What the host answers. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}
interface Head extends Piece {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly redirected: boolean;
}

let lastId = 0;

export function make(needs: Needs): Made {
  connectBodies(needs);
  connectMessages(needs);
  const classes = { Headers, Request, Response };
  for (const [value, of] of Object.entries(classes))
    Object.defineProperty(of.prototype, Symbol.toStringTag, { value, configurable: true });
  const api = {
    fetch: async (input: unknown, init?: RequestInit | null) => {
      const request = new Request(input, init);
      const { signal } = request;
      signal.throwIfAborted();
      const body = request.body === null ? undefined : await request.bytes();
      const id = ++lastId;
      const ask = (asked: object, more: object | undefined): Promise<unknown> =>
        untilAborted(signal, needs.fetch(asked, more), () => end(needs, id));
      const { url, method, redirect } = request;
      const headers = Object.fromEntries(request.headers);
      const head = (await asked(ask({ open: id, url }, { method, headers, redirect, body }))) as Head; // The host's answer.
      return responseFrom(sourceOf(head, id, { needs, ask }), { ...head });
    },
  };
  Object.defineProperty(api.fetch, "name", { value: "fetch", configurable: true });
  return { ...classes, ...api };
}

interface Asking {
  readonly needs: Needs;
  readonly ask: (asked: object, more: object | undefined) => Promise<unknown>;
}

function sourceOf(head: Head, id: number, { needs, ask }: Asking): Source | null {
  const hasBody = head.bytes.length > 0 || !head.isLast;
  if (!hasBody) return head.status === 204 || head.status === 205 || head.status === 304 ? null : new Ready();
  let isOver = head.isLast;
  let first: Uint8Array | undefined = head.bytes;
  return {
    async next() {
      if (first !== undefined && first.length > 0) {
        const piece = first;
        first = undefined;
        return piece;
      }
      if (isOver) return undefined;
      const { bytes, isLast } = (await asked(ask({ read: id }, undefined))) as Piece; // The host's answer.
      isOver = isLast;
      return bytes.length > 0 || !isLast ? bytes : undefined;
    },
    cancel() {
      first = undefined;
      if (!isOver) end(needs, id);
      isOver = true;
    },
  };
}

// The host needs no answer, and neither does the guest.
function end(needs: Needs, id: number): void {
  needs.fetch({ end: id }, undefined).catch(() => {});
}

/** As the web has it: what went wrong is a TypeError. What was denied is told as it is. */
async function asked(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    const { name, code, message } = error as {
      readonly name?: unknown;
      readonly code?: unknown;
      readonly message?: unknown;
    };
    if (name !== "CapabilityError" || code === "denied") throw error;
    throw new TypeError(`${message as string}`, { cause: error });
  }
}

function untilAborted(signal: AbortSignal, answer: Promise<unknown>, ended: () => void): Promise<unknown> {
  if (signal.aborted) {
    answer.catch(() => {});
    ended();
    return Promise.reject(signal.reason as Error);
  }
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      ended();
      reject(signal.reason as Error);
    };
    const settle = (act: (value: unknown) => void) => (value: unknown) => {
      signal.removeEventListener("abort", abort);
      act(value);
    };
    signal.addEventListener("abort", abort, { once: true });
    answer.then(settle(resolve), settle(reject));
  });
}
