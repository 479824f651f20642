// `performance`: the sandbox's clock, and marks and measures on it.
import type { Exceptions } from "./exceptions.ts";
import type { Made, Needs } from "./needs.ts";

/** So many marks and measures are kept; the earliest make room. */
const entriesMax = 1_000;

interface Entry {
  readonly name: string;
  readonly entryType: "mark" | "measure";
  readonly startTime: number;
  readonly duration: number;
  readonly detail: unknown;
}

interface MarkOptions {
  readonly startTime?: unknown;
  readonly detail?: unknown;
}

interface MeasureOptions {
  readonly start?: unknown;
  readonly end?: unknown;
  readonly duration?: unknown;
  readonly detail?: unknown;
}

export function make(needs: Needs): Made {
  const { sinceOrigin, timeOrigin } = needs;
  const timeline = new Timeline(needs);
  const performance = {
    now: () => sinceOrigin(),
    get timeOrigin(): number {
      return timeOrigin();
    },
    mark: (name: unknown, options?: MarkOptions | null) => timeline.mark(`${name as string}`, options ?? {}),
    measure: (name: unknown, given?: unknown, endMark?: unknown) => {
      const isObject = typeof given === "object" && given !== null;
      return timeline.measure(`${name as string}`, isObject ? given : { start: given, end: endMark });
    },
    getEntries: () => timeline.find(() => true),
    getEntriesByName: (name: unknown, type?: unknown) =>
      timeline.find(
        (entry) => entry.name === `${name as string}` && (type === undefined || entry.entryType === type),
      ),
    getEntriesByType: (type: unknown) => timeline.find(({ entryType }) => entryType === type),
    clearMarks: (name?: unknown) => timeline.drop("mark", name),
    clearMeasures: (name?: unknown) => timeline.drop("measure", name),
    toJSON: () => ({ timeOrigin: timeOrigin() }),
  };
  Object.defineProperty(performance, Symbol.toStringTag, { value: "Performance", configurable: true });
  return { performance };
}

class Timeline {
  readonly #needs: Needs;
  #entries: Entry[] = [];

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  mark(name: string, { startTime, detail }: MarkOptions): Entry {
    const moment = startTime === undefined ? this.#needs.sinceOrigin() : Number(startTime);
    return this.#keep({ name, entryType: "mark", startTime: moment, duration: 0, detail });
  }

  measure(name: string, { start, end, duration, detail }: MeasureOptions): Entry {
    const hasBoth = start !== undefined && duration !== undefined;
    const otherwise = hasBoth ? this.#momentOf(start) + Number(duration) : this.#needs.sinceOrigin();
    const until = end === undefined ? otherwise : this.#momentOf(end);
    const beginning = duration === undefined ? 0 : until - Number(duration);
    const startTime = start === undefined ? beginning : this.#momentOf(start);
    return this.#keep({ name, entryType: "measure", startTime, duration: until - startTime, detail });
  }

  /** In the order of their beginnings. */
  find(isMeant: (entry: Entry) => boolean): Entry[] {
    return this.#entries.filter(isMeant).sort((a, b) => a.startTime - b.startTime);
  }

  drop(type: Entry["entryType"], name: unknown): void {
    this.#entries = this.#entries.filter(
      (entry) => entry.entryType !== type || (name !== undefined && entry.name !== `${name as string}`),
    );
  }

  #keep(entry: Entry): Entry {
    const { structuredClone } = this.#needs.made("clone") as {
      readonly structuredClone: (value: unknown) => unknown;
    };
    const { detail } = entry;
    const copy = detail === undefined || detail === null ? null : structuredClone(detail);
    const kept = Object.assign(new PerformanceEntry(), { ...entry, detail: copy });
    this.#entries.push(kept);
    if (this.#entries.length > entriesMax) this.#entries.shift();
    return kept;
  }

  #momentOf(given: unknown): number {
    if (typeof given === "number") return given;
    const name = `${given as string}`;
    const mark = this.#entries.findLast((entry) => entry.entryType === "mark" && entry.name === name);
    if (mark !== undefined) return mark.startTime;
    const { DOMException } = this.#needs.made("exceptions") as Exceptions;
    throw new DOMException(`Cannot measure as there must be a mark ${name}: there is none`, "SyntaxError");
  }
}

class PerformanceEntry {
  toJSON(): object {
    return Object.assign({}, this);
  }
}
