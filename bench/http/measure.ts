// The phases of the load, one after the other, each interleaved with what it is compared with.
import { startPeer, type Peer } from "../peers/child.ts";
import { median, summarise, type Summary } from "../statistics.ts";
import type { Nuisance } from "./nuisances.ts";
import type { Load, Loaded } from "./requests.ts";
import type { Memory, Started } from "./serving.ts";
import type { Streamed } from "./streams.ts";

export interface Settings {
  readonly seconds: number;
  readonly concurrency: number;
  readonly streams: number;
  readonly slowReaders: number;
  readonly halfOpen: number;
  readonly onPhase: (text: string) => void;
}

/** What several slices found together; latencies are the medians of those of the slices. */
export interface Series {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: Readonly<Record<string, number>>;
}

export interface Measured {
  readonly settings: Omit<Settings, "onPhase">;
  readonly vivarium: Series;
  readonly echo: Series;
  readonly streams: Streamed;
  readonly memory: readonly Memory[];
  readonly calm: Series;
  readonly annoyed: Series;
  readonly nuisance: Nuisance;
  /** One request at a time. */
  readonly single: { readonly local: Summary; readonly http: Summary; readonly echo: Summary };
}

const sandboxes = 8;
const warmMs = 2_000;
/** Thirds are compared, so that there are at least two slices in each. */
const slicesMin = 6;
const sliceMs = 5_000;
/** While some behave badly, others ask this many questions at a time. */
const politeConcurrency = 100;
const politeSlices = 3;
const singleRounds = 10;
const singleCount = 200;

interface Stage {
  readonly client: Peer;
  readonly serving: Peer;
  readonly started: Started;
  readonly vivarium: Omit<Load, "concurrency" | "lengthMs">;
  readonly echo: Omit<Load, "concurrency" | "lengthMs">;
}

export async function measureLoad(settings: Settings): Promise<Measured> {
  const { onPhase, ...rest } = settings;
  await using stack = new AsyncDisposableStack();
  onPhase("starting");
  const stage = await set(stack);
  await warm(stage, settings);
  const under = await loaded(stage, settings);
  const beset = await annoyed(stage, settings);
  onPhase("one request at a time");
  const single = await oneAtATime(stage);
  return { settings: rest, ...under, ...beset, single };
}

async function set(stack: AsyncDisposableStack): Promise<Stage> {
  const serving = stack.use(startPeer(new URL("serving.ts", import.meta.url), ["--expose-gc"]));
  const bare = stack.use(startPeer(new URL("echo.ts", import.meta.url)));
  const client = stack.use(startPeer(new URL("client.ts", import.meta.url)));
  const started = await serving.ask<Started>("listen", sandboxes);
  const expected = `"value":42`;
  const { port, token, sandboxIds } = started;
  const paths = sandboxIds.map((id) => `/v1/sandboxes/${id}/calls`);
  const body = JSON.stringify({ target: "main.double", args: [21] });
  return {
    client,
    serving,
    started,
    vivarium: { port, token, paths, body, expected },
    echo: { port: await bare.ask("listen"), token, paths: ["/echo"], body, expected },
  };
}

async function warm({ client, vivarium, echo }: Stage, { concurrency, onPhase }: Settings): Promise<void> {
  onPhase("warming up");
  for (const target of [vivarium, echo])
    await client.ask<Loaded>("load", { ...target, concurrency, lengthMs: warmMs });
}

async function loaded(
  { client, serving, started, vivarium, echo }: Stage,
  { seconds, concurrency, streams, onPhase }: Settings,
): Promise<Pick<Measured, "vivarium" | "echo" | "streams" | "memory">> {
  const slices = Math.max(slicesMin, Math.ceil((seconds * 1_000) / sliceMs));
  const lengthMs = (seconds * 1_000) / slices;
  const { port, token, sandboxIds } = started;
  await client.ask("openStreams", { port, token, count: streams, sandboxId: sandboxIds[0] ?? "" });
  const [ours, theirs, memory]: [Loaded[], Loaded[], Memory[]] = [[], [], []];
  await serving.ask<Memory>("memory");
  for (let slice = 1; slice <= slices; slice++) {
    onPhase(`${concurrency} requests at a time and ${streams} event streams: ${slice}/${slices}`);
    ours.push(await client.ask<Loaded>("load", { ...vivarium, concurrency, lengthMs }));
    memory.push(await serving.ask<Memory>("memory"));
    theirs.push(await client.ask<Loaded>("load", { ...echo, concurrency, lengthMs: lengthMs / 2 }));
  }
  const streamed = await client.ask<Streamed>("closeStreams");
  return { vivarium: together(ours), echo: together(theirs), streams: streamed, memory };
}

async function annoyed(
  { client, started, vivarium }: Stage,
  { seconds, slowReaders, halfOpen, onPhase }: Settings,
): Promise<Pick<Measured, "calm" | "annoyed" | "nuisance">> {
  const lengthMs = (seconds * 1_000) / 4 / politeSlices;
  const polite = { ...vivarium, concurrency: politeConcurrency, lengthMs };
  const { port, token } = started;
  const [without, beside, nuisances]: [Loaded[], Loaded[], Nuisance[]] = [[], [], []];
  for (let slice = 1; slice <= politeSlices; slice++) {
    onPhase(`slow readers and half-open connections: ${slice}/${politeSlices}`);
    without.push(await client.ask<Loaded>("load", polite));
    await client.ask("annoy", { port, token, slowReaders, halfOpen });
    beside.push(await client.ask<Loaded>("load", polite));
    nuisances.push(await client.ask<Nuisance>("stopNuisances"));
  }
  const sum = (pick: (of: Nuisance) => number): number =>
    nuisances.reduce((total, of) => total + pick(of), 0);
  const nuisance = { connections: sum((of) => of.connections), ended: sum((of) => of.ended) };
  return { calm: together(without), annoyed: together(beside), nuisance };
}

async function oneAtATime({ client, serving, vivarium, echo }: Stage): Promise<Measured["single"]> {
  const [local, http, bare]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < singleRounds; round++) {
    local.push(...(await serving.ask<number[]>("local", singleCount)));
    http.push(...(await client.ask<number[]>("oneByOne", vivarium, singleCount)));
    bare.push(...(await client.ask<number[]>("oneByOne", echo, singleCount)));
  }
  return { local: summarise(local), http: summarise(http), echo: summarise(bare) };
}

function together(slices: readonly Loaded[]): Series {
  const errors: Record<string, number> = {};
  for (const slice of slices)
    for (const [kind, count] of Object.entries(slice.errors)) errors[kind] = (errors[kind] ?? 0) + count;
  return {
    requests: slices.reduce((sum, { requests }) => sum + requests, 0),
    perSecond: median(slices.map(({ requests, seconds }) => requests / seconds)),
    p50Ms: median(slices.map(({ latencyMs }) => latencyMs.p50)),
    p99Ms: median(slices.map(({ latencyMs }) => latencyMs.p99)),
    errors,
  };
}
