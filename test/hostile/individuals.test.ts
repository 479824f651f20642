// Imported individuals: one that was changed, is too large, or malformed is refused, and a valid one is the same sandbox.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Individual, Sandbox } from "../../src/index.ts";
import { ask, codeStateOf, refusalOf, runtimeForTests } from "../support/reloading.ts";

const runtime = runtimeForTests({ versionsMax: 5 });

async function exported(): Promise<Individual> {
  await using sandbox = await runtime.current.create("individual", {
    modules: { main: "export const tag = () => 1;", part: "export const x = 1;" },
    limits: { fuel: 1_000, timeoutMs: 500, timeoutMsMax: 600 },
    deterministic: { seed: 7, now: 5 },
    ancestry: { parentIds: ["mother", "father"], generation: 4, mutation: { kind: "crossover" } },
    labels: { island: "north" },
  });
  await sandbox.hotReload({ main: "export const tag = () => 2;" }, { mutation: "point" });
  await sandbox.hotReload({ main: "export const tag = () => 3;", part: null });
  await sandbox.rollback("main", 2);
  return sandbox.export();
}

type Loose = { -readonly [K in keyof Individual]: unknown } & Record<string, unknown>;

// A forger of an individual can compute its checksum too.
function withChecksum(body: Record<string, unknown>): Individual {
  const canonical = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
    const fields = value as Record<string, unknown>;
    const names = Object.keys(fields).toSorted();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(fields[name])}`).join(",")}}`;
  };
  const { checksum: _, ...rest } = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
  const checksum = createHash("sha256").update(canonical(rest)).digest("hex");
  return { ...rest, checksum } as unknown as Individual;
}

const copyOf = (individual: Individual): Loose => JSON.parse(JSON.stringify(individual)) as Loose;
const refused = (value: unknown) =>
  refusalOf(runtime.current.import(value as Individual), "INVALID_INDIVIDUAL");

test("an individual travels as JSON and is the same sandbox elsewhere: code, versions, limits, character, ancestry", async () => {
  const individual = await exported();
  const travelled = JSON.parse(JSON.stringify(individual)) as Individual;
  await using sandbox = await runtime.current.import(travelled);
  const info = await sandbox.info();
  assert.deepEqual(
    [info.id, info.revision, info.labels, info.limits.fuel],
    ["individual", 4, { island: "north" }, 1_000],
  );
  assert.deepEqual(info.ancestry.parentIds, ["mother", "father"]);
  assert.deepEqual(
    (await sandbox.history("main")).map(({ version, mutation }) => [version, mutation]),
    [
      [1, { kind: "crossover" }],
      [2, "point"],
      [3, null],
    ],
  );
  assert.equal(await ask(sandbox, "main.tag"), 2);
  const { createdAt: _, checksum: __, ...first } = individual;
  const { createdAt: ___, checksum: ____, ...second } = await sandbox.export();
  assert.deepEqual(second, first);
  await sandbox.rollbackTo(1);
  assert.equal(await ask(sandbox, "part.tag").catch(() => "none"), "none");
  assert.equal(await ask(sandbox, "main.tag"), 1);
  await refusalOf(runtime.current.import(travelled), "SANDBOX_EXISTS");
  await using other = await runtime.current.import(travelled, { id: "other" });
  assert.equal(await ask(other, "main.tag"), 2);
});

test("an individual of which one byte was changed is refused, wherever it was changed", async () => {
  const individual = await exported();
  const paths: readonly ((body: Loose) => void)[] = [
    (body) => (body.id = "other"),
    (body) => (body.createdAt = 1),
    (body) => (body.labels = { island: "south" }),
    (body) => (body.limits = { ...(body.limits as object), fuel: 10 ** 9 }),
    (body) => (body.ancestry = { ...(body.ancestry as object), generation: 5 }),
    (body) => (body.deterministic = { seed: 8, now: 5 }),
    (body) => (body.revisions = (body.revisions as unknown[]).slice(1)),
    (body) =>
      ((
        (body.modules as Record<string, { mutation: unknown }[]>)["main"] as { mutation: unknown }[]
      )[0]!.mutation = "x"),
    (body) =>
      (((body.modules as Record<string, { source: string }[]>)["main"] as { source: string }[])[1]!.source +=
        " "),
    (body) => (body.checksum = "0".repeat(64)),
    (body) => (body["extra"] = 1),
    (body) => delete (body as Partial<Loose>).checksum,
  ];
  for (const change of paths) {
    const body = copyOf(individual);
    change(body);
    await refused(body);
  }
  assert.equal(await runtime.current.has("individual"), false);
});

test("an individual that is malformed under a right checksum is refused all the same", async () => {
  const whole = await exported();
  const [main] = [(whole.modules as Record<string, unknown[]>)["main"] as Record<string, unknown>[]];
  const forged: Record<string, unknown>[] = [
    { format: "vivarium.individual/1" },
    { modules: {} },
    { modules: { main: "text" } },
    { modules: { main: [] } },
    { modules: { main: [{ ...main[0], version: 0 }] } },
    { modules: { main: [{ ...main[0], version: 1.5 }] } },
    { modules: { main: [main[0], main[0], ...main.slice(1)] } },
    { modules: { main: main.toReversed() } },
    { modules: { main: main.map((entry) => ({ ...entry, parent: "x" })) } },
    { modules: { main: main.map((entry) => ({ ...entry, createdAt: "x" })) } },
    { modules: { main: main.map((entry) => ({ ...entry, mutation: "x".repeat(100_000) })) } },
    { revisions: [] },
    { revisions: {} },
    { revisions: [null, ...whole.revisions] },
    { revisions: [{ revision: 1 }, ...whole.revisions.slice(1)] },
    { revisions: [{ revision: 1, heads: { main: "x" } }, ...whole.revisions.slice(1)] },
    { revisions: whole.revisions.toReversed() },
    { revisions: [...whole.revisions, { revision: 9, heads: { main: 99 } }] },
    { revisions: [...whole.revisions, { revision: 9, heads: { nobody: 1 } }] },
    { revisions: [...whole.revisions, { revision: -1, heads: {} }] },
    { ancestry: {} },
    { ancestry: { ...whole.ancestry, parentIds: "x" } },
    { ancestry: { ...whole.ancestry, parentIds: ["../x"] } },
    { ancestry: { ...whole.ancestry, depth: -1 } },
    { ancestry: { ...whole.ancestry, generation: "1" } },
    { labels: { a: 1 } },
    { labels: [] },
    { labels: { a: "x".repeat(65_536) } },
    { labels: Object.fromEntries(Array.from({ length: 257 }, (_, n) => [`l${n}`, ""])) },
    { limits: null },
    { deterministic: { seed: "x", now: 0 } },
    { deterministic: { seed: 1 } },
    { deterministic: 5 },
    { createdAt: "now" },
  ];
  for (const part of forged)
    await refused(withChecksum({ ...whole, ...part })).catch((error: unknown) =>
      assert.fail(`${JSON.stringify(part)}: ${String(error)}`),
    );
  const named: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ id: "../../etc" }, "INVALID_ID"],
    [{ modules: { "../x": main }, revisions: [{ revision: 1, heads: {} }] }, "INVALID_ID"],
    [{ modules: { "vivarium/guest": main }, revisions: [{ revision: 1, heads: {} }] }, "INVALID_ID"],
    [{ limits: { ...whole.limits, memoryBytes: 1 } }, "INVALID_LIMITS"],
    [{ limits: { ...whole.limits, unknown: 1 } }, "INVALID_LIMITS"],
  ];
  for (const [part, code] of named)
    await refusalOf(runtime.current.import(withChecksum({ ...whole, ...part })), code);
});

test("what is no individual at all is refused with a message, not by an internal error", async () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const whole = await exported();
  const throwing = { toJSON: () => assert.fail("asked") };
  for (const value of [
    null,
    undefined,
    5,
    "text",
    [],
    {},
    () => 1,
    1n,
    Symbol("x"),
    cyclic,
    { deep },
    throwing,
  ])
    await refused(value).catch((error: unknown) => assert.fail(`${typeof value}: ${String(error)}`));
  await refused({ ...whole, labels: { deep } });
  await refused({ ...whole, labels: { big: 1n } });
});

test("an individual that is too large, or has too many versions, is refused", async () => {
  const whole = await exported();
  await refused({ ...whole, labels: { text: "x".repeat(65 * 2 ** 20) } });
  const [first] = (whole.modules as Record<string, object[]>)["main"] as object[];
  const many = Array.from({ length: 10_001 }, (_, i) => ({ ...first, version: i + 1 }));
  await refused(
    withChecksum({ ...whole, modules: { main: many }, revisions: [{ revision: 1, heads: { main: 1 } }] }),
  );
});

test("of an individual with more versions than are retained the newest and the current one are imported", async () => {
  const whole = await exported();
  const versions = Array.from({ length: 30 }, (_, i) => {
    const source = `export const tag = () => ${i + 1};`;
    const checksum = createHash("sha256").update(source).digest("hex");
    return { version: i + 1, source, checksum, parent: i === 0 ? null : i, mutation: null, createdAt: 1 };
  });
  const body = {
    ...whole,
    id: "many",
    modules: { main: versions },
    revisions: [{ revision: 9, heads: { main: 3 } }],
  };
  await using sandbox = await runtime.current.import(withChecksum(body));
  assert.deepEqual(await sandbox.versions("main"), [3, 27, 28, 29, 30]);
  assert.equal(await ask(sandbox, "main.tag"), 3);
  assert.deepEqual((await sandbox.hotReload({ main: "export const tag = () => 31;" })).modules, { main: 31 });
});

test("an individual whose code is no program stays as a failed record with its diagnostics", async () => {
  const whole = await exported();
  const source = "export const = 1;";
  const checksum = createHash("sha256").update(source).digest("hex");
  const versions = [{ version: 1, source, checksum, parent: null, mutation: null, createdAt: 1 }];
  const body = {
    ...whole,
    id: "broken",
    modules: { main: versions },
    revisions: [{ revision: 1, heads: { main: 1 } }],
  };
  const error = await refusalOf(runtime.current.import(withChecksum(body)), "PARSE_FAILED");
  assert.equal(error.diagnostics.length > 0, true);
  assert.equal((await runtime.current.info("broken")).status, "failed");
  await runtime.current.destroy("broken");
});

test("a fork and an import have the fuel limit of the original", async () => {
  await using sandbox = await runtime.current.create("metered", {
    modules: { main: "export const f = (n) => { for (let i = 0; i < n; i++); return n }" },
    limits: { fuel: 100 },
  });
  const individual = await sandbox.export();
  await using child = await runtime.current.fork("metered", {
    modules: { more: "export const g = () => 1" },
  });
  await using copy = await runtime.current.import(individual, { id: "copy-of-metered" });
  const state = await codeStateOf(copy);
  assert.deepEqual(state.histories, (await codeStateOf(sandbox)).histories);
  for (const handle of [sandbox, child, copy] satisfies Sandbox[]) {
    const fine = await handle.call("main.f", { args: [50] });
    assert.deepEqual([fine.ok, fine.usage.fuel], [true, 51]);
    const over = await handle.call("main.f", { args: [100] });
    assert.ok(!over.ok && over.error.kind === "fuel");
  }
});
