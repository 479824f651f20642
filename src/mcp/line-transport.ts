// The protocol over two streams, a message a line. A line that is too long or no message is answered and skipped, so that the
// connection outlives it.
import {
  parseJSONRPCMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import type { Readable, Writable } from "node:stream";

export interface LineStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** How long one line may be. */
  readonly lineBytesMax: number;
}

const newline = 10;
const parseError = -32_700;
const invalidRequest = -32_600;

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the connection is over. */
  readonly closed: Promise<void>;
  readonly #closed = Promise.withResolvers<void>();
  readonly #streams: LineStreams;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** The rest of a line that is too long is on its way. */
  #isSkipping = false;
  #isClosed = false;

  constructor(streams: LineStreams) {
    this.#streams = streams;
    this.closed = this.#closed.promise;
  }

  async start(): Promise<void> {
    const { input, output } = this.#streams;
    input.on("data", this.#read);
    for (const end of ["end", "close", "error"]) input.on(end, this.#end);
    output.on("error", this.#end);
    if (input.readableEnded || input.destroyed) this.#end();
  }

  /** Resolves when the stream has room again. */
  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.#end();
  }

  readonly #read = (chunk: Buffer): void => {
    for (let start = 0; start < chunk.length && !this.#isClosed;) {
      const found = chunk.indexOf(newline, start);
      const end = found < 0 ? chunk.length : found;
      this.#take(chunk.subarray(start, end));
      if (found >= 0) this.#endLine();
      start = end + 1;
    }
  };

  #take(part: Buffer): void {
    if (this.#isSkipping || part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes <= this.#streams.lineBytesMax) {
      this.#parts.push(part);
      return;
    }
    this.#isSkipping = true;
    this.#parts = [];
    this.#refuse(
      invalidRequest,
      `Cannot read a message as it must be at most ${this.#streams.lineBytesMax} bytes long: it is longer`,
    );
  }

  #endLine(): void {
    const text = Buffer.concat(this.#parts).toString("utf8").trim();
    const isWhole = !this.#isSkipping;
    this.#parts = [];
    this.#bytes = 0;
    this.#isSkipping = false;
    if (isWhole && text !== "") this.#deliver(text);
  }

  #deliver(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#refuse(parseError, "Cannot read a message as each line must be JSON: it is not");
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      // An answer is never answered: two sides that refuse each other's refusals would not end.
      if (!isAnswer(value))
        this.#refuse(invalidRequest, "Cannot read a message as it must be one of JSON-RPC 2.0: it is not");
      return;
    }
    this.onmessage?.(message);
  }

  #refuse(code: number, message: string): void {
    const text = `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } })}\n`;
    this.#write(text).catch((error: unknown) =>
      this.onerror?.(error instanceof Error ? error : new TypeError(String(error))),
    );
  }

  #write(text: string): Promise<void> {
    const { output } = this.#streams;
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      // An error of the stream closes the connection, and there is nobody left to be told.
      output.write(text, () => resolve());
    });
  }

  readonly #end = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { input, output } = this.#streams;
    input.off("data", this.#read);
    for (const end of ["end", "close", "error"]) input.off(end, this.#end);
    output.off("error", this.#end);
    // What it still says of itself has no reader.
    for (const stream of [input, output]) stream.on("error", () => {});
    input.pause();
    this.#parts = [];
    this.#closed.resolve();
    this.onclose?.();
  };
}

function isAnswer(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("error" in value || "result" in value);
}
