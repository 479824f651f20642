// What a guest has beside the language itself, for its author's editor and for type checks.

/** Writes lines that the host sees in outcome.logs and sandbox.logs(); bounded by outputBytes. */
declare var console: {
  debug(...data: unknown[]): void;
  log(...data: unknown[]): void;
  info(...data: unknown[]): void;
  warn(...data: unknown[]): void;
  error(...data: unknown[]): void;
  trace(...data: unknown[]): void;
  dir(value: unknown, options?: { readonly depth?: number | null }): void;
  dirxml(...data: unknown[]): void;
  table(value: unknown, columns?: readonly string[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string, ...data: unknown[]): void;
  timeEnd(label?: string): void;
  group(...data: unknown[]): void;
  groupCollapsed(...data: unknown[]): void;
  groupEnd(): void;
  clear(): void;
  assert(condition: unknown, ...data: unknown[]): void;
};

declare function setTimeout<A extends unknown[]>(
  act: (...args: A) => void,
  delayMs?: number,
  ...args: A
): number;
declare function setInterval<A extends unknown[]>(
  act: (...args: A) => void,
  delayMs?: number,
  ...args: A
): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
declare function queueMicrotask(act: () => void): void;
declare function structuredClone<T>(value: T, options?: { readonly transfer?: readonly ArrayBuffer[] }): T;

interface PerformanceEntry {
  readonly name: string;
  readonly entryType: "mark" | "measure";
  readonly startTime: number;
  readonly duration: number;
  readonly detail: unknown;
  toJSON(): object;
}

/** The sandbox's clock, in whole milliseconds; virtual where the sandbox is deterministic. */
declare var performance: {
  now(): number;
  readonly timeOrigin: number;
  mark(name: string, options?: { readonly startTime?: number; readonly detail?: unknown }): PerformanceEntry;
  measure(name: string, startMark?: string, endMark?: string): PerformanceEntry;
  measure(
    name: string,
    options: {
      readonly start?: string | number;
      readonly end?: string | number;
      readonly duration?: number;
      readonly detail?: unknown;
    },
  ): PerformanceEntry;
  getEntries(): PerformanceEntry[];
  getEntriesByName(name: string, type?: string): PerformanceEntry[];
  getEntriesByType(type: string): PerformanceEntry[];
  clearMarks(name?: string): void;
  clearMeasures(name?: string): void;
  toJSON(): object;
};

declare class Event {
  constructor(
    type: string,
    options?: {
      readonly bubbles?: boolean;
      readonly cancelable?: boolean;
      readonly composed?: boolean;
    } | null,
  );
  static readonly NONE: 0;
  static readonly CAPTURING_PHASE: 1;
  static readonly AT_TARGET: 2;
  static readonly BUBBLING_PHASE: 3;
  readonly type: string;
  readonly target: EventTarget | null;
  readonly srcElement: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly eventPhase: number;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly composed: boolean;
  readonly defaultPrevented: boolean;
  readonly timeStamp: number;
  readonly isTrusted: boolean;
  returnValue: boolean;
  cancelBubble: boolean;
  composedPath(): EventTarget[];
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}

declare class CustomEvent<T = unknown> extends Event {
  constructor(
    type: string,
    options?: {
      readonly bubbles?: boolean;
      readonly cancelable?: boolean;
      readonly composed?: boolean;
      readonly detail?: T;
    } | null,
  );
  readonly detail: T;
}

type EventListenerLike = ((event: Event) => unknown) | { handleEvent(event: Event): unknown };

/** What a listener throws is written to the console. */
declare class EventTarget {
  addEventListener(
    type: string,
    listener: EventListenerLike | null,
    options?:
      | boolean
      | {
          readonly capture?: boolean;
          readonly once?: boolean;
          readonly passive?: boolean;
          readonly signal?: AbortSignal;
        },
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerLike | null,
    options?: boolean | { readonly capture?: boolean },
  ): void;
  dispatchEvent(event: Event): boolean;
}

declare class AbortSignal extends EventTarget {
  private constructor();
  static abort(reason?: unknown): AbortSignal;
  /** Counts as a timer of the sandbox. */
  static timeout(delayMs: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean;
  readonly reason: unknown;
  onabort: ((event: Event) => unknown) | null;
  throwIfAborted(): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare function atob(data: string): string;
declare function btoa(data: string): string;

/** Randomness and digests; of the sandbox's seed where it is deterministic. */
declare var crypto: {
  getRandomValues<T extends ArrayBufferView>(into: T): T;
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  readonly subtle: {
    /** SHA-1, SHA-256, SHA-384 or SHA-512. */
    digest(
      algorithm: string | { readonly name: string },
      data: ArrayBuffer | ArrayBufferView,
    ): Promise<ArrayBuffer>;
  };
};

declare class DOMException extends Error {
  constructor(message?: string, name?: string | { readonly name?: string; readonly cause?: unknown });
  readonly name: string;
  readonly message: string;
  readonly code: number;
}

declare class QuotaExceededError extends DOMException {
  constructor(message?: string, details?: { readonly quota?: number; readonly requested?: number });
  readonly quota: number | null;
  readonly requested: number | null;
}

declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}

/** For utf-8, utf-16le, utf-16be and windows-1252 (latin1, ascii). */
declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { readonly stream?: boolean }): string;
}

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Record<string, string> | Iterable<[string, string]>);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(visit: (value: string, name: string) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string, base?: string): boolean;
  static parse(url: string, base?: string): URL | null;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  readonly searchParams: URLSearchParams;
  toJSON(): string;
}
