// Whole messages over a byte stream: four bytes of length, then JSON. JSON is as fast as any binary codec here
// (values travel as text anyway), has no types that construct anything, and needs no library. Long texts can follow their
// message as they are: quoting them once more would cost both ends several times as much as copying them.

const headerBytes = 4;
/** The first byte of a frame in which texts follow: no JSON begins with it. Then the lengths: how many texts, the JSON, each text. */
const textsMark = 0;
const wordBytes = 4;
const textsMax = 1_024;

/** The bytes of one message, ready for a single write. */
export function toFrame(message: unknown): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame.writeUInt32LE(length, 0);
  frame.write(text, headerBytes);
  return frame;
}

/** The same with texts that follow the message. They must be well-formed. */
export function toFrameWithTexts(message: unknown, texts: readonly string[]): Buffer {
  const pieces = [JSON.stringify(message), ...texts];
  const lengths = pieces.map((piece) => Buffer.byteLength(piece));
  const lengthsBytes = 1 + wordBytes * (1 + pieces.length);
  const length = lengths.reduce((sum, each) => sum + each, lengthsBytes);
  const frame = Buffer.allocUnsafe(headerBytes + length);
  let at = frame.writeUInt32LE(length, 0);
  at = frame.writeUInt8(textsMark, at);
  at = frame.writeUInt32LE(texts.length, at);
  for (const each of lengths) at = frame.writeUInt32LE(each, at);
  for (const piece of pieces) at += frame.write(piece, at);
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

  /** Adds a chunk and calls `deliver` with each message that it completes, and the texts that follow it. */
  push(chunk: Buffer, deliver: (message: unknown, texts: readonly string[]) => void): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < headerBytes) return;
    let whole = this.#joinIfComplete();
    if (whole === undefined) return;
    let at = 0;
    while (whole.length - at >= headerBytes) {
      const end = at + headerBytes + this.#checkedLength(whole.readUInt32LE(at));
      if (end > whole.length) break;
      if (whole[at + headerBytes] === textsMark)
        deliverWithTexts(whole.subarray(at + headerBytes, end), deliver);
      else deliver(parseMessage(whole, at + headerBytes, end), none);
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

const none: readonly string[] = [];

function deliverWithTexts(
  frame: Buffer,
  deliver: (message: unknown, texts: readonly string[]) => void,
): void {
  const count = frame.length < 1 + wordBytes ? textsMax + 1 : frame.readUInt32LE(1);
  const lengthsEnd = 1 + wordBytes * (2 + count);
  if (count > textsMax || lengthsEnd > frame.length)
    throw new FrameError("a frame does not hold its lengths");
  const pieces: Buffer[] = [];
  let at = lengthsEnd;
  for (let word = 1 + wordBytes; word < lengthsEnd; word += wordBytes) {
    const end = at + frame.readUInt32LE(word);
    pieces.push(frame.subarray(at, end));
    at = end;
  }
  if (at !== frame.length) throw new FrameError("a frame is not as long as its parts");
  const [message = frame, ...texts] = pieces;
  deliver(
    parseMessage(message, 0, message.length),
    texts.map((bytes) => bytes.toString("utf8")),
  );
}

function parseMessage(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString("utf8", start, end));
  } catch (cause) {
    throw new FrameError("a frame does not hold JSON", { cause });
  }
}
