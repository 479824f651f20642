// What callers give up, or bound, as in every runtime: it ends where it runs.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { CancelledError } from "../../../src/index.ts";
import { errorOf } from "../../support/errors.ts";
import { failureOf, valueOf } from "../../support/outcomes.ts";
import { until } from "../../support/waiting.ts";
import type { Tried } from "./subject.ts";

const source = `
export const f = () => 1;
export const spin = () => { for (;;); };
export const wait = () => new Promise((go) => setTimeout(go, 60_000));`;

export function describeCancellation(tried: Tried): void {
  suite("cancellation", () => {
    for (const target of ["main.spin", "main.wait"] as const)
      test(`an aborted call of ${target} is a cancelled outcome, and has ended where it ran`, async () => {
        const { runtime, host } = tried;
        await using sandbox = await runtime.create({ modules: { main: source } });
        const ended: string[] = [];
        const off = host.events.on("sandbox.run.stop", ({ sandboxId, result }) => {
          if (sandboxId === sandbox.id) ended.push(result);
        });
        const abort = new AbortController();
        const call = sandbox.call(target, { signal: abort.signal, timeoutMs: 10_000 });
        await until("it runs", async () => (await host.metrics()).runsUnderway > 0);
        abort.abort(new Error("enough"));
        const failure = failureOf(await call);
        assert.deepEqual([failure.kind, failure.reason], ["cancelled", "signal"]);
        assert.equal(failure.message, "Cannot finish the run as its signal was aborted");
        await until("it has ended", () => ended.includes("cancelled"));
        assert.equal((await host.metrics()).runsUnderway, 0);
        assert.equal(valueOf(await sandbox.call("main.f")), 1);
        off();
      });

    test("a signal that is aborted before gives cancelled outcomes at once", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const signal = AbortSignal.abort();
      for (const outcome of [
        await sandbox.call("main.f", { signal }),
        await sandbox.run("1", { signal }),
        await sandbox.run(() => 1, { signal }),
        await tried.runtime.once("1", { signal }),
      ])
        assert.equal(failureOf(outcome).reason, "signal");
    });

    test("other operations reject with CANCELLED, whose cause is the reason of the signal", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const reason = new Error("no more");
      const signal = AbortSignal.abort(reason);
      for (const act of [
        () => sandbox.restart({ signal }),
        () => sandbox.export({ signal }),
        () => sandbox.usage({ signal }),
        () => tried.runtime.create({ modules: { main: source }, signal }),
        () => tried.runtime.collect({ signal }),
      ]) {
        const error = await errorOf(act, "CANCELLED");
        assert.ok(error instanceof CancelledError);
        assert.equal(error.cause, reason);
        assert.match(error.message, /^Cannot finish .+ as its signal was aborted$/);
      }
    });

    test("a creation that is given up leaves nothing", async () => {
      const abort = new AbortController();
      const id = `given-up-${tried.runtime === tried.host ? "here" : "there"}`;
      const creation = tried.runtime.create(id, {
        modules: { main: "await new Promise((go) => setTimeout(go, 60_000));" },
        signal: abort.signal,
      });
      const told = assert.rejects(creation, { code: "CANCELLED" });
      await until("it is being created", () => tried.host.has(id));
      abort.abort();
      await told;
      await until("it is gone", async () => !(await tried.host.has(id)));
    });

    test("deadlineMs bounds an operation, and the error names it", async () => {
      const creation = tried.runtime.create({
        modules: { main: "await new Promise((go) => setTimeout(go, 60_000));" },
        deadlineMs: 150,
      });
      const error = await errorOf(() => creation, "CANCELLED");
      assert.ok(error instanceof CancelledError);
      assert.equal(error.deadlineMs, 150);
      assert.match(error.message, /within 150 ms \(deadlineMs\): it was not$/);
    });

    test("the signal of a batch cancels what is not done, and what is done stays", async () => {
      await using good = await tried.runtime.create({ modules: { main: "export const f = () => 1;" } });
      await using bad = await tried.runtime.create({
        modules: { main: "export const f = () => { for (;;); };" },
      });
      const abort = new AbortController();
      const batch = tried.runtime.batch.call([good.id, bad.id], "main.f", { signal: abort.signal });
      for await (const result of batch) {
        if (result.ok) abort.abort();
      }
      const [first, second] = await batch;
      assert.equal(first?.ok, true);
      assert.ok(second !== undefined && !second.ok);
      assert.deepEqual([second.error.kind, second.error.reason, second.index], ["cancelled", "signal", 1]);
      assert.equal(second.error.message, "Cannot finish the run as the signal of its batch was aborted");
      await until("nothing runs", async () => (await tried.host.metrics()).runsUnderway === 0);
    });

    test("the deadline of a batch does as well", async () => {
      await using bad = await tried.runtime.create({
        modules: { main: "export const f = () => { for (;;); };" },
      });
      const [result] = await tried.runtime.batch.call([bad.id], "main.f", { deadlineMs: 100 });
      assert.ok(result !== undefined && !result.ok);
      assert.equal(result.error.message, "Cannot finish the run as its batch came to its deadline");
    });
  });
}
