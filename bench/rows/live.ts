// Whether a call takes longer when many sandboxes are running.
import type { Sandbox, SandboxSpec } from "vivarium";
import type { Entrant, Row } from "../row.ts";
import { callTimes, dense, double, populate, startRuntime, takesDense } from "../subject.ts";
import { ratio, type Level, type Target } from "../target.ts";

const warmUpCalls = 20_000;
const callsPerRound = 500;
const flat = 1.25;

function named(count: number): string {
  return `${count.toLocaleString("en-US")} live`;
}

function flatAt(level: Level, count: number): Target {
  const text = `p50 at ${named(count)} ≤ ${flat} × at ${named(10)}`;
  return { level, text, isMet: (summaries) => ratio(summaries, named(count), named(10)) <= flat };
}

/** Calls all sandboxes of one runtime in turn. */
async function among(
  stack: AsyncDisposableStack,
  count: number,
  spec?: Partial<SandboxSpec>,
): Promise<Entrant> {
  const runtime = await startRuntime(stack);
  const ids = await populate(runtime, count, spec);
  const sandboxes = await Promise.all(ids.map((id) => runtime.get(id)));
  let next = 0;
  const callNext = (): Promise<void> => double(sandboxes[next++ % count] as Sandbox);
  await callTimes(Math.max(warmUpCalls, 2 * count), callNext);
  const name = spec === undefined ? named(count) : `${named(count)}, dense`;
  return { name, sample: () => callTimes(callsPerRound, callNext) };
}

function row(counts: readonly number[], targets: readonly Target[]): Row {
  return {
    name: `call latency, up to ${named(counts.at(-1) as number)}`,
    about: "one tiny call at a time, into each of all living sandboxes in turn",
    unit: "µs",
    rounds: 10,
    targets,
    async prepare(stack) {
      const entrants: Entrant[] = [];
      for (const count of counts) entrants.push(await among(stack, count));
      if (await takesDense(await startRuntime(stack)))
        entrants.push(await among(stack, counts.at(-1) as number, dense));
      return entrants;
    },
  };
}

export const liveRows: readonly Row[] = [
  row([10, 100, 1_000], [flatAt("floor", 100), flatAt("aim", 1_000)]),
  { ...row([10, 10_000], [flatAt("aim", 10_000)]), isLarge: true },
];
