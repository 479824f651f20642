// Requests that wait for the writer are answered in order, and bounded in bytes and in time.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { storeMs } from "../../../../src/store/ordered.ts";
import { WaitingRequests } from "../../../../src/store/folder/waiting-requests.ts";
import { FakeClock } from "../../../../src/testing/index.ts";

function waiting(): {
  readonly clock: FakeClock;
  readonly requests: WaitingRequests;
  readonly log: string[];
  readonly add: (what: string, bytes?: number) => void;
} {
  const clock = new FakeClock();
  const log: string[] = [];
  const requests = new WaitingRequests(clock, (hasAny) => log.push(hasAny ? "some" : "none"));
  const add = (what: string, bytes = 1): void =>
    requests.add({
      what,
      bytes,
      onAnswer: (refusal) => log.push(`answered ${what} ${refusal?.message ?? "well"}`),
      resolve: (value) => log.push(`resolve ${what} ${String(value)}`),
      reject: ({ message }) => log.push(`reject ${what} ${message}`),
    });
  return { clock, requests, log, add };
}

const late = (what: string): string =>
  `reject ${what} ${what}() must be done within ${storeMs} ms: it was not`;
const well = { failures: [], values: [] };

suite("waiting requests", () => {
  test("settle in order, each with its own value or failure", () => {
    const { requests, log, add } = waiting();
    for (const what of ["a", "b", "c"]) add(what);
    const failure = { index: 1, code: "STORE_FAILED", message: "no", isDisk: true } as const;
    requests.answer({ count: 2, failures: [failure], values: [[0, 7]] });
    requests.answer({ count: 1, ...well });
    assert.deepEqual(log, [
      "some",
      "answered a well",
      "resolve a 7",
      "answered b no",
      "reject b no",
      "answered c well",
      "resolve c undefined",
      "none",
    ]);
  });

  test("are given up after their time with one timer for all, and late answers still reach who must know", () => {
    const { clock, requests, log, add } = waiting();
    add("a");
    clock.advance(storeMs / 2);
    add("b");
    assert.equal(clock.pending, 1);
    clock.advance(storeMs / 2);
    assert.deepEqual(log, ["some", late("a")]);
    requests.answer({ count: 1, ...well });
    assert.deepEqual(log.slice(2), ["answered a well", "resolve a undefined"]);
    clock.advance(storeMs / 2);
    assert.deepEqual(log.slice(4), [late("b"), "none"]);
    assert.equal(clock.pending, 0);
    requests.answer({ count: 1, ...well });
    add("c");
    requests.answer({ count: 1, ...well });
    assert.deepEqual(log.slice(6), [
      "answered b well",
      "resolve b undefined",
      "some",
      "answered c well",
      "resolve c undefined",
      "none",
    ]);
    assert.equal(clock.pending, 0);
  });

  test("have a bound in bytes, also those that were given up but not answered", () => {
    const { clock, requests, add } = waiting();
    add("a", 200 * 2 ** 20);
    clock.advance(storeMs);
    assert.equal(requests.refusal("save", 56 * 2 ** 20), undefined);
    assert.equal(
      requests.refusal("save", 57 * 2 ** 20)?.message,
      "Cannot save as at most 268435456 bytes may wait for the disk: 209715200 wait, and this has 59768832",
    );
    requests.answer({ count: 1, ...well });
    assert.equal(requests.refusal("save", 57 * 2 ** 20), undefined);
  });
});
