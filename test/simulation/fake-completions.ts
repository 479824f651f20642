// How operations end in a simulated cell: what is reported, who waits inside, and what an end does to the others.
import type { CellVerdict, DoneItem, Report } from "../../src/execution/protocol/messages.ts";
import type { SimulatedClock } from "./clock.ts";
import type { Dice } from "./dice.ts";
import type { Activity, FakeBox } from "./fake-box.ts";
import type { FakeThread } from "./fake-thread.ts";

export interface FakeCompletionsParts {
  readonly clock: SimulatedClock;
  readonly dice: Dice;
  readonly thread: FakeThread;
  readonly send: (report: Report) => void;
  /** A box is loaded. */
  readonly onLoaded: (box: FakeBox) => void;
}

export interface Completion {
  readonly verdict: CellVerdict;
  readonly answer: number | string;
}

export class FakeCompletions {
  readonly #parts: FakeCompletionsParts;

  constructor(parts: FakeCompletionsParts) {
    this.#parts = parts;
  }

  /** It waits inside, and holds no lane. */
  wait(box: FakeBox, activity: Activity, answer: () => number | string): void {
    const { clock, thread, send } = this.#parts;
    const goOn = (): void => {
      if (!box.pending.has(activity.op) || box.isLost) return;
      const isServerHeld = activity.kind === "tell" && box.areServersHeld;
      if (box.isHeld || isServerHeld) box.held.push(goOn);
      else if (box.isBusy) box.queue.push({ op: 0, start: goOn });
      else {
        this.finish(box, activity, { verdict: "answered", answer: answer() });
        this.next(box);
      }
    };
    const leftMs = activity.startedMs + activity.timeoutMs - clock.nowMs;
    const deadline = thread.after(leftMs, () => this.abandon(box, activity, "timeout"));
    box.pending.set(activity.op, { activity, deadline, goOn });
    send({ t: "pending", op: activity.op, startedUs: activity.startedMs * 1_000 });
  }

  /** Ends what waits inside. */
  abandon(box: FakeBox, activity: Activity, verdict: CellVerdict): void {
    if (!box.pending.has(activity.op)) return;
    const isOwn = activity.kind === "run" || activity.kind === "load";
    if (isOwn && !box.isBusy && box.pending.size === 1) box.isLost = true;
    box.taken.delete(activity.op);
    this.finish(box, activity, { verdict, answer: "" });
    this.next(box);
  }

  /** Reports on an activity, with all that its end does to others. */
  finish(box: FakeBox, activity: Activity, ending: Completion): void {
    box.pending.get(activity.op)?.deadline?.cancel();
    box.pending.delete(activity.op);
    const isValue = ending.verdict === "answered" && String(ending.answer).startsWith("V");
    if (activity.kind === "reload" && !isValue) {
      box.prepared = undefined;
      this.releaseServers(box);
    }
    const states = activity.kind === "tell" && !box.isLost ? box.changes() : [];
    this.#done(this.#itemOf(box, activity, ending), states);
    if (activity.kind === "load") this.#openAfterLoad(box, isValue);
    if (box.isLost) this.loseRest(box, ending.verdict === "answered" ? "memory" : ending.verdict);
  }

  /** The operation never entered an isolate. */
  gone(op: number, verdict: "gone" | "spared" = "gone"): void {
    const times = { startedUs: 0, wallUs: 0, cpuUs: 0, outputBytes: 0, fuel: null };
    this.#done({ op, verdict, answer: "", ...times, isLost: false }, []);
  }

  /** What waited inside a lost isolate ends with it; what had not begun goes back. */
  loseRest(box: FakeBox, verdict: CellVerdict): void {
    for (const { activity, deadline } of box.pending.values()) {
      deadline?.cancel();
      this.#done(this.#itemOf(box, activity, { verdict, answer: "" }), []);
    }
    box.pending.clear();
    box.taken.clear();
    this.#sendBack(box);
  }

  /** Lets in who waits next. */
  next(box: FakeBox): void {
    while (!box.isBusy && (box.isLoaded || box.isLost) && box.queue.length > 0) box.queue.shift()?.start();
  }

  /** Servers that were held back go on. */
  releaseServers(box: FakeBox): void {
    box.areServersHeld = false;
    for (const act of box.held.splice(0)) act();
  }

  sample({ op, key }: { readonly op: number; readonly key: number }): void {
    const heap = { key, heapBytes: 1_000, heapPeakBytes: 2_000, externalBytes: 0 };
    const processes = { processes: 0, processesMax: 0, queueMax: 0, isolate: 1, sandboxes: 1 };
    const item = { op, verdict: "answered", answer: "", startedUs: 0, wallUs: 0, cpuUs: 0 } as const;
    this.#parts.send({
      t: "done",
      quick: [],
      items: [{ ...item, outputBytes: 0, fuel: null, isLost: false }],
      heaps: [{ ...heap, ...processes }],
      states: [],
    });
  }

  #itemOf(box: FakeBox, activity: Activity, ending: Completion): DoneItem {
    const wallUs = Math.max(0, this.#parts.clock.nowMs - activity.startedMs) * 1_000;
    const times = { startedUs: activity.startedMs * 1_000, wallUs, cpuUs: wallUs };
    const item = { op: activity.op, ...ending, ...times, outputBytes: 0, fuel: null, isLost: box.isLost };
    // What a lost isolate had answered in the same entry is lost with it.
    const { before } = activity;
    return before === undefined || box.isLost ? item : { ...item, before };
  }

  #done(item: DoneItem, states: Extract<Report, { t: "done" }>["states"]): void {
    const isSimple = item.verdict === "answered" && !item.isLost && item.before === undefined;
    const isQuick = isSimple && this.#parts.dice.chance(0.5);
    const { op, answer, startedUs, wallUs, cpuUs } = item;
    const quick = isQuick ? [op, answer, startedUs, wallUs, cpuUs] : [];
    this.#parts.send({ t: "done", quick, items: isQuick ? [] : [item], heaps: [], states });
  }

  #sendBack(box: FakeBox): void {
    for (const { op } of box.queue.splice(0)) if (op !== 0) this.gone(op);
  }

  #openAfterLoad(box: FakeBox, isLoaded: boolean): void {
    box.isLoaded = isLoaded;
    if (!isLoaded) return this.#sendBack(box);
    this.#parts.onLoaded(box);
    this.next(box);
  }
}
