// Events and aborts of guests: as Node has them; listeners that throw, timeouts of sandboxes that are gone, virtual time.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { testAlike } from "../../support/alike.ts";
import { assertFailed, valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const traced = (body: string): string => `(() => { const seen = []; ${body}; return seen; })()`;
const tracedLater = (body: string): string => `(async () => { const seen = []; ${body}; return seen; })()`;

testAlike(runtime, "events work", [
  "((e) => [e.type, e.bubbles, e.cancelable, e.composed, e.defaultPrevented, e.target, e.currentTarget, e.eventPhase, e.isTrusted, e.returnValue, e.cancelBubble, e.composedPath(), typeof e.timeStamp])(new Event('x'))",
  "((e) => [e.bubbles, e.cancelable, e.composed])(new Event('x', { bubbles: 1, cancelable: 'y', composed: {} }))",
  "new Event()",
  "new Event('x', 5)",
  "new Event('x', null).type",
  "[Event.NONE, Event.AT_TARGET, Object.prototype.toString.call(new Event('x')), Object.prototype.toString.call(new EventTarget())]",
  "[new CustomEvent('x', { detail: { a: 1 } }).detail, new CustomEvent('x').detail, new CustomEvent('x') instanceof Event, String(new CustomEvent('y'))]",
  traced(
    "const t = new EventTarget(); t.addEventListener('x', (e) => seen.push(e.target === t, e.currentTarget === t, e.eventPhase, e.composedPath().length)); const e = new Event('x'); seen.push(t.dispatchEvent(e), e.currentTarget, e.eventPhase)",
  ),
  traced(
    "const t = new EventTarget(); const f = () => seen.push('f'); t.addEventListener('x', f); t.addEventListener('x', f); t.addEventListener('x', f, true); t.dispatchEvent(new Event('x')); t.removeEventListener('x', f); t.dispatchEvent(new Event('x')); t.removeEventListener('x', f, { capture: true }); t.dispatchEvent(new Event('x'))",
  ),
  traced(
    "const t = new EventTarget(); t.addEventListener('x', { handleEvent(e) { seen.push(this === undefined, e.type); } }, { once: true }); t.dispatchEvent(new Event('x')); t.dispatchEvent(new Event('x'))",
  ),
  traced(
    "const t = new EventTarget(); t.addEventListener('x', function () { seen.push(this === t) }); t.dispatchEvent(new Event('x'))",
  ),
  traced(
    "const t = new EventTarget(); t.addEventListener('x', (e) => { seen.push(1); e.stopImmediatePropagation(); }); t.addEventListener('x', () => seen.push(2)); t.dispatchEvent(new Event('x'))",
  ),
  traced(
    "const t = new EventTarget(); t.addEventListener('x', (e) => e.preventDefault()); seen.push(t.dispatchEvent(new Event('x')), t.dispatchEvent(new Event('x', { cancelable: true })))",
  ),
  traced(
    "const t = new EventTarget(); t.addEventListener('x', (e) => e.preventDefault(), { passive: true }); seen.push(t.dispatchEvent(new Event('x', { cancelable: true })))",
  ),
  traced(
    "const t = new EventTarget(); const late = () => seen.push('late'); t.addEventListener('x', () => { seen.push('first'); t.addEventListener('x', late); }); t.dispatchEvent(new Event('x')); t.dispatchEvent(new Event('x'))",
  ),
  traced(
    "const t = new EventTarget(); const b = () => seen.push('b'); t.addEventListener('x', () => t.removeEventListener('x', b)); t.addEventListener('x', b); t.dispatchEvent(new Event('x'))",
  ),
  traced(
    "const t = new EventTarget(); const c = new AbortController(); t.addEventListener('x', () => seen.push('x'), { signal: c.signal }); t.dispatchEvent(new Event('x')); c.abort(); t.dispatchEvent(new Event('x')); t.addEventListener('x', () => seen.push('no'), { signal: c.signal }); t.dispatchEvent(new Event('x'))",
  ),
  "new EventTarget().addEventListener('x')",
  "new EventTarget().addEventListener('x', null)",
  "new EventTarget().addEventListener('x', () => {}, { signal: 5 })",
  "new EventTarget().dispatchEvent({ type: 'x' })",
  "EventTarget.prototype.dispatchEvent.call({}, new Event('x'))",
  traced(
    "class Own extends EventTarget { name = 'own' }; const t = new Own(); t.addEventListener('x', (e) => seen.push(e.target.name)); t.dispatchEvent(new Event('x'))",
  ),
]);

testAlike(runtime, "aborts work", [
  "[new AbortController().signal.aborted, new AbortController().signal.reason, String(new AbortController()), String(new AbortController().signal)]",
  "((c) => { c.abort(); return [c.signal.aborted, c.signal.reason]; })(new AbortController())",
  "((c) => { c.abort('why'); c.abort('again'); return c.signal.reason; })(new AbortController())",
  "[AbortSignal.abort().reason, AbortSignal.abort(5).reason, AbortSignal.abort(null).reason]",
  "AbortSignal.abort(new RangeError('r')).throwIfAborted()",
  "AbortSignal.abort().throwIfAborted()",
  "new AbortController().signal.throwIfAborted()",
  "new AbortSignal()",
  "AbortController()",
  traced(
    "const c = new AbortController(); c.signal.onabort = (e) => seen.push('on', e.type, e.isTrusted, e.target === c.signal); c.signal.addEventListener('abort', () => seen.push('listener')); c.abort(); c.abort()",
  ),
  traced(
    "const c = new AbortController(); c.signal.onabort = () => seen.push('never'); c.signal.onabort = null; c.abort(); seen.push(c.signal.onabort)",
  ),
  traced(
    "const a = new AbortController(); const b = new AbortController(); const any = AbortSignal.any([a.signal, b.signal]); any.addEventListener('abort', () => seen.push(any.reason)); b.abort('b'); a.abort('a'); seen.push(any.aborted, any.reason)",
  ),
  traced(
    "const a = new AbortController(); const b = new AbortController(); const any = AbortSignal.any([a.signal, b.signal]); b.abort('b'); a.abort('a'); seen.push(any.aborted, any.reason)",
  ),
  traced(
    "const a = new AbortController(); const any = AbortSignal.any([AbortSignal.any([a.signal]), AbortSignal.abort('at once')]); seen.push(any.reason)",
  ),
  traced(
    "const a = new AbortController(); const any = AbortSignal.any([AbortSignal.any([a.signal])]); any.onabort = () => seen.push('told'); a.abort('deep'); seen.push(any.reason)",
  ),
  traced(
    "const a = new AbortController(); const any = AbortSignal.any([a.signal]); a.signal.addEventListener('abort', () => seen.push('source', any.aborted)); any.addEventListener('abort', () => seen.push('any')); a.abort()",
  ),
  "AbortSignal.any([]).aborted",
  "AbortSignal.any(5)",
  "AbortSignal.any([5])",
  tracedLater(
    "const s = AbortSignal.timeout(5); await new Promise((resolve) => s.addEventListener('abort', resolve)); seen.push(s.aborted, s.reason)",
  ),
  "AbortSignal.timeout(-1)",
  "AbortSignal.timeout()",
]);

suite("an event listener", () => {
  test("that throws is told on the console, and the others are called", async () => {
    const source = `export const go = () => {
      const target = new EventTarget(), seen = [];
      target.addEventListener("x", () => { throw new RangeError("mine"); });
      target.addEventListener("x", {});
      target.addEventListener("x", () => seen.push("called"));
      return [target.dispatchEvent(new Event("x")), seen];
    };`;
    await using sandbox = await createMain(runtime, source);
    const outcome = await sandbox.call("main.go");
    assert.deepEqual(valueOf(outcome), [true, ["called"]]);
    assert.match(
      outcome.logs[0]?.text ?? "",
      /^Uncaught in an event listener: RangeError: mine\n\s+at .*\(main:3/,
    );
    assert.match(outcome.logs[1]?.text ?? "", /^Uncaught in an event listener: TypeError/);
    assert.equal(outcome.logs[0]?.level, "error");
  });

  test("cannot be dispatched within itself, nor without end", async () => {
    const source = `const target = new EventTarget();
      export const nested = () => {
        const event = new Event("x"); let name;
        target.addEventListener("x", () => { try { target.dispatchEvent(event); } catch (error) { name = error.name; } }, { once: true });
        target.dispatchEvent(event);
        return name;
      };
      export const endless = () => {
        target.addEventListener("y", () => target.dispatchEvent(new Event("y")));
        for (;;) target.dispatchEvent(new Event("y"));
      };`;
    await using sandbox = await createMain(runtime, source);
    assert.equal(valueOf(await sandbox.call("main.nested")), "InvalidStateError");
    const { error } = (await sandbox.call("main.endless", { timeoutMs: 500 })) as { error: { kind: string } };
    assert.ok(["timeout", "crashed"].includes(error.kind), error.kind);
  });
});

suite("AbortSignal.timeout", () => {
  test("of a sandbox that is destroyed meanwhile is gone with it", async () => {
    const sandbox = await createMain(
      runtime,
      `AbortSignal.timeout(1).onabort = () => console.log("too late"); AbortSignal.timeout(2 ** 40); export const f = () => 1;`,
    );
    await sandbox.destroy();
    await using next = await createMain(runtime, "export const f = () => 1;");
    assert.equal(valueOf(await next.call("main.f")), 1);
    assert.deepEqual(await next.logs(), []);
  });

  test("takes no real time where time is virtual, and goes alike in each run and in a replay", async () => {
    const source = `export const wait = async () => {
      const signal = AbortSignal.any([AbortSignal.timeout(3_600_000), AbortSignal.timeout(7_200_000)]);
      await new Promise((resolve) => { signal.onabort = resolve; });
      return [Date.now(), signal.reason.name, performance.now(), new Event("x").timeStamp];
    };`;
    await using sandbox = await runtime.create({
      modules: { main: source },
      deterministic: { seed: 1, now: 1_000 },
    });
    const outcome = await sandbox.call("main.wait", { record: true });
    assert.deepEqual(valueOf(outcome), [3_601_000, "TimeoutError", 3_600_000, 3_600_000]);
    assert.equal((await sandbox.replay(outcome.recording)).difference, null);
  });

  test("counts as a timer: no more than 10,000 wait", async () => {
    const source =
      "export const many = () => { for (let i = 0; i < 10_001; i++) AbortSignal.timeout(1e6); };";
    await using sandbox = await createMain(runtime, source);
    const outcome = await sandbox.call("main.many");
    assertFailed(outcome, "crashed");
    assert.match(outcome.error.message, /at most 10000 may wait/);
  });
});

test("a signal that lives long does not keep the signals that were made of it", async () => {
  const source = `const shutdown = new AbortController();
    export const serve = (n) => { for (let i = 0; i < n; i++) if (AbortSignal.any([shutdown.signal, new AbortController().signal]).aborted) throw 1; };`;
  await using sandbox = await createMain(runtime, source, { memoryBytes: 16 * 2 ** 20 });
  for (let calls = 0; calls < 20; calls++) valueOf(await sandbox.call("main.serve", { args: [5_000] }));
});
