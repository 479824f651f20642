// Capabilities: guests that ask for anything with anything, and hosts that check, answer and throw anything. Whatever they
// do, calls settle, quotas hold, and the neighbour is answered.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { createRuntime, type Runtime } from "../../src/index.ts";
import { fulfilled, settled } from "../support/waiting.ts";
import type { Dice } from "./dice.ts";
import { Host, offeredNames, planOf, type Features } from "./host-plans.ts";
import { knownKinds, repeat, settleMsMax, type Subject } from "./rounds.ts";
import { valueSource } from "./values.ts";

const MiB = 2 ** 20;
const atOnce = 4;
const turnsMax = 40;
const limits = { timeoutMs: 150, memoryBytes: 32 * MiB, resultBytes: MiB, outputBytes: 10_000 };
const endings = new Set([...knownKinds, "denied"]);
const strangers = ["d", "then", "toString", "", "\0", "x".repeat(1_000)] as const;

/** What one sandbox is and does in one round. */
interface Attack {
  readonly id: string;
  readonly main: string;
  readonly grants: Features;
  readonly end: "wait" | "destroy" | "restart";
  /** How many turns the host takes before that. */
  readonly turns: number;
}

export const capabilities: Subject = async (fuzz) => {
  const host = new Host();
  const steady = { run: ([value]: readonly unknown[]) => value, timeoutMs: settleMsMax };
  await using runtime = await createRuntime({
    cells: { count: 1, spare: 1, warm: 2 },
    capabilities: { ...host.offers(), steady },
  });
  await using neighbour = await runtime.create({
    modules: { main: `import { steady } from "vivarium/capabilities"; export const f = (n) => steady(n);` },
    capabilities: { steady: { calls: 2 ** 31 } },
  });
  const rounds = await repeat(fuzz, async (dice, seed) => {
    const plan = planOf(dice, runtime);
    const attacks = Array.from({ length: atOnce }, (_, index) => attackOf(dice, `fuzz-${seed}-${index}`));
    host.begin(plan, new Map(attacks.map(({ id, grants }) => [id, grants])));
    await Promise.all(attacks.map((attack) => carryOut(runtime, attack)));
    const call = neighbour.call("main.f", { args: [seed], repeatable: true });
    const told = await fulfilled("the neighbour", call, settleMsMax);
    assert.equal(told.ok && told.value, seed, "the neighbour is answered");
    assert.deepEqual(host.excesses, []);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined, "a prototype was polluted");
  });
  return rounds * atOnce;
};

async function carryOut(runtime: Runtime, { id, main, grants, end, turns }: Attack): Promise<void> {
  const creating = runtime.create(id, { modules: { main }, limits, capabilities: grants });
  const sandbox = await fulfilled("create", creating, settleMsMax);
  const calling = settled("call", sandbox.call("main.f"), settleMsMax);
  for (let n = 0; n < turns; n++) await turn();
  // A capability may have destroyed it meanwhile.
  if (end === "restart") await settled("restart", sandbox.restart(), settleMsMax);
  if (end === "destroy") await settled("destroy", sandbox.destroy(), settleMsMax);
  const called = await calling;
  assert.equal(called.status, "fulfilled", `call: ${String((called as PromiseRejectedResult).reason)}`);
  const outcome = (called as PromiseFulfilledResult<Awaited<ReturnType<typeof sandbox.call>>>).value;
  const kind = outcome.ok ? "ok" : outcome.error.kind;
  assert.ok(endings.has(kind), `it ended as ${kind}`);
  const used = Object.entries((await sandbox.info()).capabilities);
  for (const [name, { calls, bytes }] of used)
    assert.ok(calls <= grants[name]!.calls && bytes <= grants[name]!.bytes, `${name}: ${calls}, ${bytes}`);
  await settled("destroy", sandbox.destroy(), settleMsMax);
}

function attackOf(dice: Dice, id: string): Attack {
  const granted = offeredNames.filter(() => dice.chance(0.8));
  const quota = (): Features[string] => ({
    calls: 1 + dice.below(8),
    bytes: 1 + dice.below(5_000),
    concurrent: 1 + dice.below(4),
  });
  return {
    id,
    main: programOf(dice),
    grants: Object.fromEntries(granted.map((name) => [name, quota()])) as Features,
    end: dice.pick(["wait", "wait", "destroy", "restart"]),
    turns: dice.below(turnsMax),
  };
}

function programOf(dice: Dice): string {
  const ask = (): string => {
    const name = dice.pick(dice.chance(0.9) ? offeredNames : strangers);
    return `ask(${[JSON.stringify(name), ...dice.many(2, () => valueSource(dice))].join(", ")});`;
  };
  const statement = (): string =>
    dice.pick<() => string>([
      ask,
      ask,
      () => `await ${ask()}`,
      () => `for (let n = 0; n < 20; n++) ${ask()}`,
      () => `setTimeout(() => ${ask().slice(0, -1)}, ${dice.below(20)});`,
      () => `try { ask("a", { get a() { ${ask()} return 1; } }); } catch {}`,
      () =>
        `${dice.pick(["Object", "Array", "Promise", "Error"])}.prototype.${dice.pick(["then", "toJSON", "code", "name"])} = ${valueSource(dice)};`,
      () => `globalThis.${dice.pick(["Promise", "Error", "JSON", "Map"])} = ${valueSource(dice)};`,
    ])();
  return `import * as all from "vivarium/capabilities";
const { allSettled } = Promise;
const Kept = Promise;
const answers = [];
const ask = (name, ...args) => { const answer = all[name](...args); answers.push(answer); return answer.catch(() => {}); };
export async function f() {
  ${Array.from({ length: 1 + dice.below(6) }, statement).join("\n  ")}
  const ends = await allSettled.call(Kept, answers);
  return ends.map(({ status, reason }) => status + String(reason?.code));
}`;
}
