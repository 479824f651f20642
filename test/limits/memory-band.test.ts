// memoryBytes, just exceeded: the memory is a little more than the limit, wherever that happens. The engine may end such
// an isolate at any moment, also between two entries.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LoadError, type Outcome, type Runtime } from "../../src/index.ts";
import { stepMemory } from "../soak/memory-steps.ts";
import { endOf, holding, memoryKinds, type MemoryKind } from "../support/memory-guests.ts";
import { valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { fulfilled } from "../support/waiting.ts";

const MiB = 2 ** 20;
const timeoutMs = 60_000;
const settleMs = 90_000;
const sizeMiB = 24;
const shares = [1.1, 1.4];

test("a run that holds from just within to half over its limit ends as ok or memory, beside a neighbour", async () => {
  const { faults, rows } = await stepMemory({
    sizesMiB: [16, 64],
    kinds: memoryKinds,
    shares: [0.6, 1.1, 1.4],
    timeoutMs,
    graceMs: Infinity,
  });
  assert.deepEqual(faults, []);
  const ends = new Set(rows.flatMap(({ runs }) => runs.map(({ end }) => end)));
  assert.deepEqual([...ends].sort(), ["memory", "ok"]);
});

/** How one that holds so much ends in a place of its kind. */
type Place = (runtime: Runtime, kind: MemoryKind, mib: number) => Promise<string | undefined>;

const limits = { memoryBytes: sizeMiB * MiB, timeoutMs, stepMs: timeoutMs, loadMs: timeoutMs };

const serverOf = (kind: MemoryKind): string => `
import { server, supervisor } from "vivarium/guest";
${holding(kind)}
const Holder = server({ name: "holder", init: () => 0,
  handleCall: (mib, state) => ({ reply: hold(mib), state }) });
export default supervisor({ children: [{ id: "holder", start: Holder }] });`;

const places: Readonly<Record<string, Place>> = {
  "while modules load": async (runtime, kind, mib) => {
    const main = `${holding(kind)}\nhold(${mib});`;
    try {
      await (await runtime.create({ modules: { main }, limits })).destroy();
      return "ok";
    } catch (error) {
      assert.ok(error instanceof LoadError && error.failure !== undefined, String(error));
      return endOf({ ok: false, error: error.failure } as Outcome, kind);
    }
  },
  "in a timer": async (runtime, kind, mib) => {
    await using sandbox = await runtime.create({ modules: { main: holding(kind) }, limits });
    return endOf(await sandbox.call("main.later", { args: [mib] }), kind);
  },
  "in a process": async (runtime, kind, mib) => {
    await using sandbox = await runtime.create({
      modules: { main: serverOf(kind) },
      supervisor: "main",
      limits,
    });
    return endOf(await sandbox.ask("holder", mib), kind);
  },
};

for (const [place, hold] of Object.entries(places)) {
  suite(place, async () => {
    const runtime = await startRuntime();
    const deaths: string[] = [];
    runtime.events.on("cell.exited", ({ cause, detail }) => {
      if (cause !== "unwanted") deaths.push(`${cause}: ${detail}`);
    });
    const main = "let count = 0; export const bump = () => ++count;";
    const neighbour = await runtime.create({ modules: { main } });
    let calls = 0;
    for (const kind of memoryKinds) {
      test(`${kind} just over the limit end as ok or memory, and a neighbour answers`, async () => {
        for (const share of shares) {
          const what = `${share} × of ${sizeMiB} MiB in ${kind}`;
          const end = await fulfilled(what, hold(runtime, kind, Math.round(sizeMiB * share)), settleMs);
          assert.ok(end !== undefined, what);
          assert.equal(valueOf(await neighbour.call("main.bump")), ++calls, what);
        }
        assert.deepEqual(deaths, []);
      });
    }
  });
}
