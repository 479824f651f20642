// What a process keeps of those who asked it, and what a pid tells.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { ProcessHost } from "../../../../src/guest/otp/core.ts";
import type { Proc, Request } from "../../../../src/guest/otp/proc.ts";
import * as process from "../../../../src/guest/otp/process.ts";
import { connectReasons } from "../../../../src/guest/otp/reasons.ts";
import { procOfPid } from "../../../../src/guest/otp/pids.ts";

const host = { now: () => 0, report: () => {}, encode: () => "" } as unknown as ProcessHost;

before(() => {
  connectReasons(host);
  const limits = { processes: 10, messageQueue: 10, loadMs: 1, isCheckpointed: false, resultBytes: 1 };
  process.connect({ host, limits, ready: () => {} });
});

/** A question to a process, and the answers that its asker got. */
function askOf(proc: Proc): { readonly request: Request; readonly answers: unknown[] } {
  const answers: unknown[] = [];
  const settle = (answer: unknown): void => void answers.push(answer);
  const request: Request = { asker: undefined, isOpen: true, holder: undefined, settle };
  process.deliver(proc, { kind: "call", content: { message: 1, request } });
  return { request, answers };
}

test("a process keeps nothing of a question that was answered, and fails those that are open when it ends", () => {
  const proc = process.newProc(undefined);
  process.begin(proc);
  const [first, second] = [askOf(proc), askOf(proc)];
  process.answer(first.request, 7);
  assert.deepEqual([...(proc.requests ?? [])], [second.request]);
  process.end(proc, "killed");
  process.answer(second.request, 8);
  assert.deepEqual([first.answers, second.answers], [[{ value: 7 }], [{ failure: "killed" }]]);
  assert.equal(proc.requests?.size, 0);
});

test("a pid leads to its process for the runtime alone, and nothing like it does", () => {
  const { pid, ...rest } = process.newProc(undefined);
  assert.equal(procOfPid(pid)?.id, rest.id);
  assert.deepEqual(
    [Reflect.ownKeys(pid), Object.getPrototypeOf(pid), Object.isFrozen(pid)],
    [[], null, true],
  );
  for (const fake of [{}, Object.freeze(Object.create(null)) as object, new Proxy(pid, {}), { ...pid }])
    assert.equal(procOfPid(fake), undefined);
});
