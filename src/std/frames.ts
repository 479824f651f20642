// Whole messages over a byte stream: four bytes of length, then JSON. JSON is as fast as any binary codec here
// (values travel as text anyway), has no types that construct anything, and needs no library.

const headerBytes = 4;

/** The bytes of one message, ready for a single write. */
export function toFrame(message: unknown): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame.writeUInt32LE(length, 0);
  frame.write(text, headerBytes);
  return frame;
}

/** The peer sent something that is not a message. Nothing of the stream can be trusted after it. */
export class FrameError extends Error {}

/** Collects chunks into messages. A frame longer than the cap, or one that is not JSON, throws `FrameError`. */
export class FrameReader {
  /** The longest frame that is read; it may change between frames. */
  frameBytesMax: number;
  #chunks: Buffer[] = [];
  #buffered = 0;

  constructor(frameBytesMax: number) {
    this.frameBytesMax = frameBytesMax;
  }

  /** Adds a chunk and calls `deliver` with each message that it completes. */
  push(chunk: Buffer, deliver: (message: unknown) => void): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < headerBytes) return;
    let whole = this.#joinIfComplete();
    if (whole === undefined) return;
    let at = 0;
    while (whole.length - at >= headerBytes) {
      const end = at + headerBytes + this.#checkedLength(whole.readUInt32LE(at));
      if (end > whole.length) break;
      deliver(parseMessage(whole, at + headerBytes, end));
      at = end;
    }
    whole = whole.subarray(at);
    this.#chunks = whole.length > 0 ? [whole] : [];
    this.#buffered = whole.length;
  }

  /** Copies what is left of the last chunk, for a reader whose buffer is used again. */
  own(): void {
    const last = this.#chunks.at(-1);
    if (last !== undefined) this.#chunks[this.#chunks.length - 1] = Buffer.from(last);
  }

  // Joins the chunks only when the first frame is complete, so that a long frame is copied once.
  #joinIfComplete(): Buffer | undefined {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= headerBytes) {
      if (this.#buffered < headerBytes + this.#checkedLength(first.readUInt32LE(0))) return undefined;
      if (this.#chunks.length === 1) return first;
    }
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #checkedLength(length: number): number {
    if (length <= this.frameBytesMax) return length;
    throw new FrameError(`a frame of ${length} bytes is over the cap of ${this.frameBytesMax}`);
  }
}

function parseMessage(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString("utf8", start, end));
  } catch (cause) {
    throw new FrameError("a frame does not hold JSON", { cause });
  }
}
