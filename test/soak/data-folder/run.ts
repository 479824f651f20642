// A soak of one runtime with a data folder: lanes of honest and hostile work for some time, figures on the way, and a comparison of
// what was acknowledged with what the folder has when it is opened again.
import { setTimeout as sleep } from "node:timers/promises";
import { createRuntime, type Runtime, type RuntimeOptions, type SandboxInfo } from "../../../src/index.ts";
import { checkFolder } from "../../../src/store/folder/maintenance/check.ts";
import { Dice } from "../../fuzz/dice.ts";
import { isSame, type Seen } from "../../restart/kills/expected.ts";
import { look } from "../../restart/kills/subjects.ts";
import { childrenOf, figuresOf } from "../../support/processes.ts";
import { programOf } from "../hostile-loop.ts";
import { Account, type Shared } from "./account.ts";
import { workInBatches } from "./batch-lane.ts";
import { EvolutionLane, evolutionFaults, evolutionPrefix, type Generation } from "./evolution-lane.ts";
import { Sampler, type Figures } from "./figures.ts";
import { attack } from "./hostile-lane.ts";
import { collection, documentOf, SandboxLane } from "./sandbox-lane.ts";
import type { RunEnd } from "./verdict.ts";

export interface SoakOptions {
  readonly data: string;
  readonly seed: number;
  readonly durationMs: number;
  readonly sampleMs: number;
  readonly onSample?: (sample: Figures) => void;
  readonly onFault?: (text: string) => void;
}

export interface SoakReport extends RunEnd {
  /** The first of those that came to an end that does not fit them. */
  readonly unfitting: readonly string[];
  /** Honest operations that a lost cell ended. */
  readonly lost: number;
  readonly operations: number;
  readonly cellsEnded: number;
  readonly openMs: number;
}

const MiB = 2 ** 20;
const hostileTimeoutMs = 20;
const honestLanes = 6;
const sandboxesEach = 40;
const hostileLanes = 2;
const killEveryMs = 15_000;
/** Far longer than anything takes that is under way when the time is over. */
const hangMs = 180_000;

// The limits are those of hostile guests; honest ones have their own. What is bounded has small bounds, so that they are reached
// within the warm-up.
const optionsOf = (data: string): RuntimeOptions => ({
  data,
  cells: { count: 2, spare: 1, warm: 8, memoryBytesMax: 1_024 * MiB },
  capacity: { memoryBytes: 3_072 * MiB },
  limits: {
    memoryBytes: 64 * MiB,
    timeoutMs: hostileTimeoutMs,
    loadMs: 300,
    stepMs: hostileTimeoutMs,
    resultBytes: 4 * MiB,
  },
  collector: { intervalMs: 5_000, tombstonesMax: 500 },
  journal: { bytesMax: MiB / 2 },
  audit: { entriesMax: 300 },
  compileCacheBytesMax: 16 * MiB,
});

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { data, onFault } = options;
  const account = new Account(onFault);
  const children = new Set(childrenOf(process.pid));
  const descriptorsBefore = figuresOf(process.pid).descriptors;
  const runtime = await createRuntime(optionsOf(data));
  const { samples, generation } = await load({ ...options, runtime, account });
  await runtime.close();
  const childrenLeft = childrenOf(process.pid).filter((pid) => !children.has(pid)).length;
  const descriptorsAfter = figuresOf(process.pid).descriptors;
  const { losses, openMs } = await reopen(data, account, generation);
  const { problems } = checkFolder(data);
  const { faults, unfitting, unfittingCount, hostileRuns, lost, operations, cellsEnded } = account;
  return {
    samples,
    faults,
    losses,
    problems: problems.map((problem) => JSON.stringify(problem)),
    unfitting,
    unfittingCount,
    hostileRuns,
    childrenLeft,
    descriptorsBefore,
    descriptorsAfter,
    lost,
    operations,
    cellsEnded,
    openMs,
  };
}

interface Load extends SoakOptions {
  readonly runtime: Runtime;
  readonly account: Account;
}

interface Loaded {
  readonly samples: readonly Figures[];
  readonly generation: Generation | undefined;
}

async function load(given: Load): Promise<Loaded> {
  const { runtime, account, seed, durationMs, data } = given;
  const endMs = performance.now() + durationMs;
  const shared: Shared = { runtime, account, isOver: () => performance.now() >= endMs };
  const costly = new Set<string>();
  runtime.events.on("cell.exited", ({ cause }) => void (cause !== "unwanted" && account.cellsEnded++));
  runtime.events.on("cell.quarantined", ({ sandboxId }) => costly.add(programOf(sandboxId)));
  runtime.events.on("sandbox.destroy.stop", ({ sandboxId }) => account.noteDestroyed(sandboxId));
  const evolution = new EvolutionLane(shared, seed);
  using sampler = new Sampler({ runtime, account, path: data });
  const lanes: Readonly<Record<string, Promise<void>>> = {
    ...numbered("honest", honestLanes, (n) =>
      new SandboxLane(shared, { name: `s${n}`, seed: seed + 10 + n, sandboxes: sandboxesEach }).work(),
    ),
    ...numbered("hostile", hostileLanes, (n) => attack(shared, seed + 100 + n, costly)),
    batches: workInBatches(shared, seed + 1),
    evolution: evolution.work(),
    kills: killCells(shared, seed + 2),
    samples: takeSamples(sampler, shared, given),
  };
  await allDone(lanes, account, durationMs + hangMs);
  return { samples: sampler.samples, generation: evolution.generation };
}

function numbered(
  name: string,
  count: number,
  start: (number: number) => Promise<void>,
): Readonly<Record<string, Promise<void>>> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name} ${n}`, start(n)]));
}

// A lane that ends with an error, or never, is a fault of its own.
async function allDone(
  lanes: Readonly<Record<string, Promise<void>>>,
  account: Account,
  withinMs: number,
): Promise<void> {
  const pending = new Set(Object.keys(lanes));
  const done = Object.entries(lanes).map(([name, lane]) =>
    lane
      .catch((error: unknown) => account.fault(`the lane "${name}" ended early: ${String(error)}`))
      .finally(() => pending.delete(name)),
  );
  const giveUp = new AbortController();
  await Promise.race([Promise.all(done), sleep(withinMs, undefined, { signal: giveUp.signal })]);
  giveUp.abort();
  for (const name of pending) account.fault(`hang: the lane "${name}" is not done`);
}

async function takeSamples(sampler: Sampler, { isOver }: Shared, given: Load): Promise<void> {
  const { sampleMs, onSample } = given;
  while (!isOver()) {
    await sleep(sampleMs);
    const sample = await sampler.sample();
    onSample?.(sample);
  }
}

async function killCells({ runtime, isOver }: Shared, seed: number): Promise<void> {
  const dice = new Dice(seed);
  for (let nextMs = performance.now() + killEveryMs; !isOver();) {
    await sleep(100);
    if (performance.now() < nextMs) continue;
    nextMs += killEveryMs;
    const { cells } = await runtime.metrics();
    const pid = cells.length === 0 ? undefined : dice.pick(cells).pid;
    try {
      if (pid !== undefined) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

interface Reopened {
  readonly losses: readonly string[];
  readonly openMs: number;
}

async function reopen(data: string, account: Account, generation: Generation | undefined): Promise<Reopened> {
  const startedMs = performance.now();
  await using runtime = await createRuntime(optionsOf(data));
  const openMs = performance.now() - startedMs;
  const losses = [
    ...(await sandboxLosses(runtime, account)),
    ...(await documentLosses(runtime, account)),
    ...(await evolutionFaults({ runtime }, generation)),
  ];
  return { losses, openMs };
}

async function sandboxLosses(runtime: Runtime, { living, destroyed }: Account): Promise<readonly string[]> {
  const losses: string[] = [];
  const infos = await runtime.list();
  const found = new Set(infos.map(({ id }) => id));
  for (const id of living.keys()) if (!found.has(id)) losses.push(`lost: ${id}`);
  for (const info of infos) {
    const known = living.get(info.id);
    if (known === undefined) {
      // One that could not be loaded stays for a while to be inspected.
      const isExpected = info.id.startsWith(evolutionPrefix) || info.status === "failed";
      if (!isExpected) losses.push(`orphan: ${info.id} is ${info.status}`);
      continue;
    }
    const loss = await lossOf(runtime, info, known);
    if (loss !== undefined) losses.push(loss);
  }
  for (const id of destroyed) {
    if (found.has(id)) continue;
    const status = (await runtime.info(id).catch(() => undefined))?.status;
    if (status !== "stopped") losses.push(`lost: the tombstone of ${id}`);
  }
  return losses;
}

async function lossOf(runtime: Runtime, info: SandboxInfo, known: Seen): Promise<string | undefined> {
  try {
    const [, seen] = await look(runtime, info);
    if (isSame(seen, known)) return undefined;
    return `changed: ${info.id}: told ${JSON.stringify(known)}, found ${JSON.stringify(seen)}`;
  } catch (error) {
    return `lost: ${info.id} cannot be looked at: ${String(error)}`;
  }
}

async function documentLosses(runtime: Runtime, { documents }: Account): Promise<readonly string[]> {
  const found = new Map(await runtime.documents.read(collection));
  const keys = new Set([...found.keys(), ...documents.keys()]);
  return [...keys].flatMap((key) => {
    const number = documents.get(key);
    const expected = number === undefined ? undefined : JSON.stringify(documentOf(number));
    return JSON.stringify(found.get(key)) === expected ? [] : [`lost: document ${key}, number ${number}`];
  });
}
