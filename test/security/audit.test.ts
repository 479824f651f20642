// The audit log: who was denied what, when and by which rule, after the sandbox is gone, and within its bounds.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { AnyEvent, AuditEntry } from "../../src/index.ts";
import { Audit, type AuditNote } from "../../src/security/audit.ts";
import { errorOf, mistakeOf } from "../support/errors.ts";
import { failureOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const bad = 'export const a = 1;\nimport "node:fs";';
const odd = "export const f = () => process.env;";

suite("in a runtime", async () => {
  const runtime = await startRuntime({ audit: { entriesMax: 50, memoryBytesMax: 64 * 2 ** 10 } });

  test("it answers who was denied what, when and by which rule, after the sandbox is gone", async () => {
    const from = Date.now();
    await errorOf(() => runtime.create("culprit", { modules: { main: bad } }), "SECURITY_REJECTED");
    await runtime.destroy("culprit");
    await using _other = await runtime.create("other", { modules: { main: odd } });
    const to = Date.now();
    assert.equal(await runtime.has("culprit"), false);
    const [entry, ...more] = await runtime.audit.query({ sandboxId: "culprit" });
    assert.deepEqual(more, []);
    const { at, lastAt, places, ...rest } = entry as AuditEntry;
    assert.deepEqual(rest, {
      sandboxId: "culprit",
      profile: "medium",
      kind: "rejected",
      rule: "import-builtin",
      what: "node:fs",
      module: "main",
      line: 2,
      column: 8,
      count: 1,
    });
    assert.deepEqual(places, [{ what: "node:fs", module: "main", line: 2, column: 8 }]);
    assert.ok(from <= at && at === lastAt && at <= to, `${from} ${at} ${to}`);
    for (const [filter, ids] of [
      [{ kind: "rejected" }, ["culprit"]],
      [{ kind: ["rejected", "warned"] }, ["culprit", "other"]],
      [{ rule: "host-global" }, ["other"]],
      [{ since: to + 1_000 }, []],
      [{ until: from - 1_000 }, []],
      [{ since: from, until: to, limit: 1 }, ["other"]],
      [{ sandboxId: "culprit", kind: "warned" }, []],
    ] as const) {
      const found = await runtime.audit.query(filter);
      assert.deepEqual(
        found.map(({ sandboxId }) => sandboxId),
        ids,
        JSON.stringify(filter),
      );
    }
  });

  test("every entry is an event", async () => {
    const events: AnyEvent[] = [];
    const stop = runtime.events.onAny(
      (event) => void (event.name.startsWith("security.") && events.push(event)),
    );
    await errorOf(() => runtime.create("e", { modules: { main: bad } }), "SECURITY_REJECTED");
    await runtime.destroy("e");
    await using _warned = await runtime.create("w", { modules: { main: odd } });
    await using _high = await runtime.create("h", {
      modules: { main: "export const f = 1;" },
      profile: "high",
    });
    stop();
    assert.deepEqual(
      events.map(({ name, event }) => [name, (event as { sandboxId: string }).sandboxId]),
      [
        ["security.rejected", "e"],
        ["security.warned", "w"],
        ["security.admitted", "h"],
      ],
    );
    const [rejected] = events;
    assert.deepEqual(rejected?.event, {
      sandboxId: "e",
      profile: "medium",
      rule: "import-builtin",
      what: "node:fs",
      module: "main",
      line: 2,
      column: 8,
      count: 1,
    });
  });

  test("a flood from one sandbox is one entry with a count, and leaves others' entries alone", async () => {
    await errorOf(() => runtime.create("witness", { modules: { main: bad } }), "SECURITY_REJECTED");
    await using sandbox = await runtime.create("flood", { modules: { main: "export const f = 1;" } });
    const attempts = 300;
    for (let i = 0; i < attempts; i++) {
      // Each names another module, so that no cache and no text makes them one.
      const reload = sandbox.hotReload({ main: `import "node:x${i}"; export const f = ${i};` });
      await errorOf(() => reload, "SECURITY_REJECTED");
    }
    const entries = await runtime.audit.query({ sandboxId: "flood" });
    assert.equal(entries.length, 1);
    assert.deepEqual(
      [entries[0]?.count, entries[0]?.what, entries[0]?.places.length],
      [attempts, "node:x0", 8],
    );
    assert.equal((await runtime.audit.query({ sandboxId: "witness" })).length, 1);
    await runtime.destroy("witness");
  });

  test("a flood from many sandboxes stays within entries and bytes, and what was dropped is counted", async () => {
    const before = (await runtime.metrics()).audit;
    for (let i = 0; i < 120; i++) assert.equal(failureOf(await runtime.once(bad)).kind, "rejected");
    const { audit } = await runtime.metrics();
    assert.ok(audit.entries <= 50 && audit.bytes <= 64 * 2 ** 10, JSON.stringify(audit));
    assert.equal(audit.dropped - before.dropped, before.entries + 120 - audit.entries);
    assert.equal((await runtime.audit.query()).length, audit.entries);
  });

  test("a filter of the wrong form is a mistake", async () => {
    for (const filter of [
      { kind: "all" },
      { since: -1 },
      { until: "now" },
      { limit: 0 },
      { rule: 5 },
      { who: "a" },
      5,
    ])
      await mistakeOf(() => runtime.audit.query(filter as object), "INVALID_OPTIONS");
    await mistakeOf(() => runtime.audit.query({ sandboxId: "a b" }), "INVALID_ID");
  });
});

suite("by itself", () => {
  const note = (sandboxId: string, rest: Partial<AuditNote> = {}): AuditNote => ({
    sandboxId,
    profile: "medium",
    kind: "denied",
    rule: "r",
    what: "w",
    module: null,
    line: null,
    column: null,
    ...rest,
  });
  function auditWith(
    entries: number,
    bytes: number,
  ): { audit: Audit; clock: { now: number }; counts: number[] } {
    const clock = { now: 1_000 };
    const counts: number[] = [];
    return {
      clock,
      counts,
      audit: new Audit(
        { entriesMax: entries, memoryBytesMax: bytes },
        () => clock.now,
        (_, count) => counts.push(count),
      ),
    };
  }

  test("what happens again within a minute is the same entry; later it is another", () => {
    const { audit, clock, counts } = auditWith(10, 1e6);
    for (const atMs of [1_000, 61_000, 121_001]) {
      clock.now = atMs;
      audit.record("violations", note("a"));
    }
    assert.deepEqual(
      audit.query({}).map(({ at, lastAt, count }) => [at, lastAt, count]),
      [
        [1_000, 61_000, 2],
        [121_001, 121_001, 1],
      ],
    );
    assert.deepEqual(counts, [1, 2, 1]);
  });

  test("another sandbox, kind or rule is another entry", () => {
    const { audit } = auditWith(10, 1e6);
    for (const rest of [{}, { kind: "rejected" }, { rule: "s" }] as const)
      audit.record("everything", note("a", rest));
    audit.record("everything", note("b"));
    assert.equal(audit.query({}).length, 4);
  });

  test("the newest entries stay when there are too many, or they are too large", () => {
    const few = auditWith(3, 1e6).audit;
    for (const id of ["a", "b", "c", "d", "e"]) few.record("violations", note(id));
    assert.deepEqual(
      few.query({}).map(({ sandboxId }) => sandboxId),
      ["c", "d", "e"],
    );
    assert.equal(few.statistics().dropped, 2);
    const small = auditWith(1_000, 4_096).audit;
    for (let i = 0; i < 1_000; i++) small.record("violations", note(`s${i}`, { what: "x".repeat(10_000) }));
    const { entries, bytes, dropped } = small.statistics();
    assert.ok(
      bytes <= 4_096 && entries >= 1 && entries + dropped === 1_000,
      JSON.stringify({ entries, bytes }),
    );
    assert.ok(small.query({}).every(({ what }) => what.length <= 256));
  });

  test("an entry that was dropped and happens again begins anew", () => {
    const { audit } = auditWith(1, 1e6);
    for (const id of ["a", "b", "a"]) audit.record("violations", note(id));
    assert.deepEqual(
      audit.query({}).map(({ sandboxId, count }) => [sandboxId, count]),
      [["a", 1]],
    );
  });

  for (const [level, kinds] of [
    ["violations", ["rejected", "warned", "denied"]],
    ["calls", ["rejected", "warned", "denied", "called"]],
    ["everything", ["rejected", "warned", "admitted", "denied", "called"]],
  ] as const) {
    test(`the level ${level} takes ${kinds.join(", ")}`, () => {
      const { audit } = auditWith(10, 1e6);
      for (const kind of ["rejected", "warned", "admitted", "denied", "called"] as const)
        audit.record(level, note("a", { kind }));
      assert.deepEqual(
        audit.query({}).map(({ kind }) => kind),
        kinds,
      );
    });
  }

  test("what a query gives can be changed without changing the log", () => {
    const { audit } = auditWith(10, 1e6);
    audit.record("violations", note("a"));
    const [entry] = audit.query({}) as unknown as [{ count: number; places: unknown[] }];
    entry.count = 99;
    entry.places.length = 0;
    assert.deepEqual(
      audit.query({}).map(({ count, places }) => [count, places.length]),
      [[1, 1]],
    );
  });
});
