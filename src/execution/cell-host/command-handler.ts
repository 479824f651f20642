// Handles commands: drives their flows through the lanes, and reports how they ended.
import type { Clock } from "../../std/clock.ts";
import type {
  BoxLimits,
  Command,
  LoadCommand,
  ManageCommand,
  ReloadCommand,
  RunGroup,
} from "../protocol/messages.ts";
import { MainLaneGuard } from "../main-lane.ts";
import { Activity } from "./activity.ts";
import { Arrivals } from "./arrivals.ts";
import { Starts } from "./starts.ts";
import { Box } from "./box.ts";
import { Driver } from "./driver.ts";
import { Completions } from "./completions.ts";
import { limitsFlow, loadFlow } from "./flows/code-flows.ts";
import { answerRequestFlow, disposedCompletion, manageFlow, noOp, retireFlow } from "./flows/flows.ts";
import { weighFlow } from "./flows/memory-flow.ts";
import type { BootedIsolate } from "./isolates/booted-isolate.ts";
import type { Boots } from "./isolates/boots.ts";
import { memoryMiBOf, type ScriptText } from "./isolates/guest-isolate.ts";
import type { ReusableIsolates } from "./isolates/reusable-isolates.ts";
import { settleFlow } from "./flows/reload-flow.ts";
import type { Lanes } from "./lanes.ts";
import type { QuickRun } from "./quick-run.ts";
import { restartMeters, RunStarts } from "./run-starts.ts";
import type { Reporter } from "./reporter.ts";
import { openRequest } from "./requests.ts";
import { keyAt, toBatch, type RunBatch } from "./flows/run-batch.ts";
import { Ticks } from "./ticks.ts";

export interface CommandHandlerParts {
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly boots: Pick<Boots, "take">;
  readonly reusable: Pick<ReusableIsolates, "wants">;
  readonly reporter: Reporter;
  readonly sliceMs: number;
  readonly processScript: ScriptText;
}

/** What is neither the start, nor a run, nor a list for runs. */
export type OtherCommand = Exclude<Command, { t: "start" | "run" | "keep" | "release" }>;

export class CommandHandler {
  readonly #parts: CommandHandlerParts;
  readonly #boxes = new Map<number, Box>();
  readonly #driver: Driver;
  readonly #completions: Completions;
  readonly #starts: Starts;
  readonly #ticks: Ticks;
  readonly #runs: RunStarts;
  readonly #arrivals = new Arrivals();
  /** The latest operation that came in. */
  #lastOp = 0;
  /** The latest run that was started. */
  #lastStarted = 0;
  /** Sandboxes that were dropped and may still have unreported operations. */
  readonly #leaving = new Set<Box>();
  #accepted = 0;

  constructor(parts: CommandHandlerParts) {
    const { clock, lanes, reporter, sliceMs } = parts;
    this.#parts = parts;
    this.#driver = new Driver(lanes, clock);
    this.#completions = new Completions({ clock, reporter, driver: this.#driver });
    const mainLane = new MainLaneGuard();
    const within = { clock, driver: this.#driver, completions: this.#completions, mainLane };
    this.#starts = new Starts(within);
    this.#ticks = new Ticks({ ...within, reporter });
    this.#runs = new RunStarts({ ...within, lanes, reporter, sliceMs }, this.#starts);
  }

  /** Prepares a group of runs; `cases` are those of a series. */
  prepare(group: RunGroup, cases?: string): RunBatch {
    return toBatch(group, this.#parts.sliceMs, cases);
  }

  /** Operations that were accepted, not reported, and wait nowhere; at the end of every turn there are none. */
  unaccounted(): number {
    let rest = this.#accepted - this.#parts.reporter.reported - this.#starts.inside - this.#arrivals.size;
    for (const box of this.#leaving) if (box.openOps === 0) this.#leaving.delete(box);
    if (rest !== 0) for (const box of [...this.#boxes.values(), ...this.#leaving]) rest -= box.openOps;
    return rest;
  }

  /** Carries out one command that is not a run, as soon as its sandbox has an isolate; runs come one by one through `run`. */
  handle(command: OtherCommand): void {
    if ("op" in command) this.#lastOp = Math.max(this.#lastOp, command.op);
    if ("key" in command) this.#arrivals.whenThere(command.key, () => this.#carryOut(command));
    else this.#carryOut(command);
  }

  #carryOut(command: OtherCommand): void {
    if ("op" in command && command.t !== "cancel") this.#accepted++;
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
        for (const key of command.keys) this.#arrivals.whenDropped(key, () => this.#drop(key));
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
    const op = batch.group.op + index;
    this.#lastOp = Math.max(this.#lastOp, op);
    this.#arrivals.whenThere(keyAt(batch, index), () => this.#accept(batch, index));
  }

  #accept(batch: RunBatch, index: number): void {
    const op = batch.group.op + index;
    const box = this.#boxes.get(keyAt(batch, index));
    this.#accepted++;
    if (box === undefined) return this.#parts.reporter.gone(op);
    if (box.mustWait) {
      box.queue.push({ op, start: () => this.#startLate(op, { box, batch, index }) });
      if (batch.group.lane !== "async") this.#parts.reporter.send({ t: "waiting", op });
    } else {
      this.#lastStarted = Math.max(this.#lastStarted, op);
      this.#runs.begin({ box, batch, index });
    }
  }

  // Runs of other sandboxes that were sent later may have begun before it.
  #startLate(op: number, run: QuickRun): void {
    if (this.#lastStarted > op) this.#parts.lanes.noteBegun(this.#lastStarted);
    this.#runs.begin(run);
  }

  #load(command: LoadCommand): void {
    const { key, limits } = command;
    this.#drop(key);
    if (this.#starts.isSparedBy(command)) return this.#parts.reporter.unbegun(command.op, "spared");
    const onBooted = (late: BootedIsolate): void => {
      // Operations that were sent after this one may have begun before it.
      this.#parts.lanes.noteBegun(this.#lastOp);
      this.#arrivals.arrive(key, (isUnwanted) => {
        if (!isUnwanted) return this.#loadInto(late, command);
        late.isolate.end();
        this.#parts.reporter.gone(command.op);
      });
    };
    const wish = { memoryMiB: memoryMiBOf(limits.memoryBytes), isDense: command.isDense };
    const booted = this.#parts.boots.take(wish, onBooted);
    if (booted === undefined) this.#arrivals.expect(key);
    else this.#loadInto(booted, command);
  }

  #loadInto(booted: BootedIsolate, command: LoadCommand): void {
    const { reporter, sliceMs } = this.#parts;
    const { limits, character, features, processes } = command;
    const processRuntime = processes === null ? undefined : this.#parts.processScript;
    const isCheckpointed = processes?.isCheckpointed === true;
    const plan = { limits, character, features, processRuntime, isCheckpointed };
    const box = new Box(command.key, booted, plan);
    box.isHeld = command.isHeld;
    box.service.add(command.usedMs, this.#parts.clock.monotonic());
    booted.isolate.onGone = () => this.#completions.lose(box);
    box.onNoted = () => reporter.logs(box);
    booted.isolate.onAdmitted = () => this.#completions.admit(box);
    booted.host = {
      write: (level, text) => {
        const mayGoOn = box.output.write(level, text);
        reporter.logs(box);
        return mayGoOn;
      },
      arm: (id, delayMs) => this.#ticks.arm(box, id, delayMs),
      disarm: (id) => this.#ticks.disarm(box, id),
      wake: () => this.#ticks.wake(box),
      report: (kind, detail) => reporter.process(box, kind, detail),
      exhausted: () => box.noteExhausted(),
      apart: () => (box.isEntered ? box.hostUse : undefined),
      request: (id, name, args) => openRequest(box, reporter, { id, name, args }),
    };
    this.#boxes.set(command.key, box);
    const { op, lane, budgetMs } = command;
    const load = { op, lane, timeoutMs: budgetMs, cpuMs: null, sliceMs, kind: "load" } as const;
    this.#starts.begin(box, load, (activity) => loadFlow(box, activity, command));
  }

  #reload(box: Box, command: ReloadCommand): void {
    restartMeters(box);
    this.#starts.beginReload(box, command);
  }

  #manage(box: Box, command: ManageCommand): void {
    const { op, budgetMs } = command;
    const plan = { op, lane: "async", timeoutMs: budgetMs, cpuMs: null, sliceMs: 0, kind: "manage" } as const;
    this.#starts.begin(box, plan, (activity) => manageFlow(box, activity, command));
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
    this.#completions.next(box);
  }

  // Begins when nothing is inside; where the sandbox is not here, or not loaded, the operation is reported as gone.
  #whenFree(key: number, op: number, start: (box: Box) => void): void {
    const box = this.#boxes.get(key);
    const begin = (): void => {
      if (box === undefined || box.isLost || !box.isLoaded) this.#parts.reporter.gone(op);
      else start(box);
    };
    if (box?.mustWait === true) box.queue.push({ op, start: begin });
    else begin();
  }

  // Reports the end of an operation that is no run.
  #answer(box: Box, op: number): void {
    const { clock, reporter } = this.#parts;
    const plan = { op, lane: "sync", timeoutMs: 0, cpuMs: null, sliceMs: 0, kind: "manage" } as const;
    const completion = box.isLost ? disposedCompletion(box) : ({ verdict: "answered", answer: "" } as const);
    reporter.done(box, new Activity(plan, this.#starts.startOf(box), clock), completion);
  }

  #changeLimits(key: number, limits: BoxLimits): void {
    const box = this.#boxes.get(key);
    if (box === undefined || box.isLost) return;
    box.limits = limits;
    const tell = (): void => {
      this.#driver.now(box, limitsFlow(box), 0);
      this.#completions.next(box);
    };
    if (box.isOccupied) box.queue.push({ op: 0, start: tell });
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
      this.#completions.abandon(box, activity, { verdict: "cancelled", answer: "" });
    else if (box.current === op && box.isBusy && !box.isMessage) box.dispose("cancelled");
  }

  #sample(key: number, op: number): void {
    const box = this.#boxes.get(key);
    if (box === undefined) return this.#parts.reporter.gone(op);
    if (!box.isOccupied) this.#driver.now(box, weighFlow(box, { ranMs: 0, isInQuestion: true }), op);
    this.#parts.reporter.heap(box.heap.take());
    this.#answer(box, op);
  }

  #drop(key: number): void {
    const box = this.#boxes.get(key);
    if (box === undefined) return;
    this.#boxes.delete(key);
    this.#leaving.add(box);
    const mayBeReused = box.mayRetire && this.#parts.reusable.wants(box.isolate.shared);
    box.retire(mayBeReused && this.#driver.now(box, retireFlow(box), noOp));
    this.#completions.next(box);
  }
}
