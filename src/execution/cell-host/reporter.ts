// Sends reports to the orchestrator: many completions in one frame, console lines before the completion they belong to.
import { logFrameBytesMax, processDetailMax } from "../../model/runs/report-bounds.ts";
import { frameOfReport } from "../protocol/encoding.ts";
import {
  quickWidth,
  type CellVerdict,
  type DoneItem,
  type HeapSample,
  type LogReport,
  type Report,
  type ChangedStates,
} from "../protocol/messages.ts";
import { toFineUs, toUs, type Activity, type Completion, type StateChanges } from "./activity.ts";
import type { Box } from "./box.ts";

const itemsMax = 64;
/** How long all answers in one frame may be together; one alone may be longer. */
const answersLengthMax = 262_144;
const logBytesMax = 16_384;
/** How many bytes a character of a console line takes at most in a frame: `\\u0001`. */
const lineUnitBytes = 6;
const reportsPerSecond = 200;

export class Reporter {
  readonly #write: (frame: Buffer) => void;
  #quick: (number | string)[] = [];
  #items: DoneItem[] = [];
  #heaps: HeapSample[] = [];
  #states: ChangedStates[] = [];
  #answersLength = 0;
  /** How many completions were reported. */
  reported = 0;
  /** The caller will flush before the event loop goes on. */
  isHeld = false;
  #isScheduled = false;
  #isTogether = false;

  constructor(write: (frame: Buffer) => void) {
    this.#write = write;
  }

  send(report: Report): void {
    this.#write(frameOfReport(report));
  }

  /** An ordinary completion: the guest answered, wrote nothing and kept its isolate. */
  quick(
    op: number,
    answer: number | string,
    times: { readonly startedMs: number; readonly wallMs: number; readonly cpuMs: number },
  ): void {
    this.#makeRoom(answer);
    this.reported++;
    this.#quick.push(op, answer, toUs(times.startedMs), toUs(times.wallMs), toFineUs(times.cpuMs));
    this.#flushSoon();
  }

  done(box: Box, activity: Activity, completion: Completion): void {
    // The run begins again, and writes its lines again.
    if (completion.verdict === "sliced") {
      box.output.drain();
      box.requests = [];
    } else {
      this.#sendLogs(box, activity.op);
      this.requests(box);
    }
    box.isLossReported ||= box.isLost && activity.kind !== "manage";
    this.#add(activity.toDone(box, completion));
  }

  /** All that `act` reports is sent in one frame, so that either all of it arrives or nothing. */
  together(act: () => void): void {
    if (this.#isTogether) return act();
    this.flush();
    this.#isTogether = true;
    try {
      act();
    } finally {
      this.#isTogether = false;
      this.#flushSoon();
    }
  }

  heap(sample: HeapSample | undefined): void {
    if (sample !== undefined) this.#heaps.push(sample);
  }

  /** States that changed, sent with the completions of the same moment. */
  state(key: number, { capture, begun }: StateChanges): void {
    if (capture === "") return;
    this.#states.push({ key, capture, begun });
    this.#flushSoon();
  }

  /** An event of a process; each sandbox may send a limited number per second. */
  process(box: Box, kind: string, detail: string): void {
    if (mayReport(box) || kind === "gave-up")
      this.send({ t: "process", key: box.key, kind, detail: detail.slice(0, processDetailMax) });
  }

  /** The operation never entered an isolate: its sandbox is not here. */
  gone(op: number): void {
    this.unbegun(op, "gone");
  }

  /** The operation never entered an isolate. */
  unbegun(op: number, verdict: "gone" | "spared"): void {
    this.#add({
      op,
      verdict,
      answer: "",
      startedUs: 0,
      wallUs: 0,
      cpuUs: 0,
      outputBytes: 0,
      fuel: null,
      isLost: false,
    });
  }

  pending(box: Box, activity: Activity): void {
    this.#sendLogs(box, activity.op);
    this.requests(box);
    this.flush();
    this.send({ t: "pending", op: activity.op, startedUs: toUs(activity.startedMs) });
  }

  /** It is still pending, and the time in which it waited for lanes does not count. */
  prolonged(activity: Activity, waitingMs: number): void {
    this.send({ t: "pending", op: activity.op, startedUs: toUs(activity.countedFromMs(waitingMs)) });
  }

  background(box: Box, verdict: CellVerdict): void {
    this.#sendLogs(box, 0);
    box.isLossReported ||= box.isLost;
    this.send({ t: "background", key: box.key, verdict, isLost: box.isLost });
  }

  /** Lines were written; they are sent soon, and in any case before their run's completion. */
  logs(box: Box): void {
    if (box.isTentative) return;
    if (box.output.unsentBytes > logBytesMax) this.#sendLogs(box, box.current);
    else if (!box.isLogScheduled) this.#sendLogsSoon(box, box.current);
  }

  /** Sends requests of the guest, unless the run inside may begin again elsewhere. */
  requests(box: Box): void {
    if (box.isTentative || box.requests.length === 0) return;
    for (const request of box.requests.splice(0)) this.send({ t: "request", key: box.key, ...request });
  }

  flush(): void {
    if (
      this.#quick.length === 0 &&
      this.#items.length === 0 &&
      this.#heaps.length === 0 &&
      this.#states.length === 0
    )
      return;
    const report = {
      t: "done",
      quick: this.#quick,
      items: this.#items,
      heaps: this.#heaps,
      states: this.#states,
    } as const;
    this.#quick = [];
    this.#items = [];
    this.#heaps = [];
    this.#states = [];
    this.#answersLength = 0;
    this.#write(frameOfReport(report));
  }

  // Long answers are sent one by one, so that neither end has to hold several of them.
  #makeRoom(answer: number | string): void {
    if (typeof answer === "number") return;
    if (this.#answersLength + answer.length > answersLengthMax && !this.#isTogether) this.flush();
    this.#answersLength += answer.length;
  }

  #add(item: DoneItem): void {
    this.#makeRoom(item.answer);
    this.reported++;
    this.#items.push(item);
    this.#flushSoon();
  }

  #sendLogs(box: Box, op: number): void {
    const { key } = box;
    let lines: LogReport["lines"][number][] = [];
    let bytes = 0;
    // Several frames where one would be too long. A line alone never is: the guest's console cuts it.
    for (const line of box.output.drain()) {
      bytes += line[1].length * lineUnitBytes;
      if (bytes > logFrameBytesMax && lines.length > 0) {
        this.send({ t: "log", key, op, lines });
        lines = [];
        bytes = line[1].length * lineUnitBytes;
      }
      lines.push(line);
    }
    if (lines.length > 0) this.send({ t: "log", key, op, lines });
  }

  #sendLogsSoon(box: Box, op: number): void {
    box.isLogScheduled = true;
    setImmediate(() => {
      box.isLogScheduled = false;
      this.#sendLogs(box, op);
    });
  }

  // At the end of the current turn of the event loop, or at once where the frame is full.
  #flushSoon(): void {
    if (this.#isTogether) return;
    const isFull =
      this.#quick.length >= itemsMax * quickWidth ||
      this.#items.length >= itemsMax ||
      this.#answersLength > answersLengthMax;
    if (isFull) return this.flush();
    if (this.isHeld || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}

function mayReport(box: Box): boolean {
  const nowMs = performance.now();
  if (nowMs - box.reportsSinceMs > 1_000) {
    box.reportsSinceMs = nowMs;
    box.reportsLeft = reportsPerSecond;
  }
  return box.reportsLeft-- > 0;
}
