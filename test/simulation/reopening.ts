// A runtime ends, in good order or with its machine, and another one goes on from the same disk.
import type { Caller } from "./caller.ts";
import type { World } from "./world.ts";

const attemptsMax = 8;

/** Closes the runtime, and looks for what it left behind. */
export async function closeRuntime(world: World): Promise<void> {
  const { runtime, life, store, ledger } = world;
  if (runtime === undefined) return;
  const ended = await world.attempt("close", 40_000, () => runtime.close());
  // A store that hangs cannot be closed, and that is told.
  const isStoreGone = ended.as === "error" && ended.error.code === "STORE_FAILED" && store?.hasHung === true;
  if (ended.as === "error" && !isStoreGone) ledger.blame("close", `close() rejects: ${ended.error.message}`);
  // What is under way on the pipes, and callers that are being told.
  await world.clock.sleep(1);
  if (ended.as === "value") {
    if ((life?.pending ?? 0) > 0) ledger.blame("timers", `after close() there are ${life?.pending} timers`);
    const alive = world.living();
    if (alive.length > 0) ledger.blame("cells", `after close() ${alive.length} cells live`);
    if (store?.late !== undefined) ledger.blame("late", `after close() the store was asked to ${store.late}`);
  }
  world.stop();
}

/** Starts a runtime again, however often that takes, and looks whether all is there that was kept. */
export async function startAgain(world: World): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const before = new Map(world.disk.all().map((stored) => [stored.id, stored]));
    const runtime = await world.start();
    if (runtime === undefined) {
      await world.clock.sleep(500);
      continue;
    }
    const list = await runtime.list();
    for (const [id, stored] of before) {
      const info = list.find((one) => one.id === id);
      const revision = stored.revisions.at(-1)?.revision;
      if (info === undefined) world.ledger.blame("forgotten", `${id} was kept and did not come back`);
      else if (info.status === "failed" && info.reason === null)
        world.ledger.blame("forgotten", `${id} came back as failed, without a reason`);
      else if (info.revision !== revision && info.status === "running")
        world.ledger.blame("forgotten", `${id} came back at revision ${info.revision}, not ${revision}`);
    }
    for (const { id } of list)
      if (!before.has(id)) world.ledger.blame("ghost", `${id} came back though it was not kept`);
    return;
  }
}

export async function reopen(caller: Caller): Promise<void> {
  const { world, company, dice } = caller;
  const { trouble } = world;
  const isCrash = trouble.has("crash") && dice.chance(0.6);
  if (
    caller.number !== 0 ||
    world.isReopening ||
    world.runtime === undefined ||
    (!isCrash && !trouble.has("close"))
  )
    return;
  world.isReopening = true;
  const ids = Array.from({ length: world.plan.ids }, (_, index) => `s${index}`);
  const touches = ids.map((id) => company.touches.begin(id, "reopen"));
  if (isCrash) world.crash();
  else await closeRuntime(world);
  world.hasCapability = !trouble.has("grant-lost") || dice.chance(0.5);
  await startAgain(world);
  world.isReopening = false;
  for (const touch of touches) company.touches.end(touch);
}
