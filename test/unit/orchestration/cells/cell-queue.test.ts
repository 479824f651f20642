// What the watchdog is told about the memory of a cell, so that it does not mistake new isolates for a guest's growth; and
// why a cell is ended that reports that it cannot be used.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cell } from "../../../../src/execution/cell.ts";
import { unendedEntry, type Command, type DoneItem } from "../../../../src/execution/protocol/messages.ts";
import { defaultLimits } from "../../../../src/model/limits.ts";
import { CellQueue } from "../../../../src/orchestration/cells/cell-queue.ts";
import { freshHeapBytes } from "../../../../src/orchestration/cells/held-heap.ts";
import type { QueueListener } from "../../../../src/orchestration/cells/queue-listener.ts";
import type { SandboxInCell } from "../../../../src/orchestration/cells/sandbox-in-cell.ts";
import type {
  ControlTicket,
  LoadTicket,
  Place,
  RunTicket,
} from "../../../../src/orchestration/runs/ticket.ts";
import { presets } from "../../../../src/security/presets.ts";
import { ServiceMeter } from "../../../../src/std/service-meter.ts";
import { doneItem } from "../../../support/done-item.ts";
import { FakeClock } from "../../../../src/testing/index.ts";

test("the watchdog knows of the memory of an isolate as soon as its load is sent, and of its samples within its limit later", () => {
  const told: number[] = [];
  const cell = {
    number: 1,
    send: () => {},
    setInFlight: () => {},
    makeRoom: () => {},
    setHeapBytes: (bytes: number) => void told.push(bytes),
  } as unknown as Cell;
  const options = { clock: new FakeClock(), asyncLanes: 2, nextOp: () => 1, onBusy: () => {} };
  const queue = new CellQueue(cell, options, {} as QueueListener<CellQueue>);
  // The last one is a false report: it would let its cell grow by terabytes.
  const heaps = [0, 5_000_000, 2 ** 42];
  for (const [key, heapBytes] of heaps.entries()) {
    const sandbox = {
      limits: defaultLimits,
      character: { deterministic: null },
      profile: presets["medium"],
      grants: { fetchBy: undefined },
      order: [],
      modules: new Map(),
      processes: null,
      checkpoint: { isThere: false },
      versions: { heads: new Map(), head: { heads: new Map() } },
      usage: { heapBytes, externalBytes: 0 },
      service: new ServiceMeter(),
    } as unknown as SandboxInCell;
    queue.sandboxes.set(key, sandbox);
    queue.load({ kind: "load", lane: "sync", place: { key } as Place } as LoadTicket, sandbox);
  }
  queue.updateHeapBytes();
  const fresh = [freshHeapBytes, 2 * freshHeapBytes, 3 * freshHeapBytes];
  assert.deepEqual(told, [...fresh, freshHeapBytes + 5_000_000 + defaultLimits.memoryBytes]);
});

test("a cell whose engine could not end an entry is ended for that entry's deadline, any other that gives up as poisoned", () => {
  const causes: string[] = [];
  const cell = { number: 1, kill: (cause: string) => void causes.push(cause) } as unknown as Cell;
  const options = { clock: new FakeClock(), asyncLanes: 2, nextOp: () => 1, onBusy: () => {} };
  const queue = new CellQueue(cell, options, {} as QueueListener<CellQueue>);
  queue.onReport({ t: "poisoned", why: unendedEntry });
  queue.onReport({ t: "poisoned", why: "Catastrophic out-of-memory error" });
  assert.deepEqual(causes, ["deadline", "poisoned"]);
});

test("a cell that says of what has a lane of its own that the main lane was spared, or its slice too short, is ended", () => {
  for (const verdict of ["spared", "sliced"] as const) {
    const causes: string[] = [];
    const cell = {
      number: 1,
      send: () => {},
      setInFlight: () => {},
      kill: (cause: string) => void causes.push(cause),
    } as unknown as Cell;
    const options = { clock: new FakeClock(), asyncLanes: 2, nextOp: () => 7, onBusy: () => {} };
    const queue = new CellQueue(cell, options, {} as QueueListener<CellQueue>);
    queue.control({ kind: "control", lane: "async", place: { key: 1 } as Place } as ControlTicket, (op) => {
      return { t: "sample", key: 1, op };
    });
    const times = { startedUs: 0, wallUs: 0, cpuUs: 0, outputBytes: 0, fuel: null, isLost: false };
    const items = [{ op: 7, verdict, answer: "", ...times }];
    queue.onReport({ t: "done", quick: [], items, heaps: [], states: [] });
    assert.deepEqual(causes, ["protocol"]);
  }
});

test("sixty-four short runs are sent at a time, and sixteen while calls come one by one, whatever loads are there", async () => {
  const sent: number[] = [];
  const cell = {
    number: 1,
    send: (command: Command) =>
      command.t === "run" && sent.push(command.groups.reduce((sum, { keys }) => sum + keys.length, 0)),
    setInFlight: () => {},
    makeRoom: () => {},
    setHeapBytes: () => {},
  } as unknown as Cell;
  const sandbox = { service: new ServiceMeter() };
  const terms = {};
  const run = (key: number): RunTicket =>
    ({ kind: "run", lane: "sync", terms, args: [], sandbox, place: { key } }) as unknown as RunTicket;
  let op = 0;
  const queueOf = (): CellQueue => {
    const options = { clock: new FakeClock(), asyncLanes: 2, nextOp: () => ++op, onBusy: () => {} };
    return new CellQueue(cell, options, { onRunDone: () => {} } as unknown as QueueListener<CellQueue>);
  };
  const pushAll = async (queue: CellQueue, count: number, key = 1): Promise<number[]> => {
    for (let n = 0; n < count; n++) queue.run(run(key));
    await Promise.resolve();
    return sent.splice(0);
  };
  const usual = queueOf();
  assert.deepEqual(await pushAll(usual, 200), [64]);
  const single = queueOf();
  for (let n = 0; n < 30; n++)
    single.control({ kind: "control", lane: "sync", place: { key: 2 } } as ControlTicket, (number) => ({
      t: "sample",
      op: number,
      key: 2,
    }));
  assert.deepEqual(await pushAll(single, 1), [1]);
  assert.deepEqual(await pushAll(single, 200), [16]);
  // Those that wait for their sandbox make room for others; said again, they do not. Of their own sandbox no more are sent.
  const [last, one] = [op, op - 1];
  for (const late of [last, one, last]) single.onReport({ t: "waiting", op: late });
  assert.deepEqual(sent.splice(0), []);
  assert.deepEqual(await pushAll(single, 1, 2), [1]);
  const done = { t: "done", quick: [], heaps: [], states: [] } as const;
  const item = (number: number): DoneItem => doneItem(number, 1);
  single.onReport({ ...done, items: [item(op), item(one), item(last)] });
  assert.deepEqual(sent.splice(0), [16]);
});

test("a lane that becomes free goes to whoever used least, with what the run that left it used", async () => {
  const sent: number[] = [];
  const cell = {
    number: 1,
    send: (command: Command) =>
      command.t === "run" && sent.push(...command.groups.flatMap(({ keys }) => keys)),
    setInFlight: () => {},
  } as unknown as Cell;
  let op = 0;
  const clock = new FakeClock();
  const options = { clock, asyncLanes: 1, nextOp: () => ++op, onBusy: () => {} };
  // As a sandbox does: what a run used is charged when it has ended.
  const onRunDone = ({ sandbox }: RunTicket): void => sandbox.service.add(900, clock.monotonic());
  const queue = new CellQueue(cell, options, { onRunDone } as unknown as QueueListener<CellQueue>);
  const services = new Map([1, 2, 3].map((key) => [key, new ServiceMeter()]));
  const run = (key: number): RunTicket =>
    ({
      kind: "run",
      lane: "async",
      terms: {},
      args: [],
      sandbox: { service: services.get(key) },
      place: { key },
      submittedMs: clock.monotonic(),
      waitingSinceMs: clock.monotonic(),
    }) as unknown as RunTicket;
  // Two have the lanes, and their second runs wait for longer than the first one of the third.
  for (const key of [1, 2, 1, 2, 3]) queue.run(run(key));
  await Promise.resolve();
  assert.deepEqual(sent.splice(0), [1, 2]);
  queue.onReport({ t: "done", quick: [], heaps: [], states: [], items: [doneItem(1, 1)] });
  assert.deepEqual(sent, [3]);
});
