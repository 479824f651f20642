// The cell's desk: takes commands, drives their flows through the lanes, and reports how they ended.
import type { Clock } from "../../std/clock.ts";
import {
  answerLetters,
  type BoxLimits,
  type Command,
  type LoadCommand,
  type RunGroup,
} from "../protocol/messages.ts";
import { mainSlot } from "../slate.ts";
import { Activity, allowanceMs, type ActivityPlan, type Ending, type Start } from "./activity.ts";
import { memoryMiBOf } from "./booted-isolate.ts";
import { Box } from "./box.ts";
import { CpuWatch } from "./cpu-watch.ts";
import {
  aimFlow,
  answerFlow,
  collectFlow,
  disposedEnding,
  entryOf,
  forgetFlow,
  limitsFlow,
  loadFlow,
  runFlow,
  tickFlow,
  type Flow,
  type RunOrder,
} from "./flows.ts";
import { timeoutOf, type EntryResult, type Lanes } from "./lanes.ts";
import type { Reporter } from "./reporter.ts";
import type { WarmPool } from "./warm-pool.ts";

export interface DeskParts {
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly pool: WarmPool;
  readonly reporter: Reporter;
  readonly sliceMs: number;
}

const backgroundWindowMs = 1_000;

/** A group of runs with what can be made out once for all of them. */
export interface RunBatch {
  readonly group: RunGroup;
  readonly targetId: string;
  readonly budgetMs: number;
  readonly options: { readonly timeout: number };
}

function orderOf(batch: RunBatch, index: number): RunOrder {
  const { group, targetId } = batch;
  return { op: group.op + index, group, targetId, args: group.args[index] as string };
}

export class Desk {
  readonly #parts: DeskParts;
  readonly #boxes = new Map<number, Box>();
  readonly #cpuWatch: CpuWatch;
  #backgroundRestartMs = 0;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#cpuWatch = new CpuWatch(parts.clock);
  }

  /** Prepares a group of runs. */
  prepare(group: RunGroup): RunBatch {
    const budgetMs = allowanceMs({
      lane: group.lane,
      timeoutMs: group.timeoutMs,
      sliceMs: this.#parts.sliceMs,
    });
    return {
      group,
      targetId: `${group.module}\n${group.export}`,
      budgetMs,
      options: { timeout: timeoutOf({ budgetMs }) },
    };
  }

  /** Carries out one command that is not a run; runs come one by one through `run`. */
  handle(command: Exclude<Command, { t: "start" | "run" }>): void {
    switch (command.t) {
      case "load":
        return this.#load(command);
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
    const box = new Box(command.key, booted, command);
    booted.host = {
      write: (level, text) => this.#write(box, level, text),
      arm: (delayMs) => this.#arm(box, delayMs),
    };
    this.#boxes.set(command.key, box);
    const plan = {
      op: command.op,
      lane: command.lane,
      timeoutMs: command.budgetMs,
      cpuMs: null,
      sliceMs,
      isLoad: true,
    };
    this.#begin(box, plan, (activity) => loadFlow(box, activity, command));
  }

  #startRun(box: Box, batch: RunBatch, index: number): void {
    const { group } = batch;
    if (box.isLost || !box.isLoaded) return this.#parts.reporter.gone(group.op + index);
    if (box.output.bytes > 0 && box.pending.size === 0) box.output.restart(box.limits.outputBytes);
    if (group.lane !== "async" && group.code === undefined) return this.#runNow(box, batch, index);
    const order = orderOf(batch, index);
    this.#begin(box, this.#planOf(order), (activity) => runFlow(box, activity, order));
  }

  // The common case without detours: one entry, an answer, nothing written. All else goes on as a flow.
  #runNow(box: Box, batch: RunBatch, index: number): void {
    const { lanes, reporter, clock } = this.#parts;
    const { group } = batch;
    const op = group.op + index;
    box.current = op;
    const target =
      box.targetOf(batch.targetId) ?? this.#driveNow(box, aimFlow(box, orderOf(batch, index)), op);
    const { reference, args } = entryOf(box, { op, target, args: group.args[index] as string });
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
    if (isAnswer && box.output.bytes === outputBytes && !box.isMemoryLowered) {
      box.current = 0;
      const wallMs = clock.monotonic() - startedMs;
      if (box.heap.isDue(wallMs)) reporter.heap(box.heap.sample());
      reporter.quick(op, answer, { startedMs, wallMs, cpuMs: box.cpuMs() - cpuMs });
      if (box.queue.length > 0) this.#next(box);
      return;
    }
    const activity = new Activity(
      this.#planOf(orderOf(batch, index)),
      { startedMs, cpuMs, outputBytes },
      clock,
    );
    const first =
      typeof answer === "object" ? (answer as EntryResult) : ({ end: "returned", answer } as const);
    this.#conclude(box, activity, this.#driveNow(box, answerFlow(box, activity, first), op));
  }

  #planOf(order: RunOrder): ActivityPlan {
    const { lane, timeoutMs, cpuMs } = order.group;
    return { op: order.op, lane, timeoutMs, cpuMs, sliceMs: this.#parts.sliceMs };
  }

  #startOf(box: Box): Start {
    return { startedMs: this.#parts.clock.monotonic(), cpuMs: box.cpuMs(), outputBytes: box.output.bytes };
  }

  #begin(box: Box, plan: ActivityPlan, flowOf: (activity: Activity) => Flow): void {
    if (plan.lane === "async") {
      void this.#beginLater(box, plan, flowOf);
      return;
    }
    const activity = new Activity(plan, this.#startOf(box), this.#parts.clock);
    box.current = plan.op;
    this.#conclude(box, activity, this.#driveNow(box, flowOf(activity), plan.op));
  }

  async #beginLater(box: Box, plan: ActivityPlan, flowOf: (activity: Activity) => Flow): Promise<void> {
    box.isBusy = true;
    const slot = await this.#parts.lanes.takeSlot();
    // Its clock starts here: waiting for a lane is not its time.
    const activity = new Activity(plan, this.#startOf(box), this.#parts.clock);
    box.current = plan.op;
    const ending = await this.#driveLater(box, flowOf(activity), { activity, slot });
    this.#parts.lanes.giveSlot(slot);
    box.isBusy = false;
    this.#conclude(box, activity, ending);
  }

  #driveNow<T>(box: Box, flow: Flow<T>, op: number): T {
    let step = flow.next({ end: "returned", answer: undefined });
    while (!step.done) {
      const { budgetMs, now } = step.value;
      step = flow.next(this.#parts.lanes.enterNow(box, { op, budgetMs }, now));
    }
    return step.value;
  }

  async #driveLater<T>(
    box: Box,
    flow: Flow<T>,
    within: { readonly activity: Activity | undefined; readonly slot: number },
  ): Promise<T> {
    const { activity, slot } = within;
    let step = flow.next({ end: "returned", answer: undefined });
    while (!step.done) {
      const { budgetMs, later } = step.value;
      const watch = this.#cpuWatch.start(box, activity);
      const result = await this.#parts.lanes.enterLater(
        box,
        { op: activity?.op ?? 0, budgetMs, slot },
        later,
      );
      watch?.cancel();
      step = flow.next(result);
    }
    return step.value;
  }

  // The guest answered, was cut, or waits for its timers.
  #conclude(box: Box, activity: Activity, ending: Ending | undefined): void {
    box.current = 0;
    if (ending === undefined) this.#keepPending(box, activity);
    else this.#finish(box, activity, ending);
    this.#next(box);
  }

  #keepPending(box: Box, activity: Activity): void {
    activity.outgrowSlice();
    box.pending.set(activity.op, activity);
    activity.deadline = this.#parts.clock.after(activity.remainingMs(), () => {
      this.#abandon(box, activity, { verdict: "timeout", answer: "" });
    });
    this.#parts.reporter.pending(box, activity);
  }

  #finish(box: Box, activity: Activity, ending: Ending): void {
    activity.deadline?.cancel();
    box.pending.delete(activity.op);
    const isOverMemory = this.#sampleAfter(box, activity);
    if (isOverMemory) box.dispose("memory");
    this.#parts.reporter.done(box, activity, isOverMemory ? { verdict: "memory", answer: "" } : ending);
    if (activity.isLoad) this.#openAfterLoad(box, ending);
    if (box.isLost) this.#loseRest(box, ending);
  }

  // What waited behind a load that failed has not begun and goes back.
  #openAfterLoad(box: Box, ending: Ending): void {
    box.isLoaded = ending.verdict === "answered" && String(ending.answer).startsWith("V");
    if (!box.isLoaded) for (const { op } of box.queue.splice(0)) this.#parts.reporter.gone(op);
  }

  // Samples the heap where it is due. True when a limit that was lowered after the isolate was made is passed.
  #sampleAfter(box: Box, activity: Activity): boolean {
    const { reporter, clock } = this.#parts;
    const isDue = box.heap.isDue(clock.monotonic() - activity.startedMs);
    const sample = !box.isLost && (isDue || box.isMemoryLowered) ? box.heap.sample() : undefined;
    reporter.heap(sample);
    return (
      sample !== undefined &&
      box.isMemoryLowered &&
      sample.heapBytes + sample.externalBytes > box.limits.memoryBytes
    );
  }

  // What else waited inside a lost isolate ends as the one that lost it; what had not begun goes back untouched.
  #loseRest(box: Box, ending: Ending): void {
    box.tickTimer?.cancel();
    const verdict = ending.verdict === "answered" ? "memory" : ending.verdict;
    for (const activity of box.pending.values()) {
      activity.deadline?.cancel();
      this.#parts.reporter.done(box, activity, { verdict, answer: "" });
    }
    box.pending.clear();
    for (const { op } of box.queue.splice(0)) this.#parts.reporter.gone(op);
  }

  #next(box: Box): void {
    if (!box.isBusy && (box.isLoaded || box.isLost)) box.queue.shift()?.start();
  }

  /** Ends a run that waits for its timers. Its continuation must not live on, so the isolate goes unless others wait in it. */
  #abandon(box: Box, activity: Activity, ending: Ending): void {
    if (!box.pending.has(activity.op)) return;
    const isAlone = box.pending.size === 1;
    if (isAlone && !box.isBusy) box.dispose(ending.verdict);
    this.#finish(box, activity, ending);
    if (!box.isLost && !box.isBusy) this.#driveNow(box, forgetFlow(box, activity.op), activity.op);
  }

  #arm(box: Box, delayMs: number): void {
    if (box.isVirtual || !(delayMs >= 0)) return;
    box.tickTimer?.cancel();
    box.tickTimer = this.#parts.clock.after(delayMs, () => this.#tick(box));
  }

  #tick(box: Box): void {
    if (box.isLost) return;
    if (box.isBusy) box.queue.push({ op: 0, start: () => this.#tick(box) });
    else void this.#tickLater(box);
  }

  async #tickLater(box: Box): Promise<void> {
    box.isBusy = true;
    const slot = await this.#parts.lanes.takeSlot();
    if (!box.isLost) await this.#driveTick(box, slot);
    this.#parts.lanes.giveSlot(slot);
    box.isBusy = false;
    this.#next(box);
  }

  async #driveTick(box: Box, slot: number): Promise<void> {
    this.#restartBackgroundOutput(box);
    const waiting = [...box.pending.values()];
    const only = waiting.length === 1 ? waiting[0] : undefined;
    box.current = only?.op ?? 0;
    const budgetMs =
      waiting.reduce((most, activity) => Math.max(most, activity.remainingMs()), 0) || box.limits.stepMs;
    const ended = await this.#driveLater(box, tickFlow(box, budgetMs), { activity: only, slot });
    box.current = 0;
    if (typeof ended !== "number") return this.#endTick(box, waiting, ended);
    this.#arm(box, ended);
    for (const activity of waiting) {
      if (!box.pending.has(activity.op) || box.isLost) continue;
      const ending = await this.#driveLater(box, collectFlow(box, activity), { activity, slot });
      if (ending !== undefined) this.#finish(box, activity, ending);
    }
  }

  #endTick(box: Box, waiting: readonly Activity[], ending: Ending): void {
    if (waiting.length === 0) this.#parts.reporter.background(box, ending.verdict);
    for (const activity of waiting) if (box.pending.has(activity.op)) this.#finish(box, activity, ending);
    if (box.isLost) this.#loseRest(box, ending);
    else this.#arm(box, 0);
  }

  // Without a run, a guest may write as much per second as a run may in all.
  #restartBackgroundOutput(box: Box): void {
    const nowMs = this.#parts.clock.monotonic();
    if (box.pending.size > 0 || nowMs - this.#backgroundRestartMs < backgroundWindowMs) return;
    this.#backgroundRestartMs = nowMs;
    box.output.restart(box.limits.outputBytes);
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
    const tell = (): void => void this.#driveNow(box, limitsFlow(box), 0);
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
    } else if (activity !== undefined) this.#abandon(box, activity, { verdict: "cancelled", answer: "" });
    else if (box.current === op && box.isBusy) box.dispose("cancelled");
  }

  #sample(key: number, op: number): void {
    const box = this.#boxes.get(key);
    if (box === undefined) return this.#parts.reporter.gone(op);
    if (!box.isBusy) this.#parts.reporter.heap(box.heap.sample());
    const activity = new Activity(
      { op, lane: "sync", timeoutMs: 0, cpuMs: null, sliceMs: 0 },
      this.#startOf(box),
      this.#parts.clock,
    );
    this.#parts.reporter.done(
      box,
      activity,
      box.isLost ? disposedEnding(box) : { verdict: "answered", answer: box.cpuMs() },
    );
  }

  #drop(key: number): void {
    const box = this.#boxes.get(key);
    if (box === undefined) return;
    this.#boxes.delete(key);
    box.dispose("gone");
    this.#loseRest(box, { verdict: "gone", answer: "" });
  }
}
