// Whether a call takes longer when many sandboxes are running.
import type { Sandbox, SandboxSpec } from "vivarium";
import type { Entrant, Row } from "../row.ts";
import { callTimes, dense, double, populate, startRuntime } from "../subject.ts";
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
  return { name: named(count), sample: () => callTimes(callsPerRound, callNext) };
}

interface Size {
  readonly counts: readonly number[];
  readonly targets: readonly Target[];
  /** The sandboxes share isolates. */
  readonly isDense?: boolean;
}

function row({ counts, targets, isDense = false }: Size): Row {
  return {
    name: `call latency, up to ${named(counts.at(-1) as number)}${isDense ? ", dense" : ""}`,
    about: `one tiny call at a time, into each of all living ${isDense ? "dense " : ""}sandboxes in turn`,
    unit: "µs",
    rounds: 10,
    targets,
    async prepare(stack) {
      const entrants: Entrant[] = [];
      for (const count of counts) entrants.push(await among(stack, count, isDense ? dense : undefined));
      return entrants;
    },
  };
}

const many = { counts: [10, 10_000], targets: [flatAt("aim", 10_000)] } as const;

export const liveRows: readonly Row[] = [
  row({ counts: [10, 100, 1_000], targets: [flatAt("floor", 100), flatAt("aim", 1_000)] }),
  { ...row(many), isLarge: true },
  { ...row({ ...many, isDense: true }), isLarge: true },
];
