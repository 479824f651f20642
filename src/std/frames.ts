// Whole messages over a byte stream: four bytes of length, then JSON. JSON is as fast as any binary codec here
// (values travel as text anyway), has no types that construct anything, and needs no library. There are two other kinds of
// frames, told by their first byte, with which no JSON begins. Long texts can follow their message as they are: quoting them once
// more would cost both ends several times as much as copying them. And a few numbers with one text: what is sent most often
// needs no names.
import { StringDecoder } from "node:string_decoder";

const headerBytes = 4;
/** The first byte of a frame in which texts follow. Then the lengths: how many texts, the JSON, each text. */
const textsMark = 0;
/** The first byte of a frame of numbers. Then how many there are, the numbers, and the text. */
const numbersMark = 1;
const wordBytes = 4;
const numberBytes = 8;
/** How many texts a frame may have, and how many numbers. */
export const textsMax = 1_024;
const noBytes: Buffer = Buffer.alloc(0);
/** Shorter pieces of a text are put together before they are decoded: each would become a string of its own. */
const pieceBytesMin = 16_384;

/** The message of a frame of numbers. */
export class Numbers {
  readonly values: readonly number[];

  constructor(values: readonly number[]) {
    this.values = values;
  }
}

/** Called with a message and the texts that follow it; numbers have one. */
export type Deliver = (message: unknown, texts: readonly string[]) => void;

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

/** Numbers and a text, which must be well-formed. */
export function toNumbersFrame(values: readonly number[], text: string): Buffer {
  const length = 1 + wordBytes + numberBytes * values.length + Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerBytes + length);
  let at = frame.writeUInt32LE(length, 0);
  at = frame.writeUInt8(numbersMark, at);
  at = frame.writeUInt32LE(values.length, at);
  for (const value of values) at = frame.writeDoubleLE(value, at);
  if (text !== "") frame.write(text, at);
  return frame;
}

/** The peer sent something that is not a message. Nothing of the stream can be trusted after it. */
export class FrameError extends Error {}

/**
 * Collects chunks into messages. A frame longer than the cap, or one that is not of a known kind, throws `FrameError`. Nothing of
 * a chunk is kept: its owner may use it again.
 */
export class FrameReader {
  /** The longest frame that is read; it may change between frames. */
  frameBytesMax: number;
  /** What has come of a header that came in parts. */
  #header = noBytes;
  /** The frame that began in an earlier chunk. */
  #begun: BegunFrame | undefined;
  #isBroken = false;

  constructor(frameBytesMax: number) {
    this.frameBytesMax = frameBytesMax;
  }

  /** Adds a chunk and calls `deliver` with each message that it completes. Once it has thrown, it always does. */
  push(chunk: Buffer, deliver: Deliver): void {
    if (this.#isBroken) throw new FrameError("what follows is no message");
    this.#isBroken = true;
    this.#read(chunk, deliver);
    this.#isBroken = false;
  }

  #read(chunk: Buffer, deliver: Deliver): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#begun === undefined) {
        const length = this.#lengthAt(chunk, at);
        if (length === undefined) return this.#keepHeader(chunk.subarray(at));
        const start = at + headerBytes - this.#header.length;
        const end = start + length;
        this.#header = noBytes;
        if (end > chunk.length) this.#begun = new BegunFrame(length);
        else deliverWhole(chunk.subarray(start, end), deliver);
        at = this.#begun === undefined ? end : start;
      } else {
        const end = Math.min(chunk.length, at + this.#begun.missingBytes);
        this.#begun.add(chunk.subarray(at, end));
        at = end;
        if (this.#begun.missingBytes > 0) return;
        const whole = this.#begun;
        this.#begun = undefined;
        whole.deliver(deliver);
      }
    }
  }

  // The length that the next header says; undefined where it is not whole.
  #lengthAt(chunk: Buffer, at: number): number | undefined {
    const missing = headerBytes - this.#header.length;
    if (chunk.length - at < missing) return undefined;
    const header =
      missing === headerBytes ? chunk : Buffer.concat([this.#header, chunk.subarray(at, at + missing)]);
    const length = header.readUInt32LE(header === chunk ? at : 0);
    if (length <= this.frameBytesMax) return length;
    throw new FrameError(`a frame of ${length} bytes is over the cap of ${this.frameBytesMax}`);
  }

  #keepHeader(bytes: Buffer): void {
    this.#header = Buffer.concat([this.#header, bytes]);
  }
}

/** What stands before the texts of a frame. */
interface Head {
  readonly bytes: number;
  /** How many bytes each text has; without numbers, the first is JSON. */
  readonly lengths: readonly number[];
  readonly numbers: Numbers | undefined;
}

/**
 * A frame of which a part has come. Its texts are decoded as they come, so that the end of a long one is no long work: joining and
 * decoding four megabytes takes several milliseconds.
 */
class BegunFrame {
  missingBytes: number;
  readonly #length: number;
  /** What has come while its head is not whole. */
  #start: Buffer = noBytes;
  #head: Head | undefined;
  readonly #texts: string[] = [];
  /** The text that is coming: what there is of it, and how many bytes are not there. */
  #text = "";
  #textBytes = 0;
  readonly #decoder = new StringDecoder("utf8");
  /** Short pieces that are not decoded yet. */
  #pieces: Buffer | undefined;
  #gatheredBytes = 0;

  constructor(length: number) {
    this.#length = length;
    this.missingBytes = length;
  }

  /** Adds bytes of this frame alone. */
  add(bytes: Buffer): void {
    this.missingBytes -= bytes.length;
    if (this.#head !== undefined) return this.#gather(this.#head, bytes);
    this.#start = Buffer.concat([this.#start, bytes]);
    const head = headOf(this.#start, this.#length);
    if (head === undefined) return;
    this.#head = head;
    this.#textBytes = head.lengths[0] ?? 0;
    this.#decode(head, this.#start.subarray(head.bytes));
    this.#start = noBytes;
  }

  /** To be called once nothing is missing. */
  deliver(deliver: Deliver): void {
    if (this.#head === undefined) throw new FrameError("a frame does not hold its lengths");
    deliverTexts(this.#head, this.#texts, deliver);
  }

  #gather(head: Head, bytes: Buffer): void {
    const gathered = this.#gatheredBytes + bytes.length;
    if (gathered < pieceBytesMin && this.missingBytes > 0) {
      this.#pieces ??= Buffer.allocUnsafe(pieceBytesMin);
      this.#gatheredBytes += bytes.copy(this.#pieces, this.#gatheredBytes);
      return;
    }
    if (this.#pieces !== undefined) this.#decode(head, this.#pieces.subarray(0, this.#gatheredBytes));
    this.#gatheredBytes = 0;
    this.#decode(head, bytes);
  }

  #decode({ lengths }: Head, bytes: Buffer): void {
    let at = 0;
    while (this.#texts.length < lengths.length) {
      const end = Math.min(bytes.length, at + this.#textBytes);
      this.#text += this.#decoder.write(bytes.subarray(at, end));
      this.#textBytes -= end - at;
      at = end;
      if (this.#textBytes > 0) return;
      this.#texts.push(this.#text + this.#decoder.end());
      this.#text = "";
      this.#textBytes = lengths[this.#texts.length] ?? 0;
    }
  }
}

function deliverWhole(frame: Buffer, deliver: Deliver): void {
  if (frame[0] !== textsMark && frame[0] !== numbersMark)
    return deliver(parseMessage(frame.toString("utf8")), none);
  const head = headOf(frame, frame.length);
  if (head === undefined) throw new FrameError("a frame does not hold its lengths");
  const texts: string[] = [];
  let at = head.bytes;
  for (const length of head.lengths) {
    texts.push(length === 0 ? "" : frame.toString("utf8", at, at + length));
    at += length;
  }
  deliverTexts(head, texts, deliver);
}

function deliverTexts({ numbers }: Head, texts: readonly string[], deliver: Deliver): void {
  if (numbers === undefined)
    deliver(parseMessage(texts[0] ?? ""), texts.length === 1 ? none : texts.slice(1));
  else deliver(numbers, texts);
}

// The head of a frame of this length that begins with these bytes; undefined where it is not whole.
function headOf(bytes: Buffer, length: number): Head | undefined {
  const [mark] = bytes;
  if (mark === undefined) return undefined;
  if (mark !== textsMark && mark !== numbersMark) return { bytes: 0, lengths: [length], numbers: undefined };
  if (bytes.length < 1 + wordBytes) return undefined;
  const count = bytes.readUInt32LE(1);
  const headBytes = 1 + wordBytes + (mark === textsMark ? wordBytes * (1 + count) : numberBytes * count);
  if (count > textsMax || headBytes > length) throw new FrameError("a frame does not hold its lengths");
  if (bytes.length < headBytes) return undefined;
  if (mark === numbersMark) {
    const numbers = new Numbers(wordsOf(bytes, headBytes, numberBytes));
    return { bytes: headBytes, lengths: [length - headBytes], numbers };
  }
  const lengths = wordsOf(bytes, headBytes, wordBytes);
  if (lengths.reduce((sum, each) => sum + each, headBytes) !== length)
    throw new FrameError("a frame is not as long as its parts");
  return { bytes: headBytes, lengths, numbers: undefined };
}

function wordsOf(bytes: Buffer, end: number, width: number): number[] {
  const words: number[] = [];
  for (let at = 1 + wordBytes; at < end; at += width)
    words.push(width === numberBytes ? bytes.readDoubleLE(at) : bytes.readUInt32LE(at));
  return words;
}

const none: readonly string[] = [];

function parseMessage(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FrameError("a frame does not hold JSON", { cause });
  }
}
