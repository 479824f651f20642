// The process of a simulated cell: a main thread, lanes on threads of their own, and boxes with isolates in them. It keeps
// the order of the real cell host, from which orchestration infers what has begun.
import type { Command, LoadCommand, RunGroup } from "../../src/execution/protocol/messages.ts";
import { dispose, loseNeighbours } from "./fake-ends.ts";
import { actOf, loadActOf, type Act } from "./fake-acts.ts";
import { FakeBox, type Activity } from "./fake-box.ts";
import { FakeCompletions } from "./fake-completions.ts";
import { manage, reload, settle, tell } from "./fake-processes.ts";
import { scriptActOf } from "./fake-scripts.ts";
import { beginSeries, FakeLists, type FakeCase } from "./fake-series.ts";
import { FakeSlate } from "./fake-slate.ts";
import { stepActOf } from "./fake-streams.ts";
import type { FakeHostParts } from "./host-notes.ts";
import { FakeThread } from "./fake-thread.ts";

/** The isolate's own timer gets this much longer before the cell has to go. */
const graceMs = 300;
const tickMs = 250;

const sparedEvery = 17;

export class FakeHost {
  readonly parts: FakeHostParts;
  readonly slate = new FakeSlate();
  readonly boxes = new Map<number, FakeBox>();
  readonly thread: FakeThread;
  readonly completions: FakeCompletions;
  readonly #lists = new FakeLists();
  /** How often each sandbox was given up, where that has not been read yet. */
  readonly #drops = new Map<number, number>();

  constructor(parts: FakeHostParts) {
    const { clock, dice, send } = parts;
    this.parts = parts;
    this.thread = new FakeThread(clock, parts.asyncLanes);
    const onLoaded = (box: FakeBox): void => {
      if (box.current.program.ticks) this.#tick(box);
    };
    this.completions = new FakeCompletions({ clock, dice, send, thread: this.thread, onLoaded });
  }

  get isIdle(): boolean {
    const isQuiet = (box: FakeBox): boolean => !box.isBusy && box.pending.size === 0;
    return this.thread.hasDoneAll && [...this.boxes.values()].every(isQuiet);
  }

  /** A sandbox was given up: what it still does before that arrives counts for nobody. */
  expectDrop(key: number): void {
    this.#drops.set(key, (this.#drops.get(key) ?? 0) + 1);
  }

  /** Isolates that live. */
  living(): FakeBox[] {
    return [...this.boxes.values()].filter(({ isLost }) => !isLost);
  }

  end(): void {
    for (const box of this.boxes.values()) {
      box.isDiscarded = true;
      box.discardedMs = this.parts.clock.nowMs;
    }
    this.thread.end();
  }

  accept(command: Command): void {
    if (command.t === "run") {
      for (const group of command.groups) this.#runAll(group, this.#lists.casesOf(group.series));
    } else if (command.t === "keep") this.#lists.keep(command);
    else if (command.t === "release") this.#lists.release(command.lists);
    else if (command.t !== "start") this.thread.do(() => this.#handle(command));
  }

  #handle(command: Exclude<Command, { t: "start" | "run" | "keep" | "release" }>): void {
    switch (command.t) {
      case "load":
        return this.#load(command);
      case "reload":
        return this.#whenFree(command, (box) => reload(this, box, command));
      case "manage":
        return this.#whenFree(command, (box) => manage(this, box, command));
      case "settle":
        return this.#whenFree(command, (box) => settle(this, box, command));
      case "answer":
        return this.#answerRequest(command.key, command.id);
      case "hold":
        return this.#hold(command.key, command.isHeld);
      case "drop":
        for (const key of command.keys) {
          this.#drops.set(key, (this.#drops.get(key) ?? 1) - 1);
          this.#drop(key);
        }
        return;
      case "limits":
        return this.boxes.get(command.key)?.changeLimits(command.limits);
      case "cancel":
        return this.#cancel(command.key, command.op);
      case "sample":
        return this.boxes.has(command.key)
          ? this.completions.sample(command)
          : this.completions.gone(command.op);
    }
  }

  #load(command: LoadCommand): void {
    const { dice, notes } = this.parts;
    this.#drop(command.key);
    const box = new FakeBox(command);
    this.boxes.set(command.key, box);
    notes.onMade(box);
    const { op, lane, budgetMs: timeoutMs } = command;
    if (lane !== "async" && op % sparedEvery === 0) return this.completions.gone(op, "spared");
    const activity: Activity = { op, kind: "load", lane, timeoutMs, token: "", startedMs: 0 };
    this.begin(box, activity, () => loadActOf(box.current.program.loading, dice));
  }

  #runAll(group: RunGroup, cases: readonly FakeCase[]): void {
    for (const index of group.keys.keys()) this.thread.do(() => this.#run(group, index, cases));
  }

  #run(group: RunGroup, index: number, cases: readonly FakeCase[]): void {
    const op = group.op + index;
    const box = this.boxes.get(group.keys[index] as number);
    if (box === undefined) return this.completions.gone(op);
    const start = (): void => {
      if (box.isLost || !box.isLoaded) return this.completions.gone(op);
      // Now and then, as if another run had held the main lane for long.
      if (group.lane !== "async" && op % sparedEvery === 0) return this.completions.gone(op, "spared");
      if (group.series !== undefined) return beginSeries(this, box, { op, group, cases });
      const given = group.args[group.isShared === true ? 0 : index] as string | readonly unknown[];
      const list = typeof given === "string" ? (JSON.parse(given) as unknown) : given;
      if (group.tell !== undefined) return tell(this, box, { group, op, token: String(list) });
      const [first, ms] = list as [unknown, unknown];
      const { lane, timeoutMs } = group;
      // A later step of a stream has no arguments.
      const token = typeof first === "string" ? first : "";
      const activity: Activity = { op, kind: "run", lane, timeoutMs, token, startedMs: 0 };
      const asked = { token, ms: Number(ms ?? 0) };
      this.begin(box, activity, () => {
        if (group.stream !== undefined) return stepActOf(this, box, { step: group.stream, args: list });
        if (group.script !== undefined) return scriptActOf(this, box, { op, group });
        return actOf(group.code === undefined ? group.export : "echo", box, asked);
      });
    };
    if (box.isBusy || (!box.isLoaded && !box.isLost)) box.queue.push({ op, start });
    else start();
  }

  // Begins when nobody is inside; a box that is not here, or not loaded, gives the operation back.
  #whenFree({ key, op }: { readonly key: number; readonly op: number }, start: (box: FakeBox) => void): void {
    const box = this.boxes.get(key);
    const begin = (): void => {
      if (box === undefined || box.isLost || !box.isLoaded) this.completions.gone(op);
      else start(box);
    };
    const mustWait = box !== undefined && (box.isBusy || (!box.isLoaded && !box.isLost));
    if (mustWait) box.queue.push({ op, start: begin });
    else begin();
  }

  /** Lets an activity in: on the main thread at once, or on a lane as soon as there is one. */
  begin(box: FakeBox, activity: Activity, actFor: () => Act): void {
    box.isBusy = true;
    if (activity.lane !== "async") return this.#enter(box, activity, { slot: 0, act: actFor() });
    this.thread.takeLane((slot) => {
      if (!box.isLost) return this.#enter(box, activity, { slot, act: actFor() });
      this.thread.giveLane(slot);
      this.completions.gone(activity.op);
    });
  }

  #enter(box: FakeBox, activity: Activity, { slot, act }: { slot: number; act: Act }): void {
    const { clock, dice, sliceMs } = this.parts;
    activity.startedMs = clock.nowMs;
    this.slate.enter(slot, { op: activity.op, key: box.key, startedMs: clock.nowMs });
    this.noteBeginning(box, activity.token);
    const isSliced = activity.lane === "slice" && sliceMs < activity.timeoutMs;
    const budgetMs = isSliced ? sliceMs : activity.timeoutMs;
    const spinMs = act.spinMs > 0 ? act.spinMs : dice.chance(slot === 0 ? 0.1 : 0.5) ? dice.between(1, 3) : 0;
    const isCut = spinMs > budgetMs;
    const end = (): void => {
      if (box.running?.activity !== activity) return;
      if (this.#takesCellAlong(box, activity, { act, isCut })) return;
      box.running = undefined;
      this.slate.leave(slot);
      box.isBusy = false;
      if (slot > 0) this.thread.giveLane(slot);
      if (isCut) this.#cut(box, activity, isSliced);
      else this.#conclude(box, activity, act);
      this.completions.next(box);
    };
    const heldMs = isCut ? budgetMs + (act.isHard ? graceMs : 0) : spinMs;
    const timer =
      heldMs === 0
        ? { cancel: () => {} }
        : slot === 0
          ? this.thread.block(heldMs, end)
          : this.thread.after(heldMs, end);
    box.running = { activity, slot, timer };
    if (heldMs === 0) end();
  }

  noteBeginning(box: FakeBox, token: string): void {
    if (token === "") return;
    if ((this.#drops.get(box.key) ?? 0) === 0)
      this.parts.notes.onBegin({ token, box, isFirst: box.begun === 0, hasAsked: false });
    box.begun++;
  }

  // What cannot be interrupted, and what breaks more than its isolate.
  #takesCellAlong(box: FakeBox, { op }: Activity, { act, isCut }: { act: Act; isCut: boolean }): boolean {
    const { die, dice, trouble } = this.parts;
    const culprit = { op, key: box.key };
    if (isCut && act.isHard) die({ cause: "deadline", detail: "SIGKILL", culprit });
    else if (!isCut && act.end.do === "crash") die({ cause: "exit", detail: "SIGABRT" });
    else if (!isCut && act.end.do === "memory" && dice.chance(0.3) && trouble.has("guilt"))
      die({ cause: "memory", detail: "SIGKILL", culprit });
    else return false;
    return true;
  }

  #cut(box: FakeBox, activity: Activity, isSliced: boolean): void {
    if (isSliced || this.parts.dice.chance(0.4)) box.isLost = true;
    if (activity.kind === "reload") box.prepared = undefined;
    this.completions.finish(box, activity, { verdict: isSliced ? "sliced" : "timeout", answer: "" });
    if (box.isLost && !isSliced) loseNeighbours(this, box);
  }

  #conclude(box: FakeBox, activity: Activity, { end }: Act): void {
    if (end.do === "answer")
      return this.completions.finish(box, activity, { verdict: "answered", answer: end.answer() });
    if (end.do === "memory") {
      box.isLost = true;
      this.completions.finish(box, activity, { verdict: "memory", answer: "" });
      return loseNeighbours(this, box);
    }
    if (end.do === "crash") return;
    this.completions.wait(box, activity, end.answer);
    const { op, token } = activity;
    if (end.do === "wait") {
      this.thread.after(end.forMs, () => box.pending.get(op)?.goOn());
      return;
    }
    box.requests.set(op, op);
    const args = JSON.stringify([token]);
    this.parts.send({ t: "request", key: box.key, op, id: op, name: "effect", args });
  }

  #tick(box: FakeBox): void {
    this.thread.after(tickMs, () => {
      if (box.isLost || this.boxes.get(box.key) !== box) return;
      const act = (): void => {
        if (box.isHeld) return void box.held.push(act);
        box.ticks++;
        this.parts.notes.onTick(box);
        this.#tick(box);
      };
      act();
    });
  }

  #answerRequest(key: number, id: number): void {
    const box = this.boxes.get(key);
    const op = box?.requests.get(id);
    if (box === undefined || op === undefined) return;
    box.requests.delete(id);
    box.pending.get(op)?.goOn();
  }

  #hold(key: number, isHeld: boolean): void {
    const box = this.boxes.get(key);
    if (box === undefined || box.isLost) return;
    box.isHeld = isHeld;
    if (!isHeld) for (const act of box.held.splice(0)) act();
  }

  #cancel(key: number, op: number): void {
    const box = this.boxes.get(key);
    if (box === undefined) return;
    const at = box.queue.findIndex((waiting) => waiting.op === op);
    const pending = box.pending.get(op);
    const { running } = box;
    if (at >= 0) {
      box.queue.splice(at, 1);
      this.completions.gone(op);
    } else if (pending !== undefined) this.completions.abandon(box, pending.activity, "cancelled");
    else if (running?.activity.op === op && running.activity.kind === "run") {
      dispose(this, box, "cancelled");
      loseNeighbours(this, box);
    }
  }

  #drop(key: number): void {
    const box = this.boxes.get(key);
    if (box === undefined) return;
    this.boxes.delete(key);
    box.isDiscarded = true;
    dispose(this, box, "gone");
    this.completions.loseRest(box, "gone");
  }
}
