// Whole messages come out of a byte stream however it is cut, and what is no message ends it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  FrameError,
  FrameReader,
  Numbers,
  toFrame,
  toFrameWithTexts,
  toNumbersFrame,
} from "../../../src/std/frames.ts";
import { stopwatch } from "../../support/machine.ts";

const messages: readonly unknown[] = [
  { t: "run", text: "größe 😀 \ud800" },
  [],
  "",
  0,
  null,
  { deep: [{ list: [1, 2, 3] }] },
  "x".repeat(300),
];
const stream = Buffer.concat(messages.map(toFrame));

function readAll(chunks: readonly Buffer[], frameBytesMax = 1_000): unknown[] {
  const reader = new FrameReader(frameBytesMax);
  const read: unknown[] = [];
  for (const chunk of chunks) reader.push(chunk, (message) => read.push(message));
  return read;
}

/** Each message with its texts; `used` gets each chunk when it was read. */
function readTexts(chunks: readonly Buffer[], used: (chunk: Buffer) => unknown = () => {}): unknown[] {
  const reader = new FrameReader(20_000);
  const read: unknown[] = [];
  for (const chunk of chunks) {
    reader.push(chunk, (message, texts) => read.push([message, texts]));
    used(chunk);
  }
  return read;
}

function inPieces(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

test("FrameReader delivers every message of one chunk, in order", () => {
  assert.deepEqual(readAll([stream]), messages);
});

test("FrameReader delivers the same messages wherever the stream is cut in two", () => {
  for (let at = 0; at <= stream.length; at++)
    assert.deepEqual(readAll([stream.subarray(0, at), stream.subarray(at)]), messages, `cut at ${at}`);
});

test("FrameReader delivers the same messages when the stream comes in pieces of any size", () => {
  for (const size of [1, 2, 3, 4, 5, 7, 64, 301]) assert.deepEqual(readAll(inPieces(stream, size)), messages);
});

test("FrameReader delivers a message as soon as its last byte is there and not before", () => {
  const reader = new FrameReader(1_000);
  const frame = toFrame({ a: 1 });
  let count = 0;
  for (let at = 0; at < frame.length; at++) {
    assert.equal(count, 0);
    reader.push(frame.subarray(at, at + 1), () => count++);
  }
  assert.equal(count, 1);
});

test("FrameReader takes a frame of exactly its cap and refuses one that is a byte longer", () => {
  const frame = toFrame("x".repeat(98));
  assert.deepEqual(readAll([frame], 100), ["x".repeat(98)]);
  assert.throws(() => readAll([frame], 99), FrameError);
});

test("FrameReader refuses a frame by its announced length, before the bytes come", () => {
  const header = Buffer.alloc(4);
  header.writeUInt32LE(0xffff_ffff);
  assert.throws(() => readAll([header], 1_000), FrameError);
  assert.throws(() => readAll(inPieces(header, 1), 1_000), FrameError);
  assert.throws(() => readAll([Buffer.concat([toFrame(1), header])], 1_000), FrameError);
});

test("FrameReader refuses a frame that does not hold JSON", () => {
  for (const text of ["", "{", "undefined", "{a:1}", "nope"]) {
    const body = Buffer.from(text);
    const header = Buffer.alloc(4);
    header.writeUInt32LE(body.length);
    assert.throws(() => readAll([Buffer.concat([header, body])]), FrameError, text);
  }
});

test("FrameReader delivers what came before a bad frame", () => {
  const read: unknown[] = [];
  const bad = Buffer.from([1, 0, 0, 0, 0x7b]);
  assert.throws(
    () =>
      new FrameReader(100).push(Buffer.concat([toFrame(1), toFrame(2), bad]), (message) =>
        read.push(message),
      ),
    FrameError,
  );
  assert.deepEqual(read, [1, 2]);
});

test("FrameReader keeps what it has of a message when its owner uses the buffer again, wherever it is cut", () => {
  const frames = [
    toFrame({ text: "first" }),
    toFrameWithTexts(1, ["ab", "c"]),
    toNumbersFrame([1, 2], "text"),
  ];
  for (const frame of frames) {
    const expected = readTexts([frame]);
    for (let at = 1; at < frame.length; at++) {
      const chunks = [Buffer.from(frame.subarray(0, at)), Buffer.from(frame.subarray(at))];
      assert.deepEqual(
        readTexts(chunks, (chunk) => chunk.fill(0)),
        expected,
        `cut at ${at}`,
      );
    }
  }
});

test("FrameReader reads nothing after what was no message", () => {
  const reader = new FrameReader(1_000);
  const bad = Buffer.from([1, 0, 0, 0, 0x7b]);
  assert.throws(() => reader.push(bad, () => {}), FrameError);
  assert.throws(() => reader.push(toFrame(1), () => assert.fail("it was read")), FrameError);
});

test("FrameReader holds little more than the bytes of a long frame that comes byte by byte", () => {
  const reader = new FrameReader(5_000_000);
  const frame = toFrame("x".repeat(2_000_000));
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < frame.length - 1; at++) reader.push(frame.subarray(at, at + 1), () => {});
  gc();
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 8_000_000, `${grown} bytes for ${frame.length}`);
});

test("FrameReader reads a long frame that comes in many small pieces in a moment", () => {
  const took = stopwatch();
  const frame = toFrame("x".repeat(4_000_000));
  assert.equal((readAll(inPieces(frame, 1_024), 5_000_000)[0] as string).length, 4_000_000);
  took.assertWithin(5_000, "it took too long");
});

suite("texts that follow a message", () => {
  const texts = ["x".repeat(200), "", "größe 😀", "\u0000\n"];
  const frame = toFrameWithTexts({ a: 1 }, texts);
  const read = (chunks: readonly Buffer[]): unknown[] => {
    const reader = new FrameReader(1_000);
    const all: unknown[] = [];
    for (const chunk of chunks) reader.push(chunk, (message, own) => all.push([message, own]));
    return all;
  };

  test("arrive with it, wherever the stream is cut, and the next message has none of them", () => {
    const bytes = Buffer.concat([frame, toFrame(2), frame]);
    const expected = [
      [{ a: 1 }, texts],
      [2, []],
      [{ a: 1 }, texts],
    ];
    for (const size of [1, 7, 64, bytes.length]) assert.deepEqual(read(inPieces(bytes, size)), expected);
  });

  test("end the stream where the lengths are not those of the frame, whichever byte of them is another", () => {
    for (let at = 4; at < 4 + 1 + 4 * 6; at++) {
      const changed = Buffer.from(frame);
      changed.writeUInt8(changed.readUInt8(at) ^ 0x41, at);
      assert.throws(() => read([changed]), FrameError, `byte ${at}`);
    }
    for (const length of [1, 4, 5, 8]) {
      const short = Buffer.alloc(4 + length);
      short.writeUInt32LE(length, 0);
      assert.throws(() => read([short]), FrameError, `${length} bytes`);
    }
  });
});

suite("numbers with a text", () => {
  const values = [0, -0, 1.5, 2 ** 53, -1e300, NaN, Infinity];
  const read = (chunks: readonly Buffer[]): unknown[] => {
    const reader = new FrameReader(1_000);
    const all: unknown[] = [];
    for (const chunk of chunks) reader.push(chunk, (message, texts) => all.push([message, texts]));
    return all;
  };

  test("arrive exactly as they were sent, wherever the stream is cut, beside frames of other kinds", () => {
    const parts = [
      toNumbersFrame(values, "größe 😀"),
      toFrame([1]),
      toNumbersFrame([], ""),
      toFrameWithTexts(1, ["a"]),
    ];
    const bytes = Buffer.concat(parts);
    const expected = [
      [new Numbers(values), ["größe 😀"]],
      [[1], []],
      [new Numbers([]), [""]],
      [1, ["a"]],
    ];
    for (const size of [1, 3, 64, bytes.length])
      assert.deepEqual(read(inPieces(bytes, size)), expected, `${size}`);
  });

  test("end the stream where there are more than the frame can hold, or more than a thousand", () => {
    for (const count of [2, 1_025, 0xffff_ffff]) {
      const frame = toNumbersFrame([1], "abc");
      frame.writeUInt32LE(count, 5);
      for (const size of [1, frame.length])
        assert.throws(() => read(inPieces(frame, size)), FrameError, `${count}`);
    }
    const most = toNumbersFrame(Array<number>(1_024).fill(1), "");
    assert.equal(readTexts([most]).length, 1);
    assert.throws(() => readTexts([toNumbersFrame(Array<number>(1_025).fill(1), "")]), FrameError);
    for (const length of [1, 4]) {
      const short = Buffer.alloc(4 + length, 1);
      short.writeUInt32LE(length, 0);
      for (const size of [1, short.length])
        assert.throws(() => read(inPieces(short, size)), FrameError, `${length} bytes`);
    }
  });
});

test("FrameReader decodes a letter that is cut in two, and what is no letter as one that is unknown", () => {
  const frame = toFrameWithTexts("ä", ["€", "😀"]);
  for (let at = 1; at < frame.length; at++)
    assert.deepEqual(readAll([frame.subarray(0, at), frame.subarray(at)]), ["ä"], `cut at ${at}`);
  const broken = toFrameWithTexts("a", ["bc", "d"]);
  broken[broken.length - 2] = 0xe2;
  const texts: (readonly string[])[] = [];
  const reader = new FrameReader(1_000);
  for (const piece of inPieces(broken, 1)) reader.push(piece, (_message, own) => texts.push(own));
  assert.deepEqual(texts, [["b\ufffd", "d"]]);
});
