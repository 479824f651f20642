// Reports on their way to the orchestrator: many endings in one frame, console lines before the ending they belong to.
import { toFrame } from "../../std/frames.ts";
import type { CellVerdict, DoneItem, Report } from "../protocol/messages.ts";
import type { Activity, Ending } from "./activity.ts";
import type { Box } from "./box.ts";

const itemsMax = 64;
const logBytesMax = 16_384;

export class Reporter {
  readonly #write: (frame: Buffer) => void;
  #items: DoneItem[] = [];
  #isScheduled = false;

  constructor(write: (frame: Buffer) => void) {
    this.#write = write;
  }

  send(report: Report): void {
    this.#write(toFrame(report));
  }

  done(box: Box, activity: Activity, ending: Ending): void {
    this.#sendLogs(box, activity.op);
    this.#add(activity.toDone(box, ending));
  }

  /** The operation never entered an isolate: its sandbox is not here. */
  gone(op: number): void {
    const zero = { startedMs: 0, wallMs: 0, cpuMs: 0, heapBytes: 0, heapPeakBytes: 0, externalBytes: 0, outputBytes: 0 };
    this.#add({ op, verdict: "gone", answer: "", isLost: false, ...zero });
  }

  pending(box: Box, activity: Activity): void {
    this.#sendLogs(box, activity.op);
    this.flush();
    this.send({ t: "pending", op: activity.op, startedMs: activity.startedMs });
  }

  background(box: Box, verdict: CellVerdict): void {
    this.#sendLogs(box, 0);
    this.send({ t: "background", key: box.key, verdict });
  }

  /** Lines were written; they are sent when they are many, and in any case before their run's ending. */
  logs(box: Box): void {
    if (box.output.unsentBytes > logBytesMax) this.#sendLogs(box, box.current);
    else this.#schedule(box);
  }

  flush(): void {
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    this.send({ t: "done", items });
  }

  #add(item: DoneItem): void {
    this.#items.push(item);
    if (this.#items.length >= itemsMax) this.flush();
    else this.#schedule();
  }

  #sendLogs(box: Box, op: number): void {
    const lines = box.output.drain();
    if (lines.length > 0) this.send({ t: "log", key: box.key, op, lines });
  }

  // Whatever the current turn of the event loop ends with goes out with it.
  #schedule(box?: Box): void {
    if (box !== undefined) {
      const op = box.current;
      setImmediate(() => this.#sendLogs(box, op));
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
