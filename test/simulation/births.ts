// Operations that make sandboxes, and those that end them.
import type { ForkOptions, SandboxSpec } from "../../src/api/types/spec.ts";
import { sourceOf } from "./program.ts";
import type { Caller, Kind } from "./caller.ts";
import type { Claim } from "./ledger.ts";
import { hasMet, type Touch } from "./touches.ts";
import type { Ended } from "./world.ts";

const createMs = 30_000;
const destroyMs = 8_000;

interface Wish {
  readonly spec: SandboxSpec;
  readonly kind: Kind;
  readonly tag: string;
}

export function wishFor(caller: Caller, id: string): Wish {
  const { dice, world } = caller;
  const { shares } = world.plan;
  const isServer = dice.chance(shares.server);
  const checkpoint = isServer ? dice.pick(["message", "message", { everyMs: 700 }, null] as const) : null;
  const kind: Kind = {
    who: `${id}#${caller.next()}`,
    isServer,
    ticks: dice.chance(shares.ticking),
    checkpoint,
  };
  const program = caller.program(kind.who, kind);
  const hasGrant = dice.chance(shares.granted);
  const isDeterministic = dice.chance(0.1);
  const place = dice.pick([
    { tenant: "one" },
    { exclusive: true },
    { dense: true },
    { tenant: "one", dense: true },
  ]);
  const placement = dice.chance(shares.placed) ? place : undefined;
  const restart = dice.chance(0.2);
  const spec: SandboxSpec = {
    modules: { main: caller.source(program) },
    ...(isServer ? { supervisor: "main" } : {}),
    ...(checkpoint === null ? {} : { checkpoint }),
    ...(isDeterministic ? { deterministic: { seed: 1 } } : {}),
    ...(hasGrant && !isDeterministic && world.hasCapability ? { capabilities: ["effect"] } : {}),
    ...(placement === undefined ? {} : { placement }),
    ...(restart ? { restart: { max: 2 } } : {}),
    ...caller.signal(),
  };
  return { spec, kind, tag: program.tag };
}

// In a batch there is one signal for all.
export function withoutSignal(spec: SandboxSpec): SandboxSpec {
  const entries = Object.entries(spec).filter(([name]) => name !== "signal");
  return Object.fromEntries(entries) as SandboxSpec;
}

/** A sandbox is there: it is known, and kept. */
export function born(caller: Caller, wish: Pick<Wish, "kind">, touch: Touch): void {
  const { world, company } = caller;
  world.ledger.bear(touch.id);
  // It may have been destroyed by now, and be another one: nothing is known of that.
  if (caller.isReplaced(touch)) return void company.kinds.delete(touch.id);
  company.kinds.set(touch.id, wish.kind);
  if (caller.isCertain(touch) && !world.disk.kept.has(touch.id))
    world.ledger.blame("unkept", `${touch.id} was created, and the store does not have it`);
}

// Code that fails leaves a sandbox that can be restarted.
function isThere(ended: Ended<unknown>): boolean {
  if (ended.as !== "error") return ended.as === "value";
  return ["PARSE_FAILED", "COMPILE_FAILED", "LOAD_FAILED"].includes(ended.error.code);
}

export async function create(caller: Caller): Promise<void> {
  const id = caller.id();
  const wish = wishFor(caller, id);
  const claim = caller.world.ledger.claim(id, wish.tag);
  const { ended, touch } = await caller.change(id, "create", {
    name: `create ${wish.tag}`,
    boundMs: createMs,
    do: () => caller.runtime?.create(id, wish.spec),
  });
  caller.settleClaim(touch, claim, isThere(ended) ? 1 : undefined);
  if (ended.as === "value") born(caller, wish, touch);
}

export async function batchCreate(caller: Caller): Promise<void> {
  await createAll(caller, [...new Set([caller.id(), caller.id(), caller.id()])]);
}

/** Creates these sandboxes at once. */
export async function createAll(caller: Caller, ids: readonly string[]): Promise<void> {
  const wishes = ids.map((id) => ({ id, ...wishFor(caller, id) }));
  const claims = wishes.map(({ id, tag }) => caller.world.ledger.claim(id, tag));
  const touches = ids.map((id) => caller.company.touches.begin(id, "create"));
  const specs = wishes.map(({ id, spec }) => ({ ...withoutSignal(spec), id }));
  const ended = await caller.world.attempt(`batch.create ${ids.join(" ")}`, createMs + 30_000, () =>
    caller.runtime?.batch.create(specs, { deadlineMs: 25_000, ...caller.signal() }),
  );
  for (const [index, touch] of touches.entries()) {
    caller.company.touches.end(touch);
    const result = ended.as === "value" ? ended.value?.[index] : undefined;
    const one = result?.ok === false ? ({ as: "error", error: result.error } as const) : undefined;
    const isHeld = result?.ok === true || (one !== undefined && isThere(one));
    caller.settleClaim(touch, claims[index] as Claim, isHeld ? 1 : undefined);
    if (result?.ok === true) born(caller, wishes[index] as Wish, touch);
  }
}

export async function fork(caller: Caller): Promise<void> {
  const parentId = caller.id();
  const id = caller.id();
  const parent = caller.company.kinds.get(parentId);
  if (parent === undefined) return;
  const kind: Kind = { ...parent, who: `${id}#${caller.next()}` };
  const program = caller.program(kind.who, kind);
  const claim = caller.world.ledger.claim(id, program.tag);
  const state = caller.dice.chance(0.5);
  const inBatch = caller.dice.chance(0.5);
  const options = { id, modules: { main: sourceOf(program) }, state, ...caller.signal() };
  const { ended, touch } = await caller.change(id, "fork", {
    name: `fork ${parentId} ${program.tag}`,
    boundMs: createMs * 2,
    do: () =>
      inBatch
        ? forkInBatch(caller, [parentId, caller.id()], options)
        : caller.runtime?.fork(parentId, options),
  });
  caller.settleClaim(touch, claim, isThere(ended) ? 1 : undefined);
  if (ended.as !== "value") return;
  // Its parent may be another one of the same id by now: how often it is written down is what it says itself.
  const checkpoint = caller.world.disk.read(id)?.processes?.checkpoint ?? null;
  born(caller, { kind: { ...kind, checkpoint } }, touch);
}

// As a batch of one, with another parent of which there may be no sandbox.
async function forkInBatch(
  caller: Caller,
  parentIds: readonly string[],
  options: ForkOptions,
): Promise<unknown> {
  const [result] =
    (await caller.runtime?.batch.fork([{ parentIds, ...options }], { deadlineMs: 25_000 })) ?? [];
  if (result?.ok === false) throw result.error;
  return result?.value;
}

export async function exportImport(caller: Caller): Promise<void> {
  const from = caller.id();
  const id = caller.id();
  const sandbox = await caller.handle(from);
  const kind = caller.company.kinds.get(from);
  if (sandbox === undefined || kind === undefined) return;
  const exported = await caller.world.attempt(`export ${from}`, createMs, () => sandbox.export());
  if (exported.as !== "value") return;
  const version = exported.value.revisions.at(-1)?.heads["main"];
  const head = exported.value.modules["main"]?.find((one) => one.version === version);
  const { tag } = JSON.parse(head?.source ?? "{}") as { tag: string };
  const own = caller.world.ledger.claim(id, tag);
  // Two sandboxes may have this code from here on: what its timers do tells nothing of either.
  caller.world.suspended.delete(kind.who);
  caller.company.kinds.set(from, { ...(caller.company.kinds.get(from) ?? kind), ticks: false });
  const { ended, touch } = await caller.change(id, "import", {
    name: `import ${tag} of ${from}`,
    boundMs: createMs,
    do: () => caller.runtime?.import(exported.value, { id, placement: {} }),
  });
  caller.settleClaim(touch, own, isThere(ended) ? 1 : undefined);
  if (ended.as !== "value") return;
  const who = `${id}#${caller.next()}`;
  born(caller, { kind: { ...kind, who, ticks: false } }, touch);
}

export async function once(caller: Caller): Promise<void> {
  const program = caller.program("once", { isServer: false, ticks: false });
  const token = caller.token("once");
  const options = { args: [token, 0], timeoutMs: 500, ...caller.signal() };
  await caller.world.attempt(`once ${token}`, createMs + 20_000, () =>
    caller.runtime?.once(sourceOf(program), options),
  );
}

export async function destroy(caller: Caller): Promise<void> {
  const id = caller.id();
  const { ended, touch } = await caller.change(id, "destroy", {
    name: "destroy",
    boundMs: destroyMs,
    do: () => caller.runtime?.destroy(id),
  });
  if (ended.as === "value") gone(caller, touch);
}

function gone(caller: Caller, touch: Touch): void {
  const { world, company } = caller;
  if (hasMet(touch, "create", "fork", "import", "reopen")) return;
  company.kinds.delete(touch.id);
  if (world.disk.kept.has(touch.id) && !world.disk.unsure.has(touch.id))
    world.ledger.blame("left", `${touch.id} was destroyed, and the store still has it`);
}

export async function batchDestroy(caller: Caller): Promise<void> {
  const ids = [...new Set([caller.id(), caller.id(), caller.id()])];
  const touches = ids.map((id) => caller.company.touches.begin(id, "destroy"));
  for (const id of ids) caller.world.suspended.delete(caller.company.kinds.get(id)?.who ?? "");
  const ended: Ended<unknown> = await caller.world.attempt(
    `batch.destroy ${ids.join(" ")}`,
    destroyMs * 3,
    () => caller.runtime?.batch.destroy(ids, { deadlineMs: 6_000 }),
  );
  const results = ended.as === "value" ? ((ended.value ?? []) as readonly { readonly ok: boolean }[]) : [];
  for (const [index, touch] of touches.entries()) {
    caller.company.touches.end(touch);
    if (results[index]?.ok === true) gone(caller, touch);
  }
}
