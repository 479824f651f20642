// The messages that wait for a process.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Mailbox } from "../../../../src/guest/otp/mailbox.ts";
import type { Envelope } from "../../../../src/guest/otp/proc.ts";

const envelope = (content: unknown): Envelope => ({ kind: "info", content });

function mailboxOf(...contents: readonly unknown[]): Mailbox<Envelope> {
  const mailbox = new Mailbox<Envelope>();
  for (const content of contents) mailbox.push(envelope(content));
  return mailbox;
}

function contentsIn(mailbox: Mailbox<Envelope>): unknown[] {
  const contents: unknown[] = [];
  mailbox.each(({ content }) => contents.push(content));
  return contents;
}

test("Mailbox gives messages of every kind in the order in which they came", () => {
  const mailbox = mailboxOf("a");
  mailbox.push({ kind: "cast", content: undefined });
  assert.equal(mailbox.nextKind, "info");
  assert.deepEqual(mailbox.shift(), { kind: "info", content: "a" });
  assert.equal(mailbox.nextKind, "cast");
  assert.deepEqual(mailbox.shift(), { kind: "cast", content: undefined });
  assert.deepEqual([mailbox.nextKind, mailbox.shift(), mailbox.size], [undefined, undefined, 0]);
});

test("Mailbox does as a list does, whatever comes and goes, and counts it", () => {
  const act = fc.oneof(
    { weight: 3, arbitrary: fc.record({ push: fc.integer({ min: 1, max: 40 }) }) },
    fc.record({ shift: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ takeAt: fc.nat(50) }),
    fc.constant({ empty: true }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const mailbox = new Mailbox<Envelope>();
      const model: number[] = [];
      let pushed = 0;
      let sizeMax = 0;
      for (const each of acts) {
        if ("push" in each)
          for (let i = 0; i < each.push; i++) {
            model.push(++pushed);
            mailbox.push(envelope(pushed));
          }
        else if ("takeAt" in each) {
          const wanted = model[each.takeAt];
          const taken = mailbox.take(({ content }) => content === wanted);
          assert.equal(taken?.content, wanted);
          if (wanted !== undefined) model.splice(each.takeAt, 1);
        } else {
          const count = "shift" in each ? each.shift : model.length;
          for (let i = 0; i < count; i++) assert.equal(mailbox.shift()?.content, model.shift());
        }
        sizeMax = Math.max(sizeMax, model.length);
        assert.deepEqual(contentsIn(mailbox), model);
        assert.deepEqual([mailbox.size, mailbox.sizeMax, mailbox.pushes], [model.length, sizeMax, pushed]);
      }
    }),
  );
});

test("Mailbox gives as many as there were after many waited, and again after few did", () => {
  const mailbox = new Mailbox<Envelope>();
  for (const count of [5_000, 3, 5_000, 5_000, 1, 1, 300]) {
    for (let i = 0; i < count; i++) mailbox.push(envelope(i));
    for (let i = 0; i < count; i++) assert.equal(mailbox.shift()?.content, i);
    assert.equal(mailbox.shift(), undefined);
  }
});

test("Mailbox.take goes on with the others where one was taken out while a message was looked at", () => {
  const mailbox = mailboxOf("a", "b", "c");
  const taken = mailbox.take(({ content }) => {
    if (content === "a") mailbox.take((other) => other.content === "a");
    return content === "c";
  });
  assert.equal(taken?.content, "c");
  mailbox.push(envelope("d"));
  assert.deepEqual(contentsIn(mailbox), ["b", "d"]);
});

test("Mailbox.take gives a message once, where it was taken out while it was looked at", () => {
  const mailbox = mailboxOf("a", "b");
  const inside: unknown[] = [];
  const taken = mailbox.take(() => {
    if (inside.length === 0) inside.push(mailbox.shift()?.content);
    return true;
  });
  assert.deepEqual([inside, taken?.content, mailbox.size], [["a"], "b", 0]);
});

test("Mailbox goes through no setter or getter that a guest defines for indexes", () => {
  const seen: unknown[] = [];
  const accessor = { configurable: true, get: () => "got", set: (value: unknown) => void seen.push(value) };
  const { prototype } = Array;
  for (let index = 0; index < 40; index++) Object.defineProperty(prototype, index, accessor);
  let taken: unknown;
  try {
    const mailbox = new Mailbox<Envelope>();
    for (let i = 0; i < 9; i++) mailbox.push(envelope(i));
    taken = mailbox.take(({ content }) => content === 7)?.content;
    for (let i = 0; i < 8; i++) mailbox.shift();
  } finally {
    for (let index = 0; index < 40; index++) Reflect.deleteProperty(prototype, index);
  }
  assert.equal(taken, 7);
  assert.deepEqual(seen, []);
});
