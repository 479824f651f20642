// Reports changes under a folder: many writes in a burst are one change, reported when they pause, or after a maximal
// delay.
import { watch, type FSWatcher } from "node:fs";
import { sep } from "node:path";
import type { Clock, Timer } from "../../std/clock.ts";

export interface WatchOptions {
  readonly clock: Clock;
  readonly folder: string;
  readonly onChange: () => void;
  /** The folder can no longer be watched. */
  readonly onError: (error: Error) => void;
}

/** How long there must be no writes before a change is reported. */
const quietMs = 40;
/** How long a report is delayed at most. */
const delayMsMax = 200;

/** Watches a folder and all below it, but for dependencies and hidden files. */
export class Watcher {
  readonly #options: WatchOptions;
  readonly #watcher: FSWatcher;
  #timer: Timer | undefined;
  #firstMs: number | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#watcher = watch(options.folder, { recursive: true, persistent: false });
    this.#watcher.on("change", (_, name) => {
      if (name === null || isWatched(String(name))) this.#note();
    });
    this.#watcher.on("error", (error) => options.onError(error));
  }

  close(): void {
    this.#timer?.cancel();
    this.#watcher.close();
  }

  #note(): void {
    const { clock } = this.#options;
    const nowMs = clock.monotonic();
    this.#firstMs ??= nowMs;
    this.#timer?.cancel();
    const waitMs = Math.max(0, Math.min(quietMs, this.#firstMs + delayMsMax - nowMs));
    this.#timer = clock.after(waitMs, () => {
      this.#firstMs = undefined;
      this.#options.onChange();
    });
  }
}

function isWatched(name: string): boolean {
  return !name
    .split(sep)
    .some((part) => part === "node_modules" || (part.startsWith(".") && part.length > 1));
}
