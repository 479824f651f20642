// How far long work has come, on one line of stderr that is gone when it ends. Where stderr is no terminal, there is none.
import type { Clock, Timer } from "../../std/clock.ts";
import { columnsOf, cutLine, dim, green, paint, type Line } from "./lines.ts";
import { countText, durationText } from "./units.ts";

export interface ProgressOptions {
  readonly stream: NodeJS.WriteStream;
  readonly clock: Clock;
  /** What is counted, as in `1,200 of 5,000 candidates`. */
  readonly what: string;
  /** How many there will be; undefined where that is not known. */
  readonly total?: number | undefined;
}

/** At most ten times a second. */
const redrawMs = 100;
/** Work that is done sooner shows nothing. */
export const quietMs = 300;
const barWidth = 20;
export const eraseLine = "\r\u001b[K";

export class Progress implements Disposable {
  readonly #options: ProgressOptions;
  readonly #startMs: number;
  #count = 0;
  #drawnMs: number;
  #timer: Timer | undefined;
  #isShown = false;
  #isOver = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#startMs = options.clock.monotonic();
    this.#drawnMs = this.#startMs + quietMs - redrawMs;
  }

  /** So many are done by now. */
  update(count: number): void {
    this.#count = count;
    this.#plan();
  }

  /** Takes the line away for whoever writes to the same terminal; the next update shows it again. */
  hide(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#options.stream.write(eraseLine);
  }

  /** The work is done, or given up. */
  close(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.hide();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  // One timer at a time draws the latest count when it is due.
  #plan(): void {
    const { stream, clock } = this.#options;
    if (this.#isOver || this.#timer !== undefined || !canMove(stream)) return;
    const waitMs = this.#drawnMs + redrawMs - clock.monotonic();
    if (waitMs <= 0) return this.#draw();
    this.#timer = clock.after(waitMs, () => {
      this.#timer = undefined;
      this.#draw();
    });
  }

  #draw(): void {
    const { stream, clock } = this.#options;
    this.#drawnMs = clock.monotonic();
    this.#isShown = true;
    const elapsedMs = this.#drawnMs - this.#startMs;
    // The last column stays free: a terminal may begin a new line after it.
    const line = cutLine(progressLine(this.#options, this.#count, elapsedMs), columnsOf(stream) - 1);
    stream.write(`${eraseLine}${paint(line, stream)}`);
  }
}

/** Whether a line can be taken away again. */
export function canMove(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && process.env["TERM"] !== "dumb";
}

function progressLine(
  { what, total }: Pick<ProgressOptions, "what" | "total">,
  count: number,
  elapsedMs: number,
): Line {
  const perSecond = elapsedMs > 0 ? (count / elapsedMs) * 1_000 : 0;
  const rate = ` · ${perSecond >= 10 ? countText(Math.round(perSecond)) : perSecond.toFixed(1)}/s`;
  if (total === undefined) return [`${countText(count)} ${what}${rate} · ${durationText(elapsedMs)}`];
  const share = total > 0 ? Math.min(1, count / total) : 1;
  const full = Math.round(share * barWidth);
  const leftMs = perSecond > 0 ? ((total - count) / perSecond) * 1_000 : undefined;
  const left = leftMs === undefined || leftMs < 0 ? "" : ` · ${durationText(leftMs)} left`;
  return [
    green("█".repeat(full)),
    dim("░".repeat(barWidth - full)),
    ` ${countText(count)} of ${countText(total)} ${what}${rate}${left}`,
  ];
}
