// Processes inside a sandbox: messages, starts, the memory of idle ones, and asks from outside.
import type { Runtime, Sandbox } from "vivarium";
import { startPeer } from "../peers/child.ts";
import { ours, type Row } from "../row.ts";
import { callTimes, createRuntime, double, doubling, startRuntime, unwrap } from "../subject.ts";
import { timesAtLeast } from "../target.ts";

const MB = 1e6;
// Of a sample: the clock of a sandbox counts whole milliseconds.
const messages = 500_000;
const messagesPerFlood = 50_000;
const sampleMsMax = 30_000;
const spawned = 5_000;
const idle = 10_000;
const warmUpAsks = 5_000;
const asksPerRound = 500;
const warmUpRounds = 3;
const other = "XState";

// Each function returns how many operations it did in a second, by the sandbox's own clock.
const source = `
import { ask, cast, exit, server, spawn, supervisor } from "vivarium/guest";
${doubling}
const Counter = server({
  init: () => 0,
  handleCall: (message, state) => ({ reply: state, state }),
  handleCast: (message, state) => ({ state: state + message }),
});
const rate = (count, startedMs) => count / ((Date.now() - startedMs) / 1_000);
export async function flood(count) {
  const startedMs = Date.now();
  for (let floods = count / ${messagesPerFlood}; floods > 0; floods--) {
    for (let sent = 0; sent < ${messagesPerFlood}; sent++) cast("counter", 1);
    await ask("counter", "get", { timeoutMs: 60_000 });
  }
  return rate(count, startedMs);
}
const wait = (self) => self.receive();
export async function populate(count) {
  const startedMs = Date.now();
  const pids = Array.from({ length: count }, () => spawn(wait));
  await new Promise((resolve) => spawn(resolve));
  for (const pid of pids) exit(pid, "kill");
  return rate(count, startedMs);
}
const kept = [];
export async function keep(count) {
  for (let made = 0; made < count; made++) kept.push(spawn(wait));
  await new Promise((resolve) => spawn(resolve));
  return kept.length;
}
export default supervisor({ children: [{ id: "counter", start: Counter }] });`;

const limits = { processes: 10_000, messageQueue: 1_000_000, memoryBytes: 512 * 2 ** 20 };

const createOn = (runtime: Runtime): Promise<Sandbox> =>
  runtime.create({ modules: { main: source }, supervisor: "main", limits });

async function idleMegabytes(): Promise<number> {
  await using runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 0 } });
  const sandbox = await createOn(runtime);
  const rssBytes = async (): Promise<number> => (await runtime.metrics()).cells[0]?.rssBytes ?? NaN;
  const beforeBytes = await rssBytes();
  unwrap(await sandbox.call("main.keep", { args: [idle - 3] }));
  return ((await rssBytes()) - beforeBytes) / MB;
}

interface RateOf {
  readonly inside: string;
  readonly outside: string;
  readonly count: number;
  /** How many times the peer's rate is promised, and aimed at. */
  readonly times: readonly [floor: number, aim: number];
}

/** A row in which a function of the sandbox and one of the peer each return their rate. */
const rateRow = (
  row: Pick<Row, "name" | "about" | "unit">,
  { inside, outside, count, times }: RateOf,
): Row => ({
  ...row,
  rounds: 10,
  targets: [timesAtLeast("floor", times[0], other), timesAtLeast("aim", times[1], other)],
  async prepare(stack) {
    const sandbox = await createOn(await startRuntime(stack));
    const peer = stack.use(startPeer("xstate.ts"));
    const own = async (): Promise<number> =>
      unwrap(await sandbox.call<number>(`main.${inside}`, { args: [count], timeoutMs: sampleMsMax }));
    for (let round = 0; round < warmUpRounds; round++) {
      await own();
      await peer.ask(outside, count);
    }
    return [
      { name: ours, sample: own },
      { name: other, sample: () => peer.ask(outside, count) },
    ];
  },
});

export const processRows: readonly Row[] = [
  rateRow(
    {
      name: "messages inside one isolate",
      about: `${messages.toLocaleString("en-US")} messages to one server, at most ${messagesPerFlood.toLocaleString("en-US")} waiting, supervised and counted; ${other}: to one actor in plain Node`,
      unit: "messages/s",
    },
    { inside: "flood", outside: "messages", count: messages, times: [0.6, 1] },
  ),
  rateRow(
    {
      name: "processes begun and ended",
      about: `${spawned.toLocaleString("en-US")} processes spawned, each in its first receive, then killed; ${other}: actors started, sent one event, stopped`,
      unit: "processes/s",
    },
    { inside: "populate", outside: "spawn", count: spawned, times: [1, 1.5] },
  ),
  {
    name: "10,000 idle processes",
    about: `resident memory added by ${idle.toLocaleString("en-US")} processes that wait, in one sandbox; ${other}: as many idle actors in plain Node`,
    unit: "MB",
    rounds: 3,
    targets: [],
    async prepare() {
      return [
        { name: ours, sample: idleMegabytes },
        {
          name: other,
          sample: async () => {
            await using peer = startPeer("xstate.ts");
            return await peer.ask("idle", idle);
          },
        },
      ];
    },
  },
  {
    name: "ask round trip",
    about: `one message to a server awaited before the next, after ${warmUpAsks.toLocaleString("en-US")} to warm up; beside a call`,
    unit: "µs",
    rounds: 10,
    targets: [],
    async prepare(stack) {
      const sandbox = await createOn(await startRuntime(stack));
      const ask = async (): Promise<unknown> => unwrap(await sandbox.ask("counter", "get"));
      await callTimes(warmUpAsks, ask);
      await callTimes(warmUpAsks, () => double(sandbox));
      return [
        { name: ours, sample: () => callTimes(asksPerRound, ask) },
        { name: "vivarium call", sample: () => callTimes(asksPerRound, () => double(sandbox)) },
      ];
    },
  },
];
