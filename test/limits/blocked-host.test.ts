// The user's own main thread is blocked for seconds: what exceeds its limit is ended in time all the same, and what was
// done in time is not reported as late.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { starvedGraceOf } from "../../src/execution/enforcement/lateness.ts";
import type { FailureKind, LimitName, Runtime, Sandbox } from "../../src/index.ts";
import { watchDeath } from "../support/death-watch.ts";
import { busySource } from "../support/guests.ts";
import { assertWithin } from "../support/machine.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const hangMs = 60_000;
/** From the watchdog's decision to the death that is seen. */
const slackMs = 500;
/** When these honest runs are long over, the host is still blocked. */
const honest = { ms: 500, timeoutMs: 3_000, blockedMs: 3_500 };
const nowMs = (): number => performance.timeOrigin + performance.now();

/** Holds this thread for so long, and then until there is an end. */
function block(ms: number, isEnough: () => boolean = () => true): void {
  const end = performance.now() + ms;
  const giveUp = end + hangMs;
  while (performance.now() < end || !(isEnough() || performance.now() > giveUp));
}

const runtime = await startRuntime({ cells: { count: 3 } });
await until("all cells are up", async () => (await runtime.health()).cells.ready === 3);

async function pidOf(within: Runtime, sandbox: Sandbox): Promise<number> {
  const { cell } = await sandbox.info();
  const { cells } = await within.metrics();
  return cells.find(({ number }) => number === cell)?.pid ?? assert.fail(`there is no cell ${cell}`);
}

interface Bomb {
  readonly what: string;
  readonly expression: string;
  readonly verdict: readonly [FailureKind, LimitName];
  readonly timeoutMs: number;
  /** How long its cell runs, at least and at most. */
  readonly livesMs: readonly [number, number];
}

const bombs: readonly Bomb[] = [
  {
    what: "a step that cannot be interrupted",
    expression: "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
    verdict: ["timeout", "timeoutMs"],
    timeoutMs: 1_000,
    livesMs: [1_000, 1_000 + starvedGraceOf(1_000) + slackMs],
  },
  {
    what: "a text that outgrows its memory uncounted",
    expression: `(() => { for (;;) "x".repeat(2 ** 29 - 24).normalize("NFD"); })()`,
    verdict: ["memory", "memoryBytes"],
    timeoutMs: hangMs,
    livesMs: [0, 3_000 + slackMs],
  },
];

for (const { what, expression, verdict, timeoutMs, livesMs } of bombs) {
  test(`${what} loses its cell in time, and the values of other runs arrive, while the host is blocked`, async () => {
    const bomb = await createMain(
      runtime,
      `export const warm = () => 1;\nexport const bomb = () => ${expression};`,
    );
    const waiting = await createMain(runtime, busySource);
    const spinning = await createMain(runtime, busySource);
    const places = await Promise.all([bomb, waiting, spinning].map((each) => each.info()));
    assert.equal(new Set(places.map(({ cell }) => cell)).size, 3, "each is in a cell of its own");
    // Known to be quick, the bomb enters at once and with its whole time.
    valueOf(await bomb.call("main.warm"));
    valueOf(await spinning.call("main.spin", { args: [30] }));
    const death = await watchDeath(await pidOf(runtime, bomb));

    const outcomes = [
      bomb.call("main.bomb", { timeoutMs }),
      waiting.call("main.wait", { args: [honest.ms], timeoutMs: honest.timeoutMs }),
      spinning.call("main.spin", { args: [honest.ms], timeoutMs: honest.timeoutMs }),
    ] as const;
    const startedMs = nowMs();
    await turn();
    block(honest.blockedMs, () => death.diedAt() !== undefined);
    const diedMs = death.diedAt();
    await death.stop();

    assert.ok(diedMs !== undefined, "the cell was killed before the host came back");
    const tookMs = diedMs - startedMs;
    const [leastMs, mostMs] = livesMs;
    assertWithin(tookMs, mostMs, "the cell lived");
    assert.ok(tookMs >= leastMs, `the cell lived for ${tookMs} ms only`);

    const [exploded, waited, spun] = await Promise.all(outcomes);
    assertFailed(exploded, ...verdict);
    assert.deepEqual([valueOf(waited), valueOf(spun)], [honest.ms, honest.ms]);
    await Promise.all([bomb, waiting, spinning].map((each) => each.destroy()));
    await until("all cells are up again", async () => (await runtime.health()).cells.ready >= 3);
  });
}

test("runs that were still going when the host was free again have their whole time", async () => {
  await using sandbox = await createMain(runtime, busySource);
  const fine = sandbox.call("main.wait", { args: [1_500], timeoutMs: 10_000 });
  await turn();
  block(1_000);
  assert.equal(valueOf(await fine), 1_500);
  const late = sandbox.call("main.ticking", { timeoutMs: 1_500 });
  await turn();
  block(1_000);
  assertFailed(await late, "timeout", "timeoutMs");
});
