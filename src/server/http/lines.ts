// Answers in lines: the next one is made when the last one was taken. A reader that takes nothing for too long is disconnected.
import type { Clock, Timer } from "../../std/clock.ts";
import { toProblem } from "./problems.ts";

/** Lines of an answer; they begin when they are read, and the signal ends what makes them. */
export class Lines<L> {
  readonly open: (signal: AbortSignal) => AsyncIterable<L>;
  constructor(open: (signal: AbortSignal) => AsyncIterable<L>) {
    this.open = open;
  }
}

/** Server-sent events as texts, with their ids and comments. */
export class EventLines {
  readonly open: (signal: AbortSignal) => AsyncIterable<string>;
  constructor(open: (signal: AbortSignal) => AsyncIterable<string>) {
    this.open = open;
  }
}

export type LineForm = "ndjson" | "sse";

export const contentTypeOf: Readonly<Record<LineForm, string>> = {
  ndjson: "application/x-ndjson",
  sse: "text/event-stream",
};

/** Which lines a caller accepts; undefined for one that wants a document where there is one. */
export function acceptedLines(accept: string | null): LineForm | undefined {
  const types = (accept ?? "").split(",").map((one) => one.split(";", 1)[0]?.trim().toLowerCase());
  const found = types.find((type) => type === "text/event-stream" || type?.endsWith("/x-ndjson") === true);
  if (found !== undefined) return found === "text/event-stream" ? "sse" : "ndjson";
  return types.includes("application/ndjson") ? "ndjson" : undefined;
}

/** The texts of lines. What goes wrong is the last of them. */
export async function* textsOf<L>(lines: AsyncIterable<L>, form: LineForm): AsyncGenerator<string, void> {
  const textOf = (line: unknown): string =>
    form === "sse" ? `data: ${JSON.stringify(line)}\n\n` : `${JSON.stringify(line)}\n`;
  try {
    for await (const line of lines) yield textOf(line);
  } catch (error) {
    yield textOf({ type: "error", error: toProblem(error) });
  }
}

export interface Flow {
  readonly clock: Clock;
  readonly stallMs: number;
  readonly signal: AbortSignal;
  /** The reader is gone. */
  readonly abort: () => void;
  /** Called once, when nothing more is sent. */
  readonly onEnd: (isWhole: boolean) => void;
}

const stalled = "The reader took nothing for too long";
/** How long what makes the texts may take to end, once it shall. */
const endMs = 2_000;

/** A body that takes the next text when its reader wants it. */
export function flowing(texts: AsyncIterator<string>, flow: Flow): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let timer: Timer | undefined;
  let isOver = false;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const end = (isWhole: boolean): void => {
    if (isOver) return;
    isOver = true;
    timer?.cancel();
    flow.signal.removeEventListener("abort", onAbort);
    // What makes the texts lets go of what it holds, now or when it comes to its next text.
    if (!isWhole) void texts.return?.().catch(() => {});
    flow.onEnd(isWhole);
  };
  const breakOff = (why: string): void => {
    if (isOver) return;
    controller.error(new DOMException(why, "AbortError"));
    flow.abort();
    end(false);
  };
  const after = (ms: number, why: string): void => {
    timer?.cancel();
    timer = flow.clock.after(ms, () => breakOff(why));
  };
  const onAbort = (): void => after(endMs, "The answer was ended");
  flow.signal.addEventListener("abort", onAbort, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
        if (flow.signal.aborted) onAbort();
        else after(flow.stallMs, stalled);
      },
      pull: async () => {
        if (!flow.signal.aborted) timer?.cancel();
        const next = await texts.next().catch(() => undefined);
        if (isOver) return;
        if (next === undefined) return breakOff("The answer broke off");
        if (next.done === true) {
          controller.close();
          return end(true);
        }
        controller.enqueue(encoder.encode(next.value));
        if (!flow.signal.aborted) after(flow.stallMs, stalled);
      },
      cancel: () => {
        flow.abort();
        end(false);
      },
    },
    { highWaterMark: 0 },
  );
}
