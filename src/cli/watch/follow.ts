// Tells when files below a folder change: a burst of writes is one change, told when it pauses, or after a maximal delay. As
// `autoReload` does in a runtime, but on the side of the user, whose files they are.
import { statSync, watch, type FSWatcher } from "node:fs";
import { dirname, sep } from "node:path";
import type { Clock, Timer } from "../../index.ts";

const quietMs = 40;
const delayMsMax = 200;

export interface FollowOptions {
  readonly clock: Clock;
  /** A folder, or a file: then the folder that it is in, as what it imports is there. */
  readonly path: string;
  readonly onChange: () => void;
  readonly onError: (error: Error) => void;
}

export class Follower implements Disposable {
  readonly #options: FollowOptions;
  readonly #watcher: FSWatcher;
  #timer: Timer | undefined;
  #firstMs: number | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    const folder = statSync(options.path).isDirectory() ? options.path : dirname(options.path);
    this.#watcher = watch(folder, { recursive: true });
    this.#watcher.on("change", (_, name) => {
      if (name === null || isFollowed(String(name))) this.note();
    });
    this.#watcher.on("error", (error) => options.onError(error));
  }

  /** Something was written. */
  note(): void {
    const { clock, onChange } = this.#options;
    const nowMs = clock.monotonic();
    this.#firstMs ??= nowMs;
    this.#timer?.cancel();
    this.#timer = clock.after(Math.max(0, Math.min(quietMs, this.#firstMs + delayMsMax - nowMs)), () => {
      this.#firstMs = undefined;
      onChange();
    });
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#watcher.close();
  }
}

/** Dependencies and hidden files are none of its code. */
export function isFollowed(name: string): boolean {
  return !name
    .split(sep)
    .some((part) => part === "node_modules" || (part.startsWith(".") && part.length > 1));
}
