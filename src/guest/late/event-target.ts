// Event and EventTarget. A listener that throws is told on the console, and the others are called all the same.
import { at } from "../../model/wire/intrinsics.ts";
import type { Exceptions } from "./exceptions.ts";
import type { Needs } from "./needs.ts";

interface Listener {
  readonly type: string;
  readonly callback: unknown;
  readonly capture: boolean;
  readonly once: boolean;
  readonly passive: boolean;
  isRemoved: boolean;
}

/** What may end a listener. */
interface Ending {
  readonly aborted: boolean;
  addEventListener(type: string, callback: () => void, options: object): void;
}

type ListenerOptions = Partial<Record<"capture" | "once" | "passive" | "signal", unknown>>;
type EventOptions = Partial<Record<"bubbles" | "cancelable" | "composed", unknown>>;

const phases = { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 } as const;
let needs: Needs;

/** Runs before any of these classes is used. */
export function connectEvents(given: Needs): void {
  needs = given;
  for (const [name, value] of Object.entries(phases)) {
    Object.defineProperty(Event, name, { value, enumerable: true });
    Object.defineProperty(Event.prototype, name, { value, enumerable: true });
  }
}

/** Calls the listeners of a target. */
export let dispatch: (target: EventTarget, event: Event, isTrusted: boolean) => boolean;
/** How many listeners a target has for a type. */
export let countListeners: (target: EventTarget, type: string) => number;
/** Sets what is called when listeners of a target are added or removed. */
export let watchListeners: (target: EventTarget, changed: () => void) => void;

export class Event {
  readonly #type: string;
  readonly #options: EventOptions;
  readonly #timeStamp = needs.sinceOrigin();
  #target: EventTarget | null = null;
  #isDispatching = false;
  #isStopped = false;
  #isStoppedAtOnce = false;
  #isPassive = false;
  #isPrevented = false;
  #isTrusted = false;

  constructor(...given: readonly unknown[]) {
    if (given.length === 0) throw new TypeError("Cannot make an event as its type must be given");
    this.#type = `${at(given, 0)}`;
    const options = given[1] ?? {};
    if (typeof options !== "object" && typeof options !== "function")
      throw new TypeError("Cannot make an event as its options must be an object");
    const { bubbles, cancelable, composed } = options as EventOptions; // Whatever they are.
    this.#options = {
      bubbles: Boolean(bubbles),
      cancelable: Boolean(cancelable),
      composed: Boolean(composed),
    };
  }

  static {
    dispatch = (target, event, isTrusted) => {
      if (event.#isDispatching) {
        const { DOMException } = needs.made("exceptions") as Exceptions;
        throw new DOMException("Cannot dispatch an event that is being dispatched", "InvalidStateError");
      }
      event.#isTrusted = isTrusted;
      event.#target = target;
      event.#isDispatching = true;
      callListeners(target, event, {
        isStopped: () => event.#isStoppedAtOnce,
        setPassive: (isPassive) => (event.#isPassive = isPassive),
      });
      event.#isDispatching = false;
      event.#isStopped = false;
      event.#isStoppedAtOnce = false;
      return !event.#isPrevented;
    };
  }

  get type(): string {
    return this.#type;
  }
  get target(): EventTarget | null {
    return this.#target;
  }
  get srcElement(): EventTarget | null {
    return this.#target;
  }
  get currentTarget(): EventTarget | null {
    return this.#isDispatching ? this.#target : null;
  }
  get eventPhase(): number {
    return this.#isDispatching ? phases.AT_TARGET : phases.NONE;
  }
  get bubbles(): boolean {
    return this.#options.bubbles === true;
  }
  get cancelable(): boolean {
    return this.#options.cancelable === true;
  }
  get composed(): boolean {
    return this.#options.composed === true;
  }
  get defaultPrevented(): boolean {
    return this.#isPrevented;
  }
  get returnValue(): boolean {
    return !this.#isPrevented;
  }
  set returnValue(value: unknown) {
    if (!value) this.preventDefault();
  }
  get cancelBubble(): boolean {
    return this.#isStopped;
  }
  set cancelBubble(value: unknown) {
    if (value) this.#isStopped = true;
  }
  get timeStamp(): number {
    return this.#timeStamp;
  }
  get isTrusted(): boolean {
    return this.#isTrusted;
  }
  composedPath(): EventTarget[] {
    return this.#isDispatching && this.#target !== null ? [this.#target] : [];
  }
  preventDefault(): void {
    if (this.cancelable && !this.#isPassive) this.#isPrevented = true;
  }
  stopPropagation(): void {
    this.#isStopped = true;
  }
  stopImmediatePropagation(): void {
    this.#isStopped = true;
    this.#isStoppedAtOnce = true;
  }
}

export class CustomEvent extends Event {
  readonly #detail: unknown;

  constructor(...given: readonly unknown[]) {
    super(...given);
    this.#detail = (given[1] as { readonly detail?: unknown } | null | undefined)?.detail ?? null; // Whatever it is.
  }

  get detail(): unknown {
    return this.#detail;
  }
}

interface Dispatching {
  readonly isStopped: () => boolean;
  readonly setPassive: (isPassive: boolean) => void;
}

let callListeners: (target: EventTarget, event: Event, dispatching: Dispatching) => void;

export class EventTarget {
  #listeners: Listener[] = [];
  #changed: () => void = () => {};

  static {
    countListeners = (target, type) => target.#listeners.filter((listener) => listener.type === type).length;
    watchListeners = (target, changed) => (target.#changed = changed);
    callListeners = (target, event, { isStopped, setPassive }) => {
      // A copy: those that are added meanwhile are not called.
      for (const listener of [...target.#listeners]) {
        if (listener.type !== event.type || listener.isRemoved) continue;
        if (listener.once) target.#remove(listener);
        setPassive(listener.passive);
        callListener(listener.callback, target, event);
        setPassive(false);
        if (isStopped()) return;
      }
    };
  }

  addEventListener(...given: readonly unknown[]): void {
    const { type, callback, capture, options } = readListener("add", given);
    const { once, passive, signal } = options;
    const ending = signal === undefined ? undefined : signalOf(signal);
    if (callback === null || ending?.aborted === true) return;
    if (this.#find(type, callback, capture) !== undefined) return;
    const listener = {
      type,
      callback,
      capture,
      once: Boolean(once),
      passive: Boolean(passive),
      isRemoved: false,
    };
    this.#listeners.push(listener);
    ending?.addEventListener("abort", () => this.#remove(listener), { once: true });
    this.#changed();
  }

  removeEventListener(...given: readonly unknown[]): void {
    const { type, callback, capture } = readListener("remove", given);
    const listener = this.#find(type, callback, capture);
    if (listener !== undefined) this.#remove(listener);
  }

  dispatchEvent(event: unknown): boolean {
    // The private fields must be there before any is read.
    void this.#listeners;
    if (!(event instanceof Event)) throw new TypeError("Cannot dispatch it as it must be an Event");
    return dispatch(this, event, false);
  }

  #find(type: string, callback: unknown, capture: boolean): Listener | undefined {
    return this.#listeners.find(
      (listener) => listener.type === type && listener.callback === callback && listener.capture === capture,
    );
  }

  #remove(listener: Listener): void {
    listener.isRemoved = true;
    this.#listeners = this.#listeners.filter((other) => other !== listener);
    this.#changed();
  }
}

function callListener(callback: unknown, target: EventTarget, event: Event): void {
  try {
    if (typeof callback === "function") Reflect.apply(callback, target, [event]);
    else (callback as { handleEvent(event: Event): void }).handleEvent(event); // Where it is none, that is told.
  } catch (error) {
    needs.uncaught("an event listener", error);
  }
}

interface ListenerArguments {
  readonly type: string;
  readonly callback: object | null;
  readonly capture: boolean;
  readonly options: ListenerOptions;
}

function readListener(verb: string, given: readonly unknown[]): ListenerArguments {
  if (given.length < 2)
    throw new TypeError(`Cannot ${verb} a listener as its type and the listener must be given`);
  const [type, callback = null, third] = given;
  if (typeof callback !== "object" && typeof callback !== "function")
    throw new TypeError(`Cannot ${verb} a listener as it must be a function or an object`);
  const isObject = typeof third === "object" || typeof third === "function";
  const options = isObject ? ((third ?? {}) as ListenerOptions) : {}; // Whatever they are.
  return {
    type: `${type as string}`,
    callback,
    capture: Boolean(isObject ? options.capture : third),
    options,
  };
}

function signalOf(signal: unknown): Ending {
  // It is made by the same script.
  const { AbortSignal } = needs.made("events") as { readonly AbortSignal: new () => Ending };
  if (signal instanceof AbortSignal) return signal;
  throw new TypeError("Cannot add a listener as its signal must be an AbortSignal");
}
