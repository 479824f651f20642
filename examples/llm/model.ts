// Asks a language model, within bounds: a number of requests, a timeout for each, and retries where they may help.
import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "./settings.ts";

/** The result of a request. An error of the server is a failure like any other. */
export type Completion =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      readonly kind: "no answer" | "no text" | "no requests left";
      readonly message: string;
    };

/** An error that no retry can help: the run ends. */
export class UselessServer extends Error {}

const triesMax = 4;
const bodyBytesMax = 2 ** 20;
const waitMsMax = 30_000;
const shownLengthMax = 200;

/** One try. `wait` is the delay that the server asked for, if any. */
type Try = Completion | { readonly again: string; readonly waitMs: number | undefined };

export class Model {
  readonly #settings: Settings;
  readonly #signal: AbortSignal;
  #requests = 0;

  constructor(settings: Settings, signal: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
  }

  /** How many requests were made. */
  get requests(): number {
    return this.#requests;
  }

  get isSpent(): boolean {
    return this.#requests >= this.#settings.requests;
  }

  async complete(prompt: string): Promise<Completion> {
    let last = "";
    for (let attempt = 0; attempt < triesMax; attempt++) {
      if (this.#signal.aborted) return { ok: false, kind: "no answer", message: "the run was ended" };
      if (this.isSpent) return { ok: false, kind: "no requests left", message: last };
      this.#requests++;
      const answer = await this.#ask(prompt);
      if ("ok" in answer) return answer;
      last = answer.again;
      await this.#wait(answer.waitMs ?? this.#settings.backoffMs * 2 ** attempt);
    }
    return { ok: false, kind: "no answer", message: last };
  }

  async #ask(prompt: string): Promise<Try> {
    const { endpoint, timeoutMs } = this.#settings;
    const { baseUrl, key, model } = endpoint;
    try {
      const response = await fetch(`${baseUrl}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, messages: [{ role: "user", content: prompt }] }),
        // The key is for this server alone.
        redirect: "manual",
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(timeoutMs)]),
      });
      return toCompletion(response.status, await readText(response), waitAskedBy(response));
    } catch (error) {
      if (error instanceof UselessServer) throw error;
      return { again: reasonOf(error), waitMs: undefined };
    }
  }

  // Ctrl-C ends a wait as well.
  async #wait(ms: number): Promise<void> {
    await sleep(Math.min(ms, waitMsMax), undefined, { signal: this.#signal }).catch(() => {});
  }
}

function toCompletion(status: number, text: string | undefined, waitMs: number | undefined): Try {
  const shown = (text ?? "").slice(0, shownLengthMax);
  if (status === 408 || status === 429 || status >= 500)
    return { again: `status ${status}: ${shown}`, waitMs };
  if (status !== 200)
    throw new UselessServer(`Cannot use the server as it must answer with 200: got ${status}: ${shown}`);
  if (text === undefined) return { ok: false, kind: "no text", message: `more than ${bodyBytesMax} bytes` };
  const content = contentIn(text);
  return content === undefined
    ? { ok: false, kind: "no text", message: `no completion in: ${shown}` }
    : { ok: true, text: content };
}

function contentIn(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as { choices?: { message?: { content?: unknown } }[] } | null;
    const content = body?.choices?.[0]?.message?.content;
    return typeof content === "string" ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where it is too long. */
async function readText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function waitAskedBy(response: Response): number | undefined {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

function reasonOf(error: unknown): string {
  const { name, cause, message } = error as Error;
  if (name === "TimeoutError") return "it took too long";
  return cause instanceof Error
    ? `${message}: ${(cause as { code?: string }).code ?? cause.message}`
    : message;
}
