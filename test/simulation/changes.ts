// Operations that change sandboxes which live already.
import type { HotReloadOptions, Sandbox } from "../../src/api/types/sandbox.ts";
import type { Caller } from "./caller.ts";
import type { Claim } from "./ledger.ts";
import { hasMet, type Touch } from "./touches.ts";
import type { Ended } from "./world.ts";

type ReloadReport = Awaited<ReturnType<Sandbox["hotReload"]>>;

const reloadMs = 25_000;
const restartMs = 25_000;

function reloadOptions(caller: Caller, isServer: boolean): HotReloadOptions {
  const { dice, world } = caller;
  const { clock, trouble } = world;
  const way = dice.weighted({ none: 40, good: 10, bad: 6, throws: 4, slow: 6, calls: 10, never: 4 });
  const slowMs = dice.pick([50, 500, 3_000]);
  const token = caller.token("verify");
  world.ledger.mayRepeat(token);
  const verify = {
    none: undefined,
    good: () => true,
    bad: () => false,
    throws: () => Promise.reject(new TypeError("verify threw")),
    slow: () => clock.sleep(slowMs).then(() => true),
    calls: async (sandbox: Sandbox) =>
      (await sandbox.call("main.echo", { args: [token], repeatable: true })).ok,
    never: trouble.has("verify-never") ? () => new Promise<boolean>(() => {}) : undefined,
  }[way];
  const isMigrated = isServer && dice.chance(0.4);
  const migrateMs = trouble.has("migrate-slow") ? dice.pick([20, 300, 2_000]) : 0;
  const migrate = async (state: unknown): Promise<unknown> => {
    if (migrateMs > 0) await clock.sleep(migrateMs);
    return (state as number) + 1_000;
  };
  return {
    ...(verify === undefined ? {} : { verify, verifyMs: 4_000 }),
    ...(isMigrated ? { migrate } : {}),
    ...(dice.chance(0.1) ? { dryRun: true } : {}),
  };
}

/** A reload is over: its code is the head, or never was. */
function settleReload(
  caller: Caller,
  claim: Claim,
  {
    ended,
    touch,
    isDry,
  }: { readonly ended: Ended<ReloadReport>; readonly touch: Touch; readonly isDry: boolean },
): void {
  const { world } = caller;
  const report = ended.as === "value" && !isDry ? ended.value : undefined;
  caller.settleClaim(touch, claim, report?.status === "reloaded" ? report.revision : undefined);
  if (report?.status !== "reloaded" || !caller.isCertain(touch)) return;
  const stored = world.disk.read(touch.id);
  const revision = stored?.revisions.at(-1)?.revision ?? 0;
  if (revision < report.revision)
    world.ledger.blame(
      "unkept",
      `${touch.id} was reloaded to ${report.revision}, and the store has ${revision}`,
    );
}

export async function hotReload(caller: Caller): Promise<void> {
  const id = caller.id();
  const sandbox = await caller.handle(id);
  const kind = caller.company.kinds.get(id);
  if (sandbox === undefined || kind === undefined) return;
  const program = caller.program(kind.who, kind);
  const options = reloadOptions(caller, kind.isServer);
  const claim = caller.world.ledger.claim(id, program.tag);
  const { ended, touch } = await caller.change(id, "hotReload", {
    name: `hotReload ${program.tag} ${Object.keys(options).join(" ")}`,
    boundMs: reloadMs,
    do: () => sandbox.hotReload({ main: caller.source(program) }, options).catch(ownThrow),
  });
  settleReload(caller, claim, { ended, touch, isDry: options.dryRun === true });
}

// What a caller's own verify threw comes back to it as it was.
function ownThrow(error: unknown): ReloadReport {
  if (error instanceof TypeError && error.message === "verify threw")
    return { status: "unchanged", revision: 0, modules: {} };
  throw error;
}

export async function batchReload(caller: Caller): Promise<void> {
  const { company, world } = caller;
  const ids = [...new Set([caller.id(), caller.id()])].filter((id) => company.kinds.has(id));
  const programs = ids.map((id) => {
    const kind = company.kinds.get(id) as NonNullable<ReturnType<typeof company.kinds.get>>;
    return caller.program(kind.who, kind);
  });
  const claims = ids.map((id, index) => world.ledger.claim(id, programs[index]?.tag ?? ""));
  for (const id of ids) world.suspended.delete(company.kinds.get(id)?.who ?? "");
  const touches = ids.map((id) => company.touches.begin(id, "hotReload"));
  const deadlineMs = caller.dice.pick([100, 2_000, 20_000]);
  const ended = await world.attempt(`batch.hotReload ${ids.join(" ")}`, deadlineMs + reloadMs * 3, () =>
    caller.runtime?.batch.hotReload(ids, (_id, index) => ({ main: JSON.stringify(programs[index]) }), {
      deadlineMs,
    }),
  );
  for (const [index, touch] of touches.entries()) {
    company.touches.end(touch);
    const result = ended.as === "value" ? ended.value[index] : undefined;
    const claim = claims[index] as Claim;
    // What was cut off may still come: then its code is as good as that before.
    if (result?.ok !== false || result.error.code !== "CANCELLED")
      settleReload(caller, claim, {
        ended: result?.ok === true ? { as: "value", value: result.value } : { as: "lost" },
        touch,
        isDry: false,
      });
  }
}

export async function rollback(caller: Caller): Promise<void> {
  const id = caller.id();
  const version = caller.dice.between(1, 3);
  await goBack(caller, id, (sandbox) => sandbox.rollback("main", version));
}

export async function rollbackTo(caller: Caller): Promise<void> {
  const id = caller.id();
  const revision = caller.dice.between(1, 3);
  await goBack(caller, id, (sandbox) => sandbox.rollbackTo(revision));
}

async function goBack(
  caller: Caller,
  id: string,
  act: (sandbox: Sandbox) => Promise<ReloadReport>,
): Promise<void> {
  const sandbox = await caller.handle(id);
  if (sandbox === undefined) return;
  const claim = caller.world.ledger.claim(id, null);
  const { ended, touch } = await caller.change(id, "hotReload", {
    name: "rollback",
    boundMs: reloadMs,
    do: () => act(sandbox),
  });
  settleReload(caller, claim, { ended, touch, isDry: false });
}

export async function suspend(caller: Caller): Promise<void> {
  const id = caller.id();
  const sandbox = await caller.handle(id);
  const kind = caller.company.kinds.get(id);
  if (sandbox === undefined || kind === undefined) return;
  const { ended, touch } = await caller.change(id, "suspend", {
    name: "suspend",
    boundMs: reloadMs,
    do: () => sandbox.suspend(),
  });
  const isAlone = ![...touch.met].some((met) => met !== "ask") && caller.company.kinds.get(id) === kind;
  if (ended.as === "value" && isAlone && kind.ticks) caller.world.suspended.add(kind.who);
}

export async function resume(caller: Caller): Promise<void> {
  const id = caller.id();
  const sandbox = await caller.handle(id);
  if (sandbox === undefined) return;
  await caller.change(id, "resume", { name: "resume", boundMs: reloadMs, do: () => sandbox.resume() });
}

export async function restart(caller: Caller): Promise<void> {
  const id = caller.id();
  await caller.change(id, "restart", {
    name: "restart",
    boundMs: restartMs,
    do: () => caller.runtime?.restart(id),
  });
}

export async function updateLimits(caller: Caller): Promise<void> {
  const id = caller.id();
  const { dice, world } = caller;
  const sandbox = await caller.handle(id);
  if (sandbox === undefined) return;
  const outputBytes = 10_000 + caller.nextNumber();
  const memory = dice.chance(0.4) ? { memoryBytes: dice.between(20, 200) * 2 ** 20 } : {};
  const { ended, touch } = await caller.change(id, "updateLimits", {
    name: `updateLimits ${outputBytes} ${JSON.stringify(memory)}`,
    boundMs: reloadMs,
    do: () => sandbox.updateLimits({ outputBytes, ...memory }),
  });
  if (ended.as !== "value" || !caller.isCertain(touch) || hasMet(touch, "updateLimits")) return;
  const kept = world.disk.read(id)?.limits.outputBytes;
  if (kept !== outputBytes)
    world.ledger.blame("unkept", `${id} got outputBytes ${outputBytes}, and the store has ${kept}`);
}

export async function checkpoint(caller: Caller): Promise<void> {
  await aboutState(caller, "checkpoint", (sandbox) => sandbox.checkpoint());
}

export async function captureState(caller: Caller): Promise<void> {
  await aboutState(caller, "captureState", (sandbox) => sandbox.captureState());
}

async function aboutState(
  caller: Caller,
  name: string,
  act: (sandbox: Sandbox) => Promise<unknown>,
): Promise<void> {
  const id = caller.id();
  const sandbox = await caller.handle(id);
  if (sandbox === undefined || caller.company.kinds.get(id)?.isServer !== true) return;
  await caller.world.attempt(`${name} ${id}`, 20_000, () => act(sandbox));
}

export async function restoreState(caller: Caller): Promise<void> {
  const id = caller.id();
  const sandbox = await caller.handle(id);
  if (sandbox === undefined || caller.company.kinds.get(id)?.isServer !== true) return;
  const state = caller.dice.between(0, 50);
  caller.company.unsureStates.add(caller.world.ledger.stateName(id));
  const server = { path: "counter", key: "main.counter", version: null, state: JSON.stringify(state) };
  await caller.change(id, "restoreState", {
    name: `restoreState ${state}`,
    boundMs: restartMs,
    do: () => sandbox.restoreState({ servers: [server], children: [] }),
  });
}

export async function collect(caller: Caller): Promise<void> {
  await caller.world.attempt("collect", 20_000, () => caller.runtime?.collect());
}

/** Looks at everything that can be looked at. */
export async function look(caller: Caller): Promise<void> {
  const { world, runtime } = caller;
  const id = caller.id();
  const sandbox = await caller.handle(id);
  // The machine may stop between two looks: nobody answers for a sandbox of a runtime that is gone.
  const lookAt = <T>(look: (sandbox: Sandbox) => Promise<T>): Promise<T> | undefined =>
    caller.runtime === runtime && sandbox !== undefined ? look(sandbox) : undefined;
  if (sandbox !== undefined) {
    await world.attempt(`processes ${id}`, 20_000, () => lookAt((one) => one.processes()));
    await world.attempt(`usage ${id}`, 20_000, () => lookAt((one) => one.usage()));
    await world.attempt(`info ${id}`, 10, () => lookAt((one) => one.info()));
  }
  await world.attempt("list", 10, () => caller.runtime?.list());
  await world.attempt("health", 10, () => caller.runtime?.health());
}
