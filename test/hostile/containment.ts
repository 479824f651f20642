// Runs a hostile program beside a neighbour in the same cell and returns how both ended.
import { setTimeout as sleep } from "node:timers/promises";
import {
  createRuntime,
  LoadError,
  type Outcome,
  type PlacementSpec,
  type Runtime,
  type Sandbox,
} from "../../src/index.ts";

export interface HostileProgram {
  readonly id: string;
  /** A module whose `bomb` is called; or one that does its work when it is loaded. */
  readonly source: string;
  readonly timeoutMs?: number;
  /** Its own and that of its neighbour. */
  readonly placement?: PlacementSpec;
}

export interface Containment {
  readonly id: string;
  /** `ok`, or the failure kind. */
  readonly outcome: string;
  readonly message: string;
  readonly ms: number;
  /** The longest that the neighbour had to wait for an answer. */
  readonly neighbourMs: number;
  readonly neighbourFailures: readonly string[];
  readonly hasCellDied: boolean;
}

const memoryBytes = 64 * 2 ** 20;

/** A runtime in which all sandboxes share one cell, with a spare one. */
export async function startContainment(): Promise<Runtime> {
  const runtime = await createRuntime({
    cells: { count: 1, spare: 1, warm: 4 },
    limits: { memoryBytes, timeoutMs: 1_000, loadMs: 1_000 },
  });
  while ((await runtime.health()).cells.ready < 2) await sleep(20);
  return runtime;
}

/** Runs one program; the neighbour is called all the time, and once more afterwards. */
export async function contain(runtime: Runtime, program: HostileProgram): Promise<Containment> {
  const { placement = {} } = program;
  const modules = { main: "export const twice = (n) => n * 2" };
  await using neighbour = await runtime.create({ modules, placement });
  await neighbour.call("main.twice", { args: [1] });
  const exits: string[] = [];
  const stopListening = runtime.events.on("cell.exited", ({ cause }) => exits.push(cause));
  const watch = watchNeighbour(neighbour);
  const startedMs = performance.now();
  const outcome = await runBomb(runtime, program);
  const ms = performance.now() - startedMs;
  const { longestMs, failures } = await watch.stop();
  stopListening();
  return {
    id: program.id,
    outcome: outcome.ok ? "ok" : outcome.error.kind,
    message: outcome.ok ? "" : outcome.error.message,
    ms,
    neighbourMs: longestMs,
    neighbourFailures: failures,
    hasCellDied: exits.length > 0,
  };
}

async function runBomb(runtime: Runtime, program: HostileProgram): Promise<Outcome> {
  const id = `bomb-${program.id}`;
  try {
    const sandbox = await runtime.create(id, {
      modules: { main: program.source },
      placement: program.placement ?? {},
    });
    return await sandbox.call(
      "main.bomb",
      program.timeoutMs === undefined ? {} : { timeoutMs: program.timeoutMs },
    );
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    const failure = error.failure ?? { kind: "load", message: error.message };
    return { ok: false, error: failure, usage: (await runtime.info(id)).usage as never, logs: [] };
  } finally {
    if (await runtime.has(id)) await runtime.destroy(id);
  }
}

/** Calls the neighbour all the time, and once more at the end. */
export function watchNeighbour(neighbour: Sandbox): {
  stop(): Promise<{ longestMs: number; failures: string[] }>;
} {
  let isStopped = false;
  let longestMs = 0;
  const failures: string[] = [];
  const loop = (async () => {
    for (let n = 1; ; n++) {
      const isLast = isStopped;
      const startedMs = performance.now();
      const outcome = await neighbour.call("main.twice", { args: [n], repeatable: true });
      longestMs = Math.max(longestMs, performance.now() - startedMs);
      if (!outcome.ok) failures.push(`${outcome.error.kind}: ${outcome.error.message}`);
      else if (outcome.value !== n * 2) failures.push(`wrong value ${String(outcome.value)}`);
      if (isLast) return;
      await sleep(5);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await loop;
      return { longestMs, failures };
    },
  };
}

/** One line per program, aligned. */
export function containmentTable(rows: readonly Containment[]): string {
  const lines = rows.map((row) => {
    const neighbour =
      row.neighbourFailures.length > 0
        ? `FAILED ${row.neighbourFailures[0]}`
        : `unaffected (${row.neighbourMs.toFixed(0)} ms)`;
    return `${row.id.padEnd(34)} ${row.outcome.padEnd(15)} ${row.ms.toFixed(0).padStart(6)} ms  ${row.hasCellDied ? "cell died " : "          "} neighbour ${neighbour}`;
  });
  return ["program".padEnd(34) + " outcome".padEnd(17) + "     ms", ...lines].join("\n");
}
