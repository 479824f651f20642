// One attack on one runtime: twenty attackers at work while the honest owner is measured.
import { setTimeout as sleep } from "node:timers/promises";
import type { PlacementSpec, Runtime, Sandbox } from "vivarium";
import type { Peer } from "../peers/child.ts";
import type { Attack, Attacker } from "./attack.ts";
import { settleIn, watch, type Figures } from "./honest.ts";
import { createRuntime } from "../subject.ts";

export const relations = ["other tenant", "same tenant"] as const;
export type Relation = (typeof relations)[number];

export interface SiegePlan {
  readonly attack: Attack | undefined;
  readonly relation: Relation;
  readonly attackers: number;
  readonly lengthMs: number;
  readonly peer: Peer;
}

/** So long attackers are at work before it is measured. */
const leadMs = 2_000;
/** After an act that failed. */
const failurePauseMs = 20;
/** Where nothing is done over and over. */
const idlePauseMs = 200;
/** Every so often it is seen whether the sandbox can still be used. */
const roundsPerLook = 8;
const honestPlace: PlacementSpec = { tenant: "honest", exclusive: false };
const otherPlace: PlacementSpec = { tenant: "attacker", exclusive: false };

/** Measures the honest owner beside an attack, or alone. */
export async function besiege(plan: SiegePlan): Promise<Figures> {
  const { attack, relation, attackers, lengthMs, peer } = plan;
  const runtime = await createRuntime({ capabilities: { echo: { run: ([value]) => value } } });
  const stop = new AbortController();
  try {
    const sandbox = await settleIn(runtime, honestPlace);
    const placement = relation === "same tenant" ? honestPlace : otherPlace;
    const crowd = attack === undefined ? [] : Array.from({ length: attackers }, (_, number) => number);
    const loops = crowd.map((number) => beset({ attack, runtime, number, placement }, stop.signal));
    if (crowd.length > 0) await sleep(leadMs);
    const figures = await watch({ runtime, sandbox, placement: honestPlace, peer, lengthMs });
    stop.abort();
    await runtime.close();
    await Promise.all(loops);
    return figures;
  } finally {
    stop.abort();
    await runtime.close();
  }
}

interface Siege {
  readonly attack: Attack | undefined;
  readonly runtime: Runtime;
  readonly number: number;
  readonly placement: PlacementSpec;
}

// One attacker: a sandbox, made anew whenever it can no longer be used.
async function beset({ attack, runtime, number, placement }: Siege, signal: AbortSignal): Promise<void> {
  if (attack === undefined) return;
  const create: Attacker["create"] = (spec) => runtime.create({ ...spec, placement });
  let sandbox: Sandbox | undefined;
  for (let round = 0; !signal.aborted; round++) {
    try {
      sandbox ??= await begun(attack, await create(attack.spec));
      if (attack.act === undefined) await sleep(idlePauseMs);
      else await attack.act(sandbox, { runtime, number, create }, round);
    } catch {
      await sleep(failurePauseMs);
    }
    if (round % roundsPerLook === 0 && sandbox !== undefined && !(await isUsable(sandbox))) {
      await sandbox.destroy().catch(() => {});
      sandbox = undefined;
    }
  }
}

async function isUsable(sandbox: Sandbox): Promise<boolean> {
  const { status } = await sandbox.info().catch(() => ({ status: "stopped" }));
  return status === "running" || status === "reloading";
}

async function begun(attack: Attack, sandbox: Sandbox): Promise<Sandbox> {
  await attack.begin?.(sandbox);
  return sandbox;
}
