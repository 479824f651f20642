// `vivarium top` on a terminal: takes a sample in every interval, draws it, and does what keys ask for.
import type { Clock, Runtime, Timer } from "../../index.ts";
import { asVivariumError } from "../../model/errors.ts";
import { green, red, yellow, type Line } from "../display/lines.ts";
import { Screen, type Key } from "../display/screen.ts";
import type { Streams } from "../display/streams.ts";
import { frame, tableRows, type View } from "./frame.ts";
import { LatestEvents } from "./latest.ts";
import { Sampler, type Sample } from "./sample.ts";
import { firstState, press, sorted, type TopState, type Wish } from "./state.ts";

export interface TopOptions {
  readonly runtime: Runtime;
  /** Where it is, for the first line. */
  readonly name: string;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly intervalMs: number;
  /** How many sandboxes are listed at most. */
  readonly limit: number;
}

const latestKept = 10;
/** How long what came of a key is told. */
const messageMs = 4_000;

/** Resolves when the user quits, or when the signal is aborted. */
export async function showTop(options: TopOptions): Promise<void> {
  using live = new LiveTop(options);
  await live.ended;
}

class LiveTop implements Disposable {
  readonly #options: TopOptions;
  readonly #ended = Promise.withResolvers<void>();
  readonly #screen: Screen;
  readonly #sampler: Sampler;
  readonly #latest: LatestEvents;
  #state: TopState = firstState;
  #sample: Sample | undefined;
  #message: { readonly line: Line; readonly untilMs: number } | undefined;
  #timer: Timer | undefined;
  #isLooking = false;
  #isOver = false;

  constructor(options: TopOptions) {
    this.#options = options;
    const { runtime, clock, limit, streams, signal } = options;
    this.#sampler = new Sampler({ runtime, clock, limit });
    this.#latest = new LatestEvents(runtime.events, latestKept);
    this.#screen = new Screen({
      input: streams.stdin,
      output: streams.stdout,
      onKey: (key) => this.#press(key),
      onResize: () => this.#draw(),
    });
    signal.addEventListener("abort", this.#quit, { once: true });
    this.#screen.open();
    this.#draw();
    if (signal.aborted) this.#quit();
    else this.#look();
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#options.signal.removeEventListener("abort", this.#quit);
    this.#latest[Symbol.dispose]();
    this.#screen.close();
  }

  readonly #quit = (): void => this.#ended.resolve();

  /** Takes a sample now, and the next one an interval after it: a slow runtime is not asked twice at a time. */
  #look(): void {
    this.#timer?.cancel();
    if (this.#isLooking || this.#isOver) return;
    this.#isLooking = true;
    const { clock, intervalMs } = this.#options;
    const plan = (): void => {
      this.#isLooking = false;
      if (this.#isOver) return;
      this.#draw();
      this.#timer = clock.after(intervalMs, () => {
        if (!this.#state.paused) this.#look();
      });
    };
    const { filter } = this.#state;
    this.#sampler.take(filter ?? undefined).then(
      (sample) => {
        // Of another filter than is wanted by now, the next one is taken at once.
        this.#isLooking = false;
        if (filter !== this.#state.filter) return this.#look();
        this.#sample = sample;
        this.#keepSelection();
        plan();
      },
      (error: unknown) => {
        this.#say([red("Cannot look: "), asVivariumError(error).message]);
        plan();
      },
    );
  }

  /** What is selected may be gone. */
  #keepSelection(): void {
    const { selected } = this.#state;
    if (selected === null || this.#sample?.sandboxes.some(({ id }) => id === selected) === true) return;
    this.#state = {
      ...this.#state,
      selected: null,
      page: this.#state.page === "confirm" ? "table" : this.#state.page,
    };
  }

  #press(key: Key): void {
    const view = this.#view();
    const ids = view.sandboxes.map(({ id }) => id);
    const { state, wish } = press(this.#state, key, { ids, rows: tableRows(view, this.#screen.size) });
    this.#state = state;
    this.#message = undefined;
    this.#fulfil(wish);
    this.#draw();
  }

  #fulfil(wish: Wish): void {
    switch (wish.kind) {
      case "quit":
        return this.#quit();
      case "refresh":
        return this.#look();
      case "destroy":
        return void this.#destroy(wish.id);
    }
  }

  async #destroy(id: string): Promise<void> {
    this.#say([yellow("Destroys "), id, " …"]);
    try {
      await this.#options.runtime.destroy(id);
      this.#say([green("Destroyed "), id]);
    } catch (error) {
      this.#say([red("Not destroyed: "), asVivariumError(error).message]);
    }
    this.#look();
    this.#draw();
  }

  #say(line: Line): void {
    this.#message = { line, untilMs: this.#options.clock.monotonic() + messageMs };
  }

  #view(): View {
    const { clock, name, intervalMs } = this.#options;
    const message = this.#message;
    return {
      name,
      sample: this.#sample,
      sandboxes: sorted(this.#sample?.sandboxes ?? [], this.#state.sort),
      state: this.#state,
      latest: this.#latest.list,
      message: message !== undefined && message.untilMs > clock.monotonic() ? message.line : undefined,
      intervalMs,
    };
  }

  #draw(): void {
    if (!this.#isOver) this.#screen.draw(frame(this.#view(), this.#screen.size));
  }
}
