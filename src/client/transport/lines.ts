// What comes line by line: NDJSON and server-sent events, read as they are asked for.
import { VivariumError } from "../../model/errors.ts";

/** How long a line may be, in characters: a server that sends a longer one sends no line of ours. */
const lineLengthMax = 2 ** 28;

type Body = ReadableStream<Uint8Array> | null;

/** The lines of a text that comes in pieces. Whoever stops reading ends it. */
async function* linesOf(body: Body, onRead: () => void = () => {}): AsyncGenerator<string, void, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      onRead();
      // Only what is new is searched: a long line comes in many pieces.
      const [first = "", ...others] = decoder.decode(value, { stream: !done }).split("\n");
      const lines = [rest + first, ...others];
      rest = lines.pop() ?? "";
      if (rest.length > lineLengthMax) throw new VivariumError("CONNECTION_FAILED", tooLong);
      for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
      if (done) break;
    }
    if (rest !== "") yield rest;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const tooLong = `Cannot read the answer as its lines must be at most ${lineLengthMax} characters: one is longer`;

/** The members of an answer in NDJSON. */
export async function* membersOf<L>(body: Body): AsyncGenerator<L, void, void> {
  // What the operation answers is the server's promise, and the contract's.
  for await (const line of linesOf(body)) if (line.trim() !== "") yield JSON.parse(line) as L;
}

/** One event of a stream of server-sent events. */
export interface Frame {
  /** Its name; `message` where it has none. */
  readonly event: string;
  readonly data: string;
  /** Of it, or of the latest that had one. */
  readonly id: string;
}

/** The events of a stream; comments, which only keep it open, are left out. `onRead` is called whenever anything came. */
export async function* framesOf(body: Body, onRead?: () => void): AsyncGenerator<Frame, void, void> {
  let [event, id, data] = ["", "", [] as string[]];
  for await (const line of linesOf(body, onRead)) {
    if (line === "") {
      if (data.length > 0) yield { event: event === "" ? "message" : event, data: data.join("\n"), id };
      [event, data] = ["", []];
      continue;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (name === "id" && !value.includes("\0")) id = value;
  }
}
