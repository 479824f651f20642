// The stored console lines of one sandbox, as bytes: as objects, lines of one letter would take several times `logBytes`.
import { logLevels, type LogLine } from "../../model/runs/log-line.ts";

/** What a line counts beside its text; at least what is stored with it. */
const lineOverheadBytes = 16;

// A line is stored as: its level and the coding of its text, when it was written, how long its text is, its text.
const timeOffset = 1;
const lengthOffset = 9;
const headerBytes = 13;
/** The text has half of a surrogate pair, which UTF-8 cannot represent. */
const wideFlag = 0x80;

const blockBytesMin = 256;
const blockBytesMax = 16_384;
/** A block is made for so large a part of what is stored, so that few lines do not take much. */
const blockShare = 4;

interface Block {
  readonly bytes: Buffer;
  /** Where its oldest line begins, and where the next one would. */
  start: number;
  end: number;
  lines: number;
}

/** The newest lines within a number of bytes. At the bound the oldest are dropped. */
export class LogStore {
  readonly #blocks: Block[] = [];
  #weightMax: number;
  #weight = 0;
  #allocatedBytes = 0;

  /** Each line counts the bytes of its text and 16 more. */
  constructor(weightMax: number) {
    this.#weightMax = weightMax;
  }

  /** How many bytes the stored lines count. */
  get weight(): number {
    return this.#weight;
  }

  /** How many bytes are taken for them. */
  get allocatedBytes(): number {
    return this.#allocatedBytes;
  }

  push(line: LogLine): void {
    const textBytes = Buffer.byteLength(line.text);
    const weight = textBytes + lineOverheadBytes;
    // It would drop all others and then itself.
    if (weight > this.#weightMax) return this.#clear();
    this.#trim(this.#weightMax - weight);
    this.#weight += weight;
    this.#write(line, textBytes);
  }

  /** Changes the bound; what no longer fits is dropped at once. */
  resize(weightMax: number): void {
    this.#weightMax = weightMax;
    this.#trim(weightMax);
  }

  /** The lines, oldest first. */
  toArray(): LogLine[] {
    return this.#blocks.flatMap(linesOf);
  }

  /** The last lines, at most so many, oldest first. Reads only the blocks that they are in. */
  last(count: number): LogLine[] {
    let first = this.#blocks.length;
    for (let lines = 0; first > 0 && lines < count; first--) lines += this.#blocks[first - 1]?.lines ?? 0;
    const lines = this.#blocks.slice(first).flatMap(linesOf);
    return lines.slice(Math.max(0, lines.length - count));
  }

  #write({ level, text, at }: LogLine, textBytes: number): void {
    const isWide = !text.isWellFormed();
    const length = isWide ? text.length * 2 : textBytes;
    const block = this.#roomFor(headerBytes + length);
    const { bytes, end } = block;
    bytes[end] = logLevels.indexOf(level) | (isWide ? wideFlag : 0);
    bytes.writeDoubleLE(at, end + timeOffset);
    bytes.writeUInt32LE(length, end + lengthOffset);
    bytes.write(text, end + headerBytes, isWide ? "utf16le" : "utf8");
    block.end = end + headerBytes + length;
    block.lines++;
  }

  #roomFor(length: number): Block {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.bytes.length - last.end >= length) return last;
    const usual = Math.min(blockBytesMax, Math.max(blockBytesMin, this.#weight / blockShare));
    const bytes = Buffer.allocUnsafeSlow(Math.max(length, Math.ceil(usual)));
    const block = { bytes, start: 0, end: 0, lines: 0 };
    this.#blocks.push(block);
    this.#allocatedBytes += bytes.length;
    return block;
  }

  #trim(weightMax: number): void {
    while (this.#weight > weightMax) {
      const [block] = this.#blocks;
      if (block === undefined) return;
      this.#weight -= weightAt(block);
      block.start = endOf(block.bytes, block.start);
      if (--block.lines === 0) this.#dropFirst();
    }
  }

  #dropFirst(): void {
    const block = this.#blocks.shift();
    this.#allocatedBytes -= block?.bytes.length ?? 0;
  }

  #clear(): void {
    this.#blocks.length = 0;
    this.#weight = 0;
    this.#allocatedBytes = 0;
  }
}

function linesOf({ bytes, start, end }: Block): LogLine[] {
  const lines: LogLine[] = [];
  for (let at = start; at < end; at = endOf(bytes, at)) lines.push(lineAt(bytes, at));
  return lines;
}

function lineAt(bytes: Buffer, start: number): LogLine {
  const first = bytes[start] ?? 0;
  const coding = (first & wideFlag) === 0 ? "utf8" : "utf16le";
  return {
    level: logLevels[first & ~wideFlag] ?? "log",
    text: bytes.toString(coding, start + headerBytes, endOf(bytes, start)),
    at: bytes.readDoubleLE(start + timeOffset),
  };
}

function endOf(bytes: Buffer, start: number): number {
  return start + headerBytes + bytes.readUInt32LE(start + lengthOffset);
}

// What the oldest line of a block counts.
function weightAt({ bytes, start }: Block): number {
  const isWide = ((bytes[start] ?? 0) & wideFlag) !== 0;
  const textBytes = isWide
    ? Buffer.byteLength(lineAt(bytes, start).text)
    : bytes.readUInt32LE(start + lengthOffset);
  return textBytes + lineOverheadBytes;
}
