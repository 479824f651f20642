// That one long step is under way, on one line of stderr that is gone when it ends. Where stderr is no terminal, there is none.
import { systemClock, type Clock, type Timer } from "../../std/clock.ts";
import { columnsOf, cutLine, dim, paint } from "./lines.ts";
import { canMove, eraseLine, quietMs } from "./progress.ts";
import { ownStreams } from "./streams.ts";
import { durationText } from "./units.ts";

export interface WaitingOptions {
  readonly stream: NodeJS.WriteStream;
  readonly clock: Clock;
  /** What is done, as in `Exporting variant-1`. */
  readonly what: string;
}

const redrawMs = 1_000;

/** Does it, and tells so for as long as it takes. */
export async function waited<T>(what: string, act: () => Promise<T>): Promise<T> {
  using _ = new Waiting({ stream: ownStreams.stderr, clock: systemClock, what });
  return await act();
}

/** From its creation until it is disposed of. */
export class Waiting implements Disposable {
  readonly #options: WaitingOptions;
  readonly #startMs: number;
  #timer: Timer | undefined;
  #isShown = false;

  constructor(options: WaitingOptions) {
    this.#options = options;
    this.#startMs = options.clock.monotonic();
    if (canMove(options.stream)) this.#plan(quietMs);
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#isShown) this.#options.stream.write(eraseLine);
    this.#isShown = false;
  }

  #plan(waitMs: number): void {
    this.#timer = this.#options.clock.after(waitMs, () => {
      this.#draw();
      this.#plan(redrawMs);
    });
  }

  #draw(): void {
    const { stream, clock, what } = this.#options;
    this.#isShown = true;
    const took = durationText(clock.monotonic() - this.#startMs);
    // The last column stays free: a terminal may begin a new line after it.
    const line = cutLine([what, dim(` · ${took}`)], columnsOf(stream) - 1);
    stream.write(`${eraseLine}${paint(line, stream)}`);
  }
}
