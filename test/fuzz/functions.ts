// Functions of all kinds, around the weight from which on they are kept from being optimised and far above it: a module means
// the same as it does in plain Node, and an endless loop in it ends with its run alone, however hot it was before.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { runInThisContext } from "node:vm";
import { createRuntime, type Outcome, type Sandbox } from "../../src/index.ts";
import { places, statementKinds } from "../support/large-functions.ts";
import { valueOf } from "../support/outcomes.ts";
import { settled } from "../support/waiting.ts";
import type { Dice } from "./dice.ts";
import { repeat, settleMsMax, type Fuzz } from "./rounds.ts";

const turns = 3;
const callsMax = 60;
const statementsMax = 600;
const endless = { args: [Infinity], timeoutMs: 50 };
const counting = "let count = 0; export const bump = () => ++count;";

/** Statements of a few kinds, one after the other and inside each other. */
function codeOf(dice: Dice): string {
  const kinds = Array.from({ length: 1 + dice.below(3) }, () => dice.pick(Object.values(statementKinds)));
  const count = 1 + dice.below(dice.chance(0.5) ? 40 : statementsMax);
  const parts = Array.from({ length: count }, (_, k) => {
    const statement = dice.pick(kinds)(k);
    if (dice.chance(0.9)) return statement;
    return dice.pick([
      `{ const f = () => { ${statement} return s; }; s = f(); }`,
      `if (i % 2 === 0) { ${statement} }`,
      `label: for (;;) { ${statement} break label; }`,
      `do { ${statement} } while (s === Infinity);`,
    ]);
  });
  const loop = dice.pick([
    (body: string) => `for (let i = 0; i < n; i++) { ${body} }`,
    (body: string) => `let i = 0; while (i < n) { i++; ${body} }`,
    (body: string) => `let i = 0; do { i++; ${body} } while (i < n);`,
  ]);
  return `let s = 0, o = { a: 1, b: { x: 1, y: 2 }, c: [1, 2, 3] }; ${loop(parts.join("\n"))}`;
}

/** The value in plain Node: the same text, as a script. */
async function valueInNode(source: string): Promise<unknown> {
  const script = source.replace("export ", "");
  const run = runInThisContext(`(() => { "use strict"; ${script}; return run; })()`) as (
    n: number,
  ) => unknown;
  return run(turns);
}

async function outcomeOf(sandbox: Sandbox, options: object): Promise<Outcome> {
  const called = await settled("call", sandbox.call("main.run", options), settleMsMax);
  assert.equal(called.status, "fulfilled");
  return (called as PromiseFulfilledResult<Outcome>).value;
}

/** Runtimes with one cell, so that the neighbour is in the same. */
export async function functions({ seed, ms }: Fuzz): Promise<number> {
  await using runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 2 } });
  const exits: string[] = [];
  runtime.events.on("cell.exited", ({ cause }) => exits.push(cause));
  await using neighbour = await runtime.create({ modules: { main: counting } });
  let bumps = 0;
  return await repeat({ seed, ms }, async (dice) => {
    const place = dice.pick(Object.keys(places));
    const source = places[place]?.(codeOf(dice)) ?? "";
    await using sandbox = await runtime.create({
      modules: { main: source },
      limits: { timeoutMs: 20_000, loadMs: 60_000, ...(dice.chance(0.3) ? { fuel: 1_000_000_000 } : {}) },
    });
    const expected = await valueInNode(source);
    for (let calls = 1 + dice.below(callsMax); calls > 0; calls--) {
      const value = valueOf(await outcomeOf(sandbox, { args: [turns] }));
      assert.ok(
        isDeepStrictEqual(value, expected),
        `${place}: ${String(value)} in place of ${String(expected)}`,
      );
    }
    const cut = await outcomeOf(sandbox, endless);
    assert.equal(cut.ok ? "ok" : cut.error.kind, "timeout", place);
    assert.equal(valueOf(await neighbour.call("main.bump")), ++bumps, place);
    assert.deepEqual(exits, [], place);
  });
}
