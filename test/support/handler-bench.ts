// A handler of a cell over isolates that tests drive.
import assert from "node:assert/strict";
import type { Announcer } from "../../src/execution/cell-host/announcer.ts";
import { CommandHandler } from "../../src/execution/cell-host/command-handler.ts";
import type { BootedIsolate } from "../../src/execution/cell-host/isolates/booted-isolate.ts";
import { Lanes } from "../../src/execution/cell-host/lanes.ts";
import { Reporter } from "../../src/execution/cell-host/reporter.ts";
import { reportFrom } from "../../src/execution/protocol/encoding.ts";
import {
  quickWidth,
  type BoxLimits,
  type DoneItem,
  type LoadCommand,
  type ReloadCommand,
  type Report,
  type RunGroup,
} from "../../src/execution/protocol/messages.ts";
import { FrameReader } from "../../src/std/frames.ts";
import { FakeClock } from "../../src/testing/index.ts";
import { FakeIsolate, memoryMiB } from "./fake-isolate.ts";

const MiB = 2 ** 20;

/** The limits of each sandbox. */
export const limits: BoxLimits = {
  memoryBytes: memoryMiB * MiB,
  stepMs: 100,
  cpuPercent: null,
  resultBytes: MiB,
  outputBytes: MiB,
  fuel: null,
  processes: 10,
  messageQueue: 10,
  loadMs: 1_000,
};

/** A handler with two lanes, and all that it reported. */
export class HandlerBench {
  readonly clock = new FakeClock();
  readonly isolates: FakeIsolate[] = [];
  readonly reports: Report[] = [];
  readonly handler: CommandHandler;
  /** Isolates are booted on other threads, until the test calls what is in `booting`. */
  bootsLate = false;
  readonly booting: (() => void)[] = [];
  readonly begunUpTo: number[] = [];
  /** Isolates that sandboxes leave are kept. */
  wantsBack = false;
  /** How long the machine was busy elsewhere, and had no time for the cell. */
  elsewhereMs = 0;
  #lastOp = 0;

  constructor() {
    const announcer = {
      how: "mapped",
      enter: () => {},
      leave: () => {},
      beat: () => {},
      noteBegun: (op: number) => void this.begunUpTo.push(op),
    };
    const reader = new FrameReader(64 * MiB);
    const reporter = new Reporter((frame) =>
      reader.push(frame, (message, texts) => this.reports.push(reportFrom(message, texts) as Report)),
    );
    this.handler = new CommandHandler({
      clock: this.clock,
      lanes: new Lanes(
        announcer as unknown as Announcer,
        { clock: this.clock, cpuMs: () => this.clock.monotonic() - this.elsewhereMs },
        2,
      ),
      boots: {
        take: ({ isDense }, later) => {
          if (!this.bootsLate) return this.#boot(isDense);
          this.booting.push(() => later(this.#boot(isDense)));
          return undefined;
        },
      },
      reusable: { wants: () => this.wantsBack },
      reporter,
      sliceMs: 25,
      processScript: { text: "", filename: "" },
    });
  }

  get lastOp(): number {
    return this.#lastOp;
  }

  // All dense sandboxes are in one isolate, while that is there.
  #boot(isDense: boolean): BootedIsolate {
    const dense = this.isolates.find(({ shared }) => isDense && shared.isDense && !shared.isGone);
    if (dense !== undefined) return dense.add();
    const isolate = new FakeIsolate();
    isolate.shared.isDense = isDense;
    this.isolates.push(isolate);
    return isolate.booted;
  }

  /** Loads a sandbox of this key; its isolate. */
  load(key: number, more: Partial<LoadCommand> = {}): FakeIsolate {
    this.handler.handle({
      t: "load",
      op: ++this.#lastOp,
      key,
      lane: "sync",
      isProven: false,
      isDense: false,
      budgetMs: 1_000,
      limits,
      character: { deterministic: null },
      features: [],
      isHeld: false,
      usedMs: 0,
      processes: null,
      modules: [],
      ...more,
    });
    return this.isolates.at(-1) as FakeIsolate;
  }

  /** Starts one run; its operation. */
  run(key: number, more: Partial<RunGroup> = {}): number {
    const op = ++this.#lastOp;
    const group = { op, module: "main", export: "f", timeoutMs: 300, cpuMs: null, fuel: null, ...more };
    const whole: RunGroup = { lane: "sync", ...group, keys: [key], args: [[1]] };
    this.handler.run(this.handler.prepare(whole), 0);
    return op;
  }

  reload(key: number, more: Partial<ReloadCommand> = {}): number {
    const op = ++this.#lastOp;
    this.handler.handle({
      t: "reload",
      lane: "async",
      op,
      key,
      budgetMs: 500,
      modules: [],
      removed: [],
      versions: "",
      states: "",
      ...more,
    });
    return op;
  }

  /** Another operation of those that have one. */
  order(key: number, t: "manage" | "settle" | "sample"): number {
    const op = ++this.#lastOp;
    if (t === "manage") this.handler.handle({ t, op, key, budgetMs: 500, verb: "", first: "", second: "" });
    else if (t === "settle") this.handler.handle({ t, op, key, isCommitted: true });
    else this.handler.handle({ t, op, key });
    return op;
  }

  /** Lets all that can go on go on. */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(this.handler.unaccounted(), 0);
  }

  /** How each operation was reported to have ended, in order; `answered` for ordinary ends. */
  ends(): Map<number, string[]> {
    const ends = new Map<number, string[]>();
    const note = (op: number, end: string): void => void ends.set(op, [...(ends.get(op) ?? []), end]);
    for (const report of this.reports) {
      if (report.t !== "done") continue;
      for (let at = 0; at < report.quick.length; at += quickWidth)
        note(report.quick[at] as number, "answered");
      for (const { op, verdict } of report.items) note(op, verdict);
    }
    return ends;
  }

  item(op: number): DoneItem | undefined {
    return this.reports
      .flatMap((report) => (report.t === "done" ? report.items : []))
      .find((each) => each.op === op);
  }
}

/** Dense sandboxes in one isolate. */
export async function denseBench(
  ...keys: number[]
): Promise<{ readonly at: HandlerBench; readonly isolate: FakeIsolate }> {
  const at = new HandlerBench();
  for (const key of keys) at.load(key, { isDense: true });
  await at.settle();
  assert.equal(at.isolates.length, 1);
  return { at, isolate: at.isolates[0] as FakeIsolate };
}
