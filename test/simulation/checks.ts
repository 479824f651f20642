// What must be true when all is quiet: nothing is under way, nothing goes wrong any more, and there was time to recover.
import type { Runtime } from "../../src/api/types/runtime.ts";
import type { SandboxInfo } from "../../src/model/sandboxes/sandbox-info.ts";
import type { Company } from "./caller.ts";
import type { FakeBox } from "./fake-box.ts";
import type { World } from "./world.ts";

/** Longer than breakers stay open and silent cells are waited for. */
const recoveryMs = 20_000;
const idleMsMax = 120_000;
const tickedMs = 1_500;

/** Waits until nothing is under way, and looks at everything. */
export async function checkQuiet(world: World, company: Company): Promise<void> {
  const { clock } = world;
  for (const cell of world.living())
    if (cell.host.thread.isStuck) cell.die({ cause: "exit", detail: "SIGKILL" });
  const endMs = clock.nowMs + idleMsMax;
  await clock.sleep(recoveryMs);
  const isBusy = (): boolean => world.store?.isHung === true || !world.living().every(({ isIdle }) => isIdle);
  while (clock.nowMs < endMs && isBusy()) await clock.sleep(1_000);
  const { runtime } = world;
  if (runtime === undefined) return;
  await checkCounts(world, runtime);
  await checkIsolates(world, runtime);
  await checkDisk(world, runtime);
  await checkHomes(world, runtime);
  await checkTicks(world, { runtime, company });
  await checkCalls(world, runtime);
  await checkResumed(world, { runtime, company });
  await checkCalls(world, runtime);
}

async function checkCounts(world: World, runtime: Runtime): Promise<void> {
  const { ledger } = world;
  const metrics = await runtime.metrics();
  if (metrics.runsUnderway !== 0)
    ledger.blame("counters", `${metrics.runsUnderway} runs are under way, and nobody waits`);
  for (const what of world.events.unpaired()) ledger.blame("events", what);
  const counted = new Map<string, number>();
  for (const { status } of await runtime.list()) counted.set(status, (counted.get(status) ?? 0) + 1);
  for (const [status, count] of Object.entries(metrics.sandboxes))
    if (count !== (counted.get(status) ?? 0))
      ledger.blame(
        "counters",
        `metrics() has ${count} sandboxes as ${status}, list() ${counted.get(status) ?? 0}`,
      );
  for (const info of await runtime.list()) {
    const isSettled = ["running", "suspended", "failed"].includes(info.status);
    if (!isSettled) ledger.blame("stuck", `${info.id} is ${info.status}, and nothing is done to it`);
    if (!/^s\d+$/.test(info.id)) ledger.blame("stray", `a sandbox of the runtime's own is left: ${info.id}`);
  }
}

// As many isolates in each cell as there are sandboxes that say they live there.
async function checkIsolates(world: World, runtime: Runtime): Promise<void> {
  const list = await runtime.list();
  for (const cell of world.living()) {
    const boxes = cell.host.living();
    const homes = list.filter((info) => info.cell === cell.number);
    if (boxes.length > homes.length) {
      const whose = boxes.map(({ who }) => who).join(" ");
      world.ledger.blame("ghost", `cell ${cell.number} has isolates of ${whose}, for ${idsOf(homes)}`);
    }
    const running = homes.filter(({ status }) => status === "running");
    if (boxes.length < running.length)
      world.ledger.blame("hollow", `cell ${cell.number} has ${boxes.length} isolates, for ${idsOf(running)}`);
  }
}

function idsOf(list: readonly SandboxInfo[]): string {
  return list.length === 0 ? "nobody" : list.map(({ id }) => id).join(" ");
}

/** What the store has, against what the runtime says. */
async function checkDisk(world: World, runtime: Runtime): Promise<void> {
  const { disk, ledger } = world;
  const list = await runtime.list();
  for (const stored of disk.all()) {
    if (disk.unsure.has(stored.id)) continue;
    const info = list.find(({ id }) => id === stored.id);
    const revision = stored.revisions.at(-1)?.revision;
    if (info === undefined) ledger.blame("left", `the store has ${stored.id}, and the runtime has not`);
    else if (info.revision !== revision && info.revision !== 0)
      ledger.blame("unkept", `${stored.id} is at revision ${info.revision}, and the store has ${revision}`);
    else if (info.status !== "failed" && info.limits.outputBytes !== stored.limits.outputBytes)
      ledger.blame("unkept", `${stored.id} has other limits than the store`);
  }
  for (const { id, status } of list)
    if (status !== "failed" && !disk.kept.has(id) && !disk.unsure.has(id))
      ledger.blame("unkept", `${id} is ${status}, and the store does not have it`);
}

// Whoever runs has a cell; only one that must be alone, or came from the store, may wait for one until it is called.
async function checkHomes(world: World, runtime: Runtime): Promise<void> {
  for (const { id, status, cell, quarantined: isQuarantined, usage, rebuilds } of await runtime.list())
    if (status === "running" && cell === null && !isQuarantined && (usage.runs > 0 || rebuilds > 0))
      world.ledger.blame("unassigned", `${id} is running, and has no cell`);
}

interface Within {
  readonly runtime: Runtime;
  readonly company: Company;
}

function boxOf(world: World, who: string): FakeBox | undefined {
  return world
    .living()
    .flatMap(({ host }) => host.living())
    .find((box) => box.who === who);
}

async function checkTicks(world: World, { runtime, company }: Within): Promise<void> {
  const before = new Map<string, number>();
  for (const { id, status } of await runtime.list()) {
    const kind = company.kinds.get(id);
    const box = kind?.ticks === true ? boxOf(world, kind.who) : undefined;
    if (status === "running" && box?.isLoaded === true && box.current.program.ticks)
      before.set(id, box.ticks);
  }
  await world.clock.sleep(tickedMs);
  for (const { id, status } of await runtime.list()) {
    const ticks = before.get(id);
    const box = boxOf(world, company.kinds.get(id)?.who ?? "");
    if (ticks !== undefined && status === "running" && (box?.ticks ?? 0) <= ticks)
      world.ledger.blame("still", `${id} is running, and its timers stand still`);
  }
}

/** Every sandbox that runs can be called, one after the other. */
async function checkCalls(world: World, runtime: Runtime): Promise<void> {
  for (const { id, status } of await runtime.list()) {
    if (status !== "running") continue;
    const token = `last:${id}`;
    world.ledger.mayRepeat(token);
    const sandbox = await runtime.get(id);
    const ended = await world.attempt(`call ${id} ${token}`, 20_000, () =>
      sandbox.call<unknown[]>("main.echo", { args: [token], repeatable: true }),
    );
    if (ended.as !== "value") continue;
    const outcome = ended.value;
    if (!outcome.ok && outcome.error.kind !== "not-running")
      world.ledger.blame("deaf", `${id} is running, and cannot be called: ${outcome.error.message}`);
    else if (outcome.ok && outcome.value[0] !== token)
      world.ledger.blame("value", `${token} was answered ${JSON.stringify(outcome.value)}`);
  }
}

async function checkResumed(world: World, { runtime, company }: Within): Promise<void> {
  for (const { id, status, quarantined: isQuarantined } of await runtime.list({
    status: ["suspended"] as never,
  })) {
    if (status !== "suspended") continue;
    const kind = company.kinds.get(id);
    world.suspended.delete(kind?.who ?? "");
    const sandbox = await runtime.get(id);
    await world.attempt(`resume ${id}`, 5_000, () => sandbox.resume());
    await world.clock.sleep(5_000);
    const box = boxOf(world, kind?.who ?? "");
    const { status: now } = await runtime.info(id);
    if (kind?.ticks !== true || now !== "running" || isQuarantined) continue;
    // After a crash, what was created last may not be known here.
    const isThere = world
      .living()
      .some(({ host }) => host.living().some(({ who }) => who.startsWith(`${id}#`)));
    if (!isThere) world.ledger.blame("still", `${id} was resumed, and has no isolate`);
    else if (box?.isHeld === true)
      world.ledger.blame("still", `${id} was resumed, and its timers stand still`);
  }
}

/** All sandboxes are destroyed: nothing of them is left anywhere. */
export async function checkDestroyed(world: World): Promise<void> {
  const { runtime, ledger, disk } = world;
  if (runtime === undefined) return;
  const ids = (await runtime.list()).map(({ id }) => id);
  const ended = await world.attempt("batch.destroy of all", 30_000, () => runtime.batch.destroy(ids));
  if (ended.as !== "value") return;
  for (const result of ended.value)
    if (!result.ok)
      ledger.blame("destroy", `${result.sandboxId} could not be destroyed: ${result.error.message}`);
  await world.clock.sleep(3_000);
  const left = await runtime.list();
  if (left.length > 0) ledger.blame("ghost", `after all were destroyed there are ${idsOf(left)}`);
  for (const cell of world.living())
    for (const box of cell.host.living())
      ledger.blame("ghost", `all were destroyed, and cell ${cell.number} has an isolate of ${box.who}`);
  for (const id of disk.kept.keys())
    if (!disk.unsure.has(id)) ledger.blame("left", `${id} was destroyed, and is kept`);
}
