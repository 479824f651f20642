// Hostile programs, each beside a neighbour in the same cell, or in the same isolate where both are dense: each ends in an expected way, the neighbour continues to
// answer, the sandbox answers again where it may, and the host's memory does not grow.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createRuntime,
  LoadError,
  type Outcome,
  type PlacementSpec,
  type Runtime,
  type Sandbox,
} from "../../src/index.ts";
import { assertWithin, scaledMs } from "../support/machine.ts";
import { watchNeighbour } from "./containment.ts";
import { calmValue, type Hostile } from "./programs/program.ts";
import { programs } from "./programs/index.ts";

const MiB = 2 ** 20;
/** For programs that may end by it. */
const timeoutMs = Math.ceil(scaledMs(300));
/** For all others: also on a machine that becomes busy they have the time to end as they are to. */
const patientMs = 10 * timeoutMs;
/** How long the neighbour may wait: a cell that must be killed is killed soon, and another answers within a second. */
const neighbourMsMax = 1_000;
/**
 * What V8 says where a thread of its compiler asks for a collection of a full heap while that is being given up: one time in fifty
 * where a list of 80 MB is returned from another thread than the main one. The guest ends as one that brought down its cell.
 */
const enginesFault = "Check failed: GetTimerForCollectionRequest(kind).IsStarted()";
const hostGrowthBytesMax = 300 * MiB;

interface Row {
  readonly id: string;
  readonly end: string;
  readonly ms: number;
  readonly calm: string;
  readonly neighbour: string;
}

/** What is there while the programs run. */
interface Scene {
  readonly runtime: Runtime;
  neighbour: Sandbox;
  readonly placement: PlacementSpec;
  readonly rows: Row[];
  readonly hostBytes: number;
  /** Why cells ended since the program began. */
  readonly exits: string[];
  /** How many programs were in the isolate that the neighbour was in. */
  besideNeighbour: number;
}

export function hostileSuite(placement: PlacementSpec): void {
  let scene: Scene;

  before(async () => {
    scene = await openScene(placement);
  });

  after(async () => {
    console.log(tableOf(scene.rows));
    await scene.runtime.close();
  });

  for (const [target, list] of Object.entries(programs)) {
    suite(`attacking ${target}`, () => {
      for (const program of list) test(`${program.id} is contained`, () => contain(scene, program));
    });
  }

  test("most programs were in the isolate of the neighbour where that is dense, else none", () => {
    const { besideNeighbour, rows } = scene;
    if (placement.dense === true) assert.ok(besideNeighbour > rows.length / 2, `only ${besideNeighbour}`);
    else assert.equal(besideNeighbour, 0);
  });
}

async function openScene(placement: PlacementSpec): Promise<Scene> {
  const runtime = await createRuntime({
    cells: { count: 1, spare: 1, warm: 4 },
    limits: { memoryBytes: 64 * MiB, resultBytes: 4 * MiB },
  });
  const exits: string[] = [];
  runtime.events.on("cell.exited", ({ cause }) => exits.push(cause));
  const neighbour = await makeNeighbour(runtime, placement);
  const hostBytes = process.memoryUsage.rss();
  return { runtime, neighbour, placement, rows: [], hostBytes, exits, besideNeighbour: 0 };
}

async function makeNeighbour(runtime: Runtime, placement: PlacementSpec): Promise<Sandbox> {
  const neighbour = await runtime.create("neighbour", {
    modules: { main: "export const twice = (n) => n * 2;" },
    limits: { timeoutMs: 5_000 },
    placement,
  });
  await neighbour.call("main.twice", { args: [1] });
  return neighbour;
}

async function contain(scene: Scene, program: Hostile): Promise<void> {
  const { runtime, rows, exits, hostBytes, placement } = scene;
  if (placement.dense === true) {
    // The isolate in which a program was cut gets no other one.
    await scene.neighbour.destroy();
    scene.neighbour = await makeNeighbour(runtime, placement);
  }
  const { neighbour } = scene;
  while ((await runtime.health()).cells.ready < 2) await sleep(10);
  exits.length = 0;
  const watch = watchNeighbour(neighbour);
  const startedMs = performance.now();
  const { end, detail, value, calm } = await letLoose(scene, program);
  const ms = performance.now() - startedMs;
  const { longestMs, failures } = await watch.stop();
  const died = exits.length > 0 ? `, cell died (${exits.join(", ")})` : "";
  rows.push({ id: program.id, end, ms, calm, neighbour: `${longestMs.toFixed(0)} ms${died}` });
  assert.deepEqual(failures, [], "the neighbour had to suffer");
  const ends: readonly string[] = program.expect;
  const isEnginesFault = ends.includes("memory") && end === "crashed" && detail.includes(enginesFault);
  assert.ok(ends.includes(end) || isEnginesFault, `it ended as ${end}: ${detail}`);
  if (end === "ok" && program.value !== undefined) assert.deepEqual(value, program.value);
  assert.ok(
    ((program.calm ?? ["ok", "not-running"]) as readonly string[]).includes(calm),
    `afterwards: ${calm}`,
  );
  // Before a cell is killed it may have been blocked for as long as the run may last.
  const blockedMs = died === "" ? 0 : timeOf(program) + 150;
  // In a dense isolate one is inside at a time: the program, as it is loaded, and as it runs.
  const othersMs = placement.dense === true ? 2 * timeOf(program) : 0;
  const waitMsMax = neighbourMsMax + blockedMs + othersMs;
  assertWithin(longestMs, waitMsMax, "the neighbour waited");
  assert.ok(detail.length < 4_000, "a message has an end");
  const growth = process.memoryUsage.rss() - hostBytes;
  assert.ok(growth < hostGrowthBytesMax, `the host grew by ${(growth / MiB).toFixed(0)} MiB`);
}

interface End {
  readonly end: string;
  readonly detail: string;
  readonly value: unknown;
  readonly calm: string;
}

async function letLoose(scene: Scene, program: Hostile): Promise<End> {
  const { runtime, neighbour, placement } = scene;
  const id = `hostile-${program.id}`;
  try {
    const ms = timeOf(program);
    const limits = { timeoutMs: ms, loadMs: ms, stepMs: ms };
    const sandbox = await runtime.create(id, { modules: program.modules, limits, placement });
    if ((await isolateOf(sandbox)) === (await isolateOf(neighbour))) scene.besideNeighbour++;
    const options = program.timeoutMs === undefined ? {} : { timeoutMs: program.timeoutMs };
    const { run, target = "main.bomb", times = 1 } = program;
    const act = (): Promise<Outcome> =>
      run === undefined ? sandbox.call(target, options) : sandbox.run(run, options);
    let outcome = await act();
    for (let n = 1; n < times; n++) outcome = await act();
    const calm = await sandbox.call("main.calm");
    if (calm.ok) assert.equal(calm.value, calmValue);
    return {
      end: endOf(outcome),
      detail: detailOf(outcome),
      value: outcome.ok ? outcome.value : undefined,
      calm: endOf(calm),
    };
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    return {
      end: error.failure?.kind ?? "load",
      detail: error.message,
      value: undefined,
      calm: "not-running",
    };
  } finally {
    if (await runtime.has(id)) await runtime.destroy(id);
  }
}

function timeOf({ expect }: Hostile): number {
  return expect.includes("timeout") ? timeoutMs : patientMs;
}

async function isolateOf(sandbox: Sandbox): Promise<number | undefined> {
  return (await sandbox.info()).usage.isolate;
}

const endOf = (outcome: Outcome): string => (outcome.ok ? "ok" : outcome.error.kind);
const detailOf = (outcome: Outcome): string => (outcome.ok ? "" : outcome.error.message);

function tableOf(all: readonly Row[]): string {
  const line = (row: Record<keyof Row, string>): string =>
    `${row.id.padEnd(36)} ${row.end.padEnd(15)} ${row.ms.padStart(6)}  ${row.calm.padEnd(12)} ${row.neighbour}`;
  const head = line({ id: "program", end: "outcome", ms: "ms", calm: "afterwards", neighbour: "neighbour" });
  const body = all.map((row) => line({ ...row, ms: row.ms.toFixed(0) }));
  const dead = all.filter(({ neighbour }) => neighbour.includes("died")).length;
  return [head, ...body, `${all.length} programs, ${dead} of them ended their cell`].join("\n");
}
