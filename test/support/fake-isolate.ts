// A handler of a cell over isolates that tests drive: they say what each entry answers, when it comes back, and when the
// engine gives up an isolate.
import assert from "node:assert/strict";
import type ivm from "isolated-vm";
import type { Announcer } from "../../src/execution/cell-host/announcer.ts";
import type { BootedIsolate, HostFunctions } from "../../src/execution/cell-host/isolates/booted-isolate.ts";
import { CommandHandler } from "../../src/execution/cell-host/command-handler.ts";
import { GuestIsolate, type AnyReference } from "../../src/execution/cell-host/isolates/guest-isolate.ts";
import { Lanes } from "../../src/execution/cell-host/lanes.ts";
import { Reporter } from "../../src/execution/cell-host/reporter.ts";
import {
  quickWidth,
  type BoxLimits,
  type DoneItem,
  type LoadCommand,
  type ReloadCommand,
  type Report,
  type RunGroup,
} from "../../src/execution/protocol/messages.ts";
import { reportFrom } from "../../src/execution/protocol/encoding.ts";
import { FrameReader } from "../../src/std/frames.ts";
import { FakeClock } from "../../src/testing/index.ts";

const MiB = 2 ** 20;
const memoryMiB = 32;

/** An entry on a thread of its own that has not come back. */
export interface Inside {
  readonly name: string;
  readonly args: readonly unknown[];
  /** It comes back with this. */
  answer(value: unknown): void;
  /** It comes back as entries into an isolate that is gone do. */
  fail(): void;
}

type Guest = (name: string, args: readonly unknown[]) => unknown;

/** What an isolate does, as a test sets it. */
export class FakeIsolate {
  isDisposed = false;
  heapBytes = MiB;
  /** The processor time that it has used in all. */
  cpuMs = 1;
  externalBytes = 0;
  /** What entries answer on the main thread, and what is proposed to those on others. */
  guest: Guest = (name) => usual[name];
  /** Called before the engine is asked for processor time or heap; may end it. */
  beforeMeter: () => void = () => {};
  /** Called when a script is compiled, which is when the engine collects garbage above its limit. */
  onCompile: () => void = () => {};
  readonly inside: Inside[] = [];
  readonly booted: BootedIsolate;

  constructor() {
    const context = {
      eval: async () => {
        this.onCompile();
        return this.#enter("script", []);
      },
    };
    const isolate = new GuestIsolate(this.#asIsolate(), context as unknown as ivm.Context);
    const guest = new Proxy({}, { get: (_, name) => this.#reference(String(name)) });
    this.booted = { isolate, guest, memoryMiB, host: {} } as unknown as BootedIsolate;
  }

  get host(): HostFunctions {
    return this.booted.host;
  }

  /** The engine gives it up. */
  die(): void {
    this.isDisposed = true;
    for (const each of this.inside.splice(0)) each.fail();
  }

  #touch(): void {
    this.beforeMeter();
    if (this.isDisposed) throw new TypeError("Isolate is disposed");
  }

  #asIsolate(): ivm.Isolate {
    const script = {
      runSync: () => this.#reference("script"),
      release: () => {},
    };
    const compiled = (): typeof script => {
      this.onCompile();
      return script;
    };
    const touched = <T>(value: () => T): T => {
      this.#touch();
      return value();
    };
    const fake = {
      getHeapStatisticsSync: () =>
        touched(() => ({
          used_heap_size: this.heapBytes,
          externally_allocated_size: this.externalBytes,
          heap_size_limit: memoryMiB * MiB,
        })),
      dispose: () => touched(() => this.die()),
      compileScriptSync: compiled,
      compileScript: () => Promise.resolve(compiled()),
    };
    Object.defineProperty(fake, "isDisposed", { get: () => this.isDisposed });
    Object.defineProperty(fake, "cpuTime", { get: () => touched(() => BigInt(this.cpuMs * 1e6)) });
    return fake as unknown as ivm.Isolate;
  }

  #reference(entry: string): AnyReference {
    // The first call of a target, which also gives it its number, is a call.
    const name = entry === "callFirst" ? "call" : entry;
    return {
      applySync: (_: unknown, args: readonly unknown[]) => {
        if (this.isDisposed) throw new TypeError("Isolate is disposed");
        const answer = this.guest(name, args);
        if (this.isDisposed) throw new TypeError("Isolate was disposed during execution");
        return answer;
      },
      apply: (_: unknown, args: readonly unknown[]) => this.#enter(name, args),
      derefInto: () => ({}),
      release: () => {},
    } as unknown as AnyReference;
  }

  #enter(name: string, args: readonly unknown[]): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const fail = (): void => reject(new TypeError("Isolate is disposed"));
    if (this.isDisposed) fail();
    else {
      const answer = (value: unknown): void => resolve(name === "script" ? this.#reference(name) : value);
      this.inside.push({ name, args, fail, answer });
    }
    return promise;
  }
}

/** What a guest runtime answers where all is well. */
export const usual: Readonly<Record<string, unknown>> = {
  load: "V[]",
  reload: "V[]",
  settleReload: true,
  call: 1,
  collect: "P",
  manage: "V[]",
  probe: 1,
  turn: false,
  changes: "",
  processUsage: "0 0 0",
};

const limits: BoxLimits = {
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
        { clock: this.clock, cpuMs: () => this.clock.monotonic() },
        2,
      ),
      boots: {
        take: (_memoryMiB, later) => {
          if (!this.bootsLate) return this.#boot();
          this.booting.push(() => later(this.#boot()));
          return undefined;
        },
      },
      reporter,
      sliceMs: 25,
      processScript: { text: "", filename: "" },
    });
  }

  get lastOp(): number {
    return this.#lastOp;
  }

  #boot(): BootedIsolate {
    const isolate = new FakeIsolate();
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
