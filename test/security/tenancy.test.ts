// Tenants never share a cell, whatever becomes of their cells; who is exclusive shares with nobody; and there is a bound.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { createRuntime, MemoryStore, type Runtime, type Sandbox } from "../../src/index.ts";
import { errorOf, mistakeOf } from "../support/errors.ts";
import { valueOf } from "../support/outcomes.ts";
import { killCellOf } from "../support/reloading.ts";
import { until } from "../support/waiting.ts";
import { startRuntime } from "../support/runtimes.ts";

const modules = { main: "export const f = () => 1;" };
const killer = { main: 'export const f = () => ("x".repeat(2 ** 27 + 9).split(""), 1);' };
const cellOf = async (sandbox: Sandbox): Promise<number | null> => (await sandbox.info()).cell;

const runtime = await startRuntime({
  cells: { count: 1, spare: 2 },
  profiles: { alone: { placement: "exclusive" } },
});

afterEach(async () => {
  for (const { id } of await runtime.list()) await runtime.destroy(id);
});

/** Which tenants have been in which cell; fails where two ever were in one. */
class Witness {
  readonly #tenants = new Map<number, Set<string>>();

  async see(sandboxes: readonly Sandbox[]): Promise<void> {
    for (const sandbox of sandboxes) {
      const { cell, placement, id } = await sandbox.info();
      if (cell === null) continue;
      const name = placement.exclusive ? id : (placement.tenant ?? "nobody");
      const seen = this.#tenants.get(cell) ?? new Set();
      this.#tenants.set(cell, seen.add(name));
    }
  }

  check(): void {
    for (const [cell, tenants] of this.#tenants)
      assert.equal(tenants.size, 1, `cell ${cell}: ${[...tenants].join(", ")}`);
  }
}

async function createFor(runtime: Runtime, tenant: string | undefined, count: number): Promise<Sandbox[]> {
  const placement = tenant === undefined ? {} : { tenant };
  const specs = Array.from({ length: count }, () => ({ modules, placement }));
  const results = await runtime.batch.create(specs);
  return results.map((result) => (result.ok ? result.value : assert.fail(result.error.message)));
}

test("sandboxes of different tenants, and those of none, live in different cells", async () => {
  const all = await Promise.all([undefined, "a", "b", "c"].map((tenant) => createFor(runtime, tenant, 5)));
  const cells = await Promise.all(all.map(async (group) => new Set(await Promise.all(group.map(cellOf)))));
  assert.deepEqual(
    cells.map(({ size }) => size),
    [1, 1, 1, 1],
    "those of one tenant share",
  );
  assert.equal(new Set(cells.flatMap((set) => [...set])).size, 4);
  const owners = (await runtime.metrics()).cells.map(({ owner }) => owner);
  for (const owner of [null, "tenant a", "tenant b", "tenant c"])
    assert.ok(owners.includes(owner), String(owner));
  const [parent] = all[1] ?? [];
  assert.ok(parent !== undefined);
  await using child = await runtime.fork(parent.id);
  assert.deepEqual((await child.info()).placement, { tenant: "a", exclusive: false, dense: false });
  assert.ok(cells[1]?.has(await cellOf(child)), "a fork lives with its parent's tenant");
});

test("tenants stay apart when their cells are killed", async () => {
  const witness = new Witness();
  const groups = await Promise.all([undefined, "a", "b"].map((tenant) => createFor(runtime, tenant, 3)));
  await witness.see(groups.flat());
  for (const [victim] of groups) {
    await killCellOf(runtime, victim as Sandbox);
    for (const sandbox of groups.flat()) assert.equal(valueOf(await sandbox.call("main.f")), 1);
    await witness.see(groups.flat());
  }
  witness.check();
});

// Brings down its cell, so that it is quarantined; not with its first run, which would be tried again elsewhere.
async function quarantined(tenant: string, witness: Witness): Promise<Sandbox> {
  // Other code each time, so that each begins among its like.
  const main = `${killer.main} export const tag = () => "${tenant}";`;
  const sandbox = await runtime.create({ modules: { main }, placement: { tenant } });
  assert.equal(valueOf(await sandbox.call("main.tag")), tenant);
  await witness.see([sandbox]);
  assert.equal((await sandbox.call("main.f")).ok, false);
  assert.equal(valueOf(await sandbox.call("main.tag")), tenant);
  assert.equal((await sandbox.info()).quarantined, true);
  await witness.see([sandbox]);
  return sandbox;
}

test("a quarantined sandbox of one tenant gets no cell that another's was in before", async () => {
  const witness = new Witness();
  for (const tenant of ["a", "b", "c"]) await (await quarantined(tenant, witness)).destroy();
  witness.check();
});

test("code that brought down a cell of one tenant is quarantined for that tenant and for no other", async () => {
  const witness = new Witness();
  const bad = await quarantined("h", witness);
  const main = await bad.source("main");
  const quarantinedFor = async (placement: { tenant?: string }): Promise<boolean> => {
    await using sandbox = await runtime.create({ modules: { main }, placement });
    return (await sandbox.info()).quarantined;
  };
  assert.equal(await quarantinedFor({ tenant: "h" }), true);
  assert.equal(await quarantinedFor({ tenant: "i" }), false);
  assert.equal(await quarantinedFor({}), false, "nor for sandboxes without a tenant");
});

test("quarantined sandboxes of more tenants than there are cells for them take turns, and share none", async () => {
  const witness = new Witness();
  const sandboxes: Sandbox[] = [];
  for (const tenant of ["d", "e", "g"]) sandboxes.push(await quarantined(tenant, witness));
  for (const sandbox of [...sandboxes, ...sandboxes]) {
    assert.equal((await sandbox.call("main.tag")).ok, true);
    await witness.see(sandboxes);
  }
  witness.check();
});

test("an exclusive sandbox has its cell to itself, and keeps it when it is rebuilt", async () => {
  const shared = await createFor(runtime, undefined, 2);
  const tenant = await createFor(runtime, "a", 2);
  const first = await runtime.create({ modules, placement: { tenant: "a", exclusive: true } });
  const second = await runtime.create({ modules, profile: "alone" });
  assert.deepEqual((await second.info()).placement, { tenant: null, exclusive: true, dense: false });
  const all = [...shared, ...tenant, first, second];
  const witness = new Witness();
  await witness.see(all);
  assert.equal(new Set(await Promise.all(all.map(cellOf))).size, 4);
  await first.restart();
  await killCellOf(runtime, second);
  for (const sandbox of all) assert.equal(valueOf(await sandbox.call("main.f")), 1);
  await witness.see(all);
  witness.check();
  const act = () => runtime.create({ modules, profile: "alone", placement: { exclusive: false } });
  await mistakeOf(act, "INVALID_PROFILE");
});

test("at ownedMax a tenant waits for so long, and comes in when another's cell is empty", async () => {
  const small = await startRuntime({ cells: { count: 1, spare: 1, ownedMax: 1, waitMs: 4_000 } });
  const isReady = async (cells: number) => (await small.health()).cells.ready >= cells;
  // A cell stands ready each time, so that nobody waits for one to start.
  await until("there is a spare cell", () => isReady(2));
  const [a] = await createFor(small, "a", 1);
  await until("there is another spare cell", () => isReady(3));
  const placement = { tenant: "b" };
  await errorOf(() => small.create("late", { modules, placement }), "CELLS_UNAVAILABLE");
  assert.equal(await small.has("late"), false, "nothing is left of it");
  assert.equal(valueOf(await (a as Sandbox).call("main.f")), 1);
  const late = small.create("late", { modules, placement });
  await until("it waits", async () => (await small.list({ status: "creating" })).length === 1);
  const before = await cellOf(a as Sandbox);
  await (a as Sandbox).destroy();
  const sandbox = await late;
  assert.equal(valueOf(await sandbox.call("main.f")), 1);
  assert.notEqual(await cellOf(sandbox), before, "it got a new process");
  const owners = (await small.metrics()).cells.map(({ owner }) => owner).filter((owner) => owner !== null);
  assert.deepEqual(owners, ["tenant b"]);
});

test("a sweep ends the cells of tenants that are gone", async () => {
  const groups = await Promise.all(["a", "b"].map((tenant) => createFor(runtime, tenant, 2)));
  for (const sandbox of groups[0] ?? []) await sandbox.destroy();
  await runtime.collect();
  const owned = async () => (await runtime.metrics()).cells.flatMap(({ owner }) => owner ?? []);
  await until("the cells are gone", async () => (await owned()).join() === "tenant b");
  for (const sandbox of groups[1] ?? []) assert.equal(valueOf(await sandbox.call("main.f")), 1);
});

test("tenancy survives export, import and a restart from the store", async () => {
  const store = new MemoryStore();
  const options = { store, cells: { count: 1, spare: 0, warm: 1 } };
  const placement = { tenant: "a", exclusive: false, dense: false };
  {
    await using runtime = await createRuntime(options);
    const sandbox = await runtime.create("kept", { modules, placement });
    const individual = await sandbox.export();
    await mistakeOf(() => runtime.import(individual, { id: "copy" }), "INVALID_OPTIONS");
    await using copy = await runtime.import(individual, { id: "copy", placement: { tenant: "a" } });
    assert.deepEqual((await copy.info()).placement, placement);
    assert.equal(await cellOf(copy), await cellOf(sandbox));
  }
  await using runtime = await createRuntime(options);
  assert.deepEqual((await runtime.info("kept")).placement, placement);
  const [other] = await createFor(runtime, undefined, 1);
  assert.notEqual((await runtime.info("kept")).cell, await cellOf(other as Sandbox));
});

test("a placement of the wrong form is a mistake", async () => {
  for (const placement of [
    { tenant: "" },
    { tenant: "a b" },
    { tenant: 5 },
    { exclusive: 1 },
    { cell: 3 },
    "a",
  ]) {
    const act = () => runtime.create({ modules, placement: placement as object });
    await mistakeOf(act, "INVALID_OPTIONS");
  }
});
