// Tells when something under a folder has changed: many writes in a burst are one change, told when they pause, or when
// they have gone on for long enough.
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

/** So long nothing may be written before a change is told. */
const quietMs = 40;
/** So long a change is held back at most. */
const holdMsMax = 200;

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
    const waitMs = Math.max(0, Math.min(quietMs, this.#firstMs + holdMsMax - nowMs));
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
