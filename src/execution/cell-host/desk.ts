// The cell's desk: takes commands, drives their flows through the lanes, and reports how they ended.
import type { Clock } from "../../std/clock.ts";
import { answerLetters } from "../../model/answer-letters.ts";
import type {
  BoxLimits,
  Command,
  LoadCommand,
  ManageCommand,
  ReloadCommand,
  RunGroup,
} from "../protocol/messages.ts";
import { mainSlot } from "../slate.ts";
import { Activity, type ActivityPlan } from "./activity.ts";
import { Beginnings } from "./beginnings.ts";
import { memoryMiBOf } from "./booted-isolate.ts";
import { Box, type ProcessScript } from "./box.ts";
import { Driver } from "./driver.ts";
import { Endings } from "./endings.ts";
import { limitsFlow, loadFlow } from "./code-flows.ts";
import { answerFlow, answerRequestFlow, disposedEnding, manageFlow } from "./flows.ts";
import { reloadFlow, settleFlow } from "./reload-flow.ts";
import type { EntryResult, Lanes } from "./lanes.ts";
import type { Reporter } from "./reporter.ts";
import { openRequest } from "./requests.ts";
import { aimFlow, entryOf, runFlow, type RunOrder } from "./run-flow.ts";
import { orderOf, toBatch, type RunBatch } from "./run-batch.ts";
import { Ticks } from "./ticks.ts";
import type { WarmPool } from "./warm-pool.ts";

export interface DeskParts {
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly pool: WarmPool;
  readonly reporter: Reporter;
  readonly sliceMs: number;
  readonly processScript: ProcessScript;
}

export class Desk {
  readonly #parts: DeskParts;
  readonly #boxes = new Map<number, Box>();
  readonly #driver: Driver;
  readonly #endings: Endings;
  readonly #beginnings: Beginnings;
  readonly #ticks: Ticks;

  constructor(parts: DeskParts) {
    const { clock, lanes, reporter } = parts;
    this.#parts = parts;
    this.#driver = new Driver(lanes, clock);
    this.#endings = new Endings({ clock, reporter, driver: this.#driver });
    const within = { clock, driver: this.#driver, endings: this.#endings };
    this.#beginnings = new Beginnings(within);
    this.#ticks = new Ticks({ ...within, reporter });
  }

  /** Prepares a group of runs. */
  prepare(group: RunGroup): RunBatch {
    return toBatch(group, this.#parts.sliceMs);
  }

  /** Carries out one command that is not a run; runs come one by one through `run`. */
  handle(command: Exclude<Command, { t: "start" | "run" }>): void {
    switch (command.t) {
      case "load":
        return this.#load(command);
      case "reload":
        return this.#whenFree(command.key, command.op, (box) => this.#reload(box, command));
      case "manage":
        return this.#whenFree(command.key, command.op, (box) => this.#manage(box, command));
      case "answer":
        return this.#deliver(command);
      case "hold":
        return this.#hold(command.key, command.isHeld);
      case "settle":
        return this.#whenFree(command.key, command.op, (box) => this.#settle(box, command));
      case "drop":
        for (const key of command.keys) this.#drop(key);
        return;
      case "limits":
        return this.#changeLimits(command.key, command.limits);
      case "cancel":
        return this.#cancel(command.key, command.op);
      case "sample":
        return this.#sample(command.key, command.op);
    }
  }

  /** Starts one run of a group. */
  run(batch: RunBatch, index: number): void {
    const { group } = batch;
    const op = group.op + index;
    const box = this.#boxes.get(group.keys[index] as number);
    if (box === undefined) return this.#parts.reporter.gone(op);
    // A sandbox that is busy, or still being loaded, lets nobody in yet.
    if (box.isBusy || (!box.isLoaded && !box.isLost))
      box.queue.push({ op, start: () => this.#startRun(box, batch, index) });
    else this.#startRun(box, batch, index);
  }

  #load(command: LoadCommand): void {
    const { pool, sliceMs } = this.#parts;
    this.#drop(command.key);
    const booted = pool.take(memoryMiBOf(command.limits.memoryBytes));
    const { limits, character, processes } = command;
    const processRuntime = processes === null ? undefined : this.#parts.processScript;
    const isCheckpointed = processes?.isCheckpointed === true;
    const box = new Box(command.key, booted, { limits, character, processRuntime, isCheckpointed });
    box.heap.hasProcesses = processes !== null;
    box.isHeld = command.isHeld;
    booted.host = {
      write: (level, text) => this.#write(box, level, text),
      arm: (id, delayMs) => this.#ticks.arm(box, id, delayMs),
      disarm: (id) => this.#ticks.disarm(box, id),
      wake: () => this.#ticks.wake(box),
      report: (kind, detail) => this.#parts.reporter.process(box, kind, detail),
      exhausted: () => {
        if (box.fuelHolder !== undefined) box.fuelHolder.isExhausted = true;
      },
      request: (id, name, args) => openRequest(box, this.#parts.reporter, { id, name, args }),
    };
    this.#boxes.set(command.key, box);
    const { op, lane, budgetMs } = command;
    const plan = { op, lane, timeoutMs: budgetMs, cpuMs: null, sliceMs, kind: "load" } as const;
    this.#beginnings.begin(box, plan, (activity) => loadFlow(box, activity, command));
  }

  // On a lane of its own: what a top level does in a living sandbox cannot be repeated, so it gets its whole time.
  #reload(box: Box, command: ReloadCommand): void {
    const { op, budgetMs } = command;
    this.#restartMeters(box);
    const plan = { op, lane: "async", timeoutMs: budgetMs, cpuMs: null, sliceMs: 0, kind: "reload" } as const;
    this.#beginnings.begin(box, plan, (activity) => reloadFlow(box, activity, command));
  }

  #manage(box: Box, command: ManageCommand): void {
    const { op, budgetMs } = command;
    const plan = { op, lane: "async", timeoutMs: budgetMs, cpuMs: null, sliceMs: 0, kind: "manage" } as const;
    this.#beginnings.begin(box, plan, (activity) => manageFlow(box, activity, command));
  }

  #deliver({ key, id, code, text }: Extract<Command, { t: "answer" }>): void {
    const box = this.#boxes.get(key);
    if (box === undefined || box.isLost) return;
    const owner = box.requestOwners.get(id);
    if (!box.requestOwners.delete(id)) return;
    this.#ticks.deliver(box, { owner: owner ?? 0, flow: answerRequestFlow(box, { id, code, text }) });
  }

  #hold(key: number, isHeld: boolean): void {
    const box = this.#boxes.get(key);
    if (box === undefined || box.isLost) return;
    box.isHeld = isHeld;
    if (!isHeld) this.#ticks.release(box);
  }

  #settle(box: Box, { op, isCommitted }: Extract<Command, { t: "settle" }>): void {
    const isSettled = this.#driver.now(box, settleFlow(box, isCommitted), op);
    if (isSettled) this.#answer(box, op);
    else this.#parts.reporter.gone(op);
    this.#endings.next(box);
  }

  // Begins when nobody is inside; a sandbox that is not here, or not loaded, gives the operation back.
  #whenFree(key: number, op: number, start: (box: Box) => void): void {
    const box = this.#boxes.get(key);
    const begin = (): void => {
      if (box === undefined || box.isLost || !box.isLoaded) this.#parts.reporter.gone(op);
      else start(box);
    };
    if (box !== undefined && (box.isBusy || (!box.isLoaded && !box.isLost)))
      box.queue.push({ op, start: begin });
    else begin();
  }

  // Reports on an operation that is no run.
  #answer(box: Box, op: number): void {
    const { clock, reporter } = this.#parts;
    const plan = { op, lane: "sync", timeoutMs: 0, cpuMs: null, sliceMs: 0 } as const;
    const ending = box.isLost ? disposedEnding(box) : ({ verdict: "answered", answer: "" } as const);
    reporter.done(box, new Activity(plan, this.#beginnings.startOf(box), clock), ending);
  }

  #startRun(box: Box, batch: RunBatch, index: number): void {
    const { group } = batch;
    if (box.isLost || !box.isLoaded) return this.#parts.reporter.gone(group.op + index);
    this.#restartMeters(box);
    const isPlain =
      group.lane !== "async" && group.code === undefined && group.fuel === null && group.tell === undefined;
    if (isPlain) return this.#runNow(box, batch, index);
    const order = orderOf(batch, index);
    this.#beginnings.begin(box, this.#planOf(order), (activity) => runFlow(box, activity, order));
  }

  // What an earlier run used up is not held against the next.
  #restartMeters(box: Box): void {
    const hasWritten = box.output.bytes > 0 || box.output.isOver;
    if (hasWritten && box.pending.size === 0) box.output.restart(box.limits.outputBytes);
  }

  // The common case without detours: one entry, an answer, nothing written. All else goes on as a flow.
  #runNow(box: Box, batch: RunBatch, index: number): void {
    const { lanes, reporter, clock } = this.#parts;
    const { group } = batch;
    const op = group.op + index;
    box.current = op;
    const target =
      box.targetOf(batch.targetId) ?? this.#driver.now(box, aimFlow(box, orderOf(batch, index)), op);
    const { reference, args } = entryOf(box, { op, target, args: group.args[index] as string });
    box.isTentative = group.lane === "slice";
    const outputBytes = box.output.bytes;
    const cpuMs = box.lastCpuMs;
    const startedMs = clock.monotonic();
    const { budgetMs, options } = batch;
    const answer = lanes.callNow(box, {
      slot: mainSlot,
      op,
      key: box.key,
      startedMs,
      budgetMs,
      reference,
      args,
      options,
    });
    const isAnswer =
      typeof answer === "number" || (typeof answer === "string" && answer !== answerLetters.pending);
    const isSilent = box.output.bytes === outputBytes && !box.output.isOver;
    if (isAnswer && isSilent && !box.isMemoryLowered && box.requests.length === 0) {
      box.current = 0;
      box.isTentative = false;
      const wallMs = clock.monotonic() - startedMs;
      if (box.heap.isDue(wallMs)) reporter.heap(box.heap.sample());
      reporter.quick(op, answer, { startedMs, wallMs, cpuMs: box.cpuMs() - cpuMs });
      if (box.queue.length > 0) this.#endings.next(box);
      return;
    }
    const activity = new Activity(
      this.#planOf(orderOf(batch, index)),
      { startedMs, cpuMs, outputBytes },
      clock,
    );
    const first =
      typeof answer === "object" ? (answer as EntryResult) : ({ end: "returned", answer } as const);
    this.#endings.conclude(box, activity, this.#driver.now(box, answerFlow(box, activity, first), op));
  }

  #planOf(order: RunOrder): ActivityPlan {
    const { lane, timeoutMs, cpuMs, fuel } = order.group;
    const { sliceMs } = this.#parts;
    const kind = order.group.tell === undefined ? "run" : "tell";
    return { op: order.op, lane, timeoutMs, cpuMs, sliceMs, kind, fuel };
  }

  #write(box: Box, level: number, text: string): boolean {
    const mayGoOn = box.output.write(level, text);
    this.#parts.reporter.logs(box);
    return mayGoOn;
  }

  #changeLimits(key: number, limits: BoxLimits): void {
    const box = this.#boxes.get(key);
    if (box === undefined || box.isLost) return;
    box.limits = limits;
    const tell = (): void => {
      this.#driver.now(box, limitsFlow(box), 0);
      this.#endings.next(box);
    };
    if (box.isBusy) box.queue.push({ op: 0, start: tell });
    else tell();
  }

  #cancel(key: number, op: number): void {
    const box = this.#boxes.get(key);
    if (box === undefined) return;
    const at = box.queue.findIndex((waiting) => waiting.op === op);
    const activity = box.pending.get(op);
    if (at >= 0) {
      box.queue.splice(at, 1);
      this.#parts.reporter.gone(op);
    } else if (activity !== undefined)
      this.#endings.abandon(box, activity, { verdict: "cancelled", answer: "" });
    else if (box.current === op && box.isBusy && !box.isTold) box.dispose("cancelled");
  }

  #sample(key: number, op: number): void {
    const box = this.#boxes.get(key);
    if (box === undefined) return this.#parts.reporter.gone(op);
    if (!box.isBusy) this.#parts.reporter.heap(box.heap.sample());
    this.#answer(box, op);
  }

  #drop(key: number): void {
    const box = this.#boxes.get(key);
    if (box === undefined) return;
    this.#boxes.delete(key);
    box.dispose("gone");
    this.#endings.loseRest(box, { verdict: "gone", answer: "" });
  }
}
