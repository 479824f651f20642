// Whose turn it is, and what a turn that was cut leaves behind.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import type { ProcessHost } from "../../../../src/guest/otp/core.ts";
import type { Behaviour, Proc } from "../../../../src/guest/otp/proc.ts";
import * as process from "../../../../src/guest/otp/process.ts";
import { connectReasons } from "../../../../src/guest/otp/reasons.ts";
import * as scheduler from "../../../../src/guest/otp/scheduler.ts";

const messages = 40;
let wakes = 0;
let onNow = (): void => {};
let onFuel = (): void => {};
const host = {
  now: () => (onNow(), 0),
  isOutOfFuel: () => (onFuel(), false),
  wake: () => wakes++,
  report: () => {},
  encode: () => "",
} as unknown as ProcessHost;

before(() => {
  connectReasons(host);
  scheduler.connectScheduler(host);
  const limits = { processes: 10, messageQueue: 100, loadMs: 1, isCheckpointed: false, resultBytes: 1 };
  process.connect({ host, limits, ready: scheduler.enqueue });
});

beforeEach(() => {
  [wakes, onNow, onFuel] = [0, () => {}, () => {}];
  scheduler.clearLast();
});

/** A process that notes its name for each of its messages. */
function counting(name: string, handled: string[]): Proc {
  const proc = process.newProc(undefined);
  const take = (): void => {
    proc.mailbox.shift();
    handled.push(name);
  };
  const no = (): boolean => false;
  proc.behaviour = {
    kind: "server",
    take,
    isReady: () => true,
    isRestarting: no,
    ended: () => {},
  } as Behaviour;
  process.begin(proc);
  return proc;
}

function send(proc: Proc, times: number): void {
  for (let sent = 0; sent < times; sent++) process.deliver(proc, { kind: "cast", content: sent });
}

test("processes take one message each in turn, and one that is alone takes all of its own", () => {
  const handled: string[] = [];
  const [a, b] = [counting("a", handled), counting("b", handled)];
  send(a, 4);
  send(b, 2);
  assert.equal(scheduler.turn(), false);
  assert.equal(handled.join(""), "ababaa");
  assert.deepEqual([a.status, b.status], ["idle", "idle"]);
});

test("a process that gets a message while another one is alone has its turn next", () => {
  const handled: string[] = [];
  const [a, b] = [counting("a", handled), counting("b", handled)];
  send(a, 3);
  onFuel = () => {
    if (handled.length === 1) send(b, 1);
  };
  scheduler.turn();
  assert.equal(handled.join(""), "abaa");
});

for (const place of ["now", "fuel"] as const)
  test(`a process whose turn was cut between two of its steps (${place}) goes on where no process is to blame`, () => {
    const handled: string[] = [];
    const proc = counting("a", handled);
    send(proc, messages);
    let isCut = false;
    const cut = (): void => {
      if (isCut || handled.length === 0) return;
      isCut = true;
      scheduler.clearLast();
      throw new Error("cut");
    };
    if (place === "now") onNow = cut;
    else onFuel = cut;
    assert.throws(() => scheduler.turn(), /cut/);
    wakes = 0;
    assert.equal(scheduler.cutStep(true), undefined);
    assert.deepEqual([wakes, scheduler.hasWork(), handled.length < messages], [1, true, true]);
    assert.equal(scheduler.turn(), false);
    assert.deepEqual([handled.length, proc.status], [messages, "idle"]);
  });
