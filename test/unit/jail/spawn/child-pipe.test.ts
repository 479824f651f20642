// What a child writes is read whole, and one that writes much leaves turns to the others.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import { suite, test } from "node:test";
import { openPipe, readPipe } from "../../../../src/jail/spawn/child-pipe.ts";
import { openKernel } from "../../../../src/std/kernel.ts";

const chunk = Buffer.alloc(65_536, "x");
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

suite("a pipe that others opened", () => {
  test("is read on only in a later turn after four full reads in a row", async () => {
    const pipe = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
    let read = 0;
    readPipe(pipe, (bytes) => (read += bytes.length));
    for (let n = 0; n < 10; n++) pipe.push(chunk);
    await new Promise<void>((resolve) => process.nextTick(resolve));
    assert.equal(read, 4 * chunk.length);
    while (read < 10 * chunk.length) await turn();
    assert.equal(read, 10 * chunk.length);
    pipe.destroy();
  });

  test("is read on at once while reads are short, however many there are", async () => {
    const pipe = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
    let read = 0;
    readPipe(pipe, (bytes) => (read += bytes.length));
    for (let n = 0; n < 20; n++) pipe.push(chunk.subarray(1));
    await new Promise<void>((resolve) => process.nextTick(resolve));
    assert.equal(read, 20 * (chunk.length - 1));
    pipe.destroy();
  });
});

suite("a pipe of our own", () => {
  test("brings all that was written, in order, and no more than four full reads in one turn; then its end", async (t) => {
    const pair = Buffer.alloc(8);
    const kernel = openKernel();
    if (kernel === undefined) return t.skip("it needs system calls, which Node 26 and later can make");
    assert.equal(kernel.call("socketpair", 1, 1 | 0o4000, 0, pair), 0);
    const writer = new Socket({ fd: pair.readInt32LE(0), readable: true, writable: true });
    const sent = Buffer.from(Array.from({ length: 3_000_000 }, (_, n) => n % 251));
    const parts: Buffer[] = [];
    let inTurn = 0;
    let inTurnMax = 0;
    const pipe = openPipe(pair.readInt32LE(4), (bytes) => {
      parts.push(Buffer.from(bytes));
      if (bytes.length < chunk.length) return;
      inTurnMax = Math.max(inTurnMax, ++inTurn);
      setImmediate(() => (inTurn = 0));
    });
    const ended = once(pipe, "end");
    writer.end(sent);
    await ended;
    assert.ok(Buffer.concat(parts).equals(sent));
    assert.ok(inTurnMax > 0 && inTurnMax <= 4, `${inTurnMax} full reads in one turn`);
    pipe.destroy();
    writer.destroy();
  });
});
