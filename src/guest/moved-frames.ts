// Frames of code that the compiler has moved into a function of its own, to keep it from being optimised: a trace shows the
// function that the guest wrote, at the place inside of it.
import { largeModuleName, largeName, tickName } from "../model/code/large-names.ts";
import {
  append,
  apply,
  at,
  defineProperty,
  getPrototypeOf,
  indexOf,
  lastIndexOf,
  ownKeys,
  slice,
} from "../model/wire/intrinsics.ts";

/** As the engine makes it. */
export type Site = object;

/** A frame as it is shown. */
export interface Frame {
  /** Whose function it is; undefined where that has no name to be shown. */
  readonly site: Site | undefined;
  /** Where it is inside of the function. */
  readonly place: Site;
}

type Method = (this: Site) => unknown;

/** The methods of frames, saved before a guest reaches them through its own hook. */
type Methods = Readonly<Record<string, Method>>;

/** What a guest's hook learns of the place; all else is of the function. */
const ofPlace: Readonly<Record<string, true>> = {
  __proto__: null,
  getLineNumber: true,
  getColumnNumber: true,
  getPosition: true,
  isAsync: true,
} as never; // The prototype of a literal is no property of its type.

export class MovedFrames {
  readonly #methods: Methods;

  constructor(sample: Site) {
    const prototype = getPrototypeOf(sample) as Methods;
    const methods: Record<string, Method> = { __proto__: null } as never; // As above.
    const names = ownKeys(prototype);
    for (let i = 0; i < names.length; i++) {
      const name = at(names, i);
      // All that frames inherit are methods.
      if (typeof name === "string" && name !== "constructor") methods[name] = prototype[name] as Method;
    }
    this.#methods = methods;
  }

  /** The frames of a trace, from the called to the caller. */
  join(sites: readonly Site[]): Frame[] {
    const frames: Frame[] = [];
    let moved: Site | undefined;
    for (let i = 0; i < sites.length; i++) {
      const site = at(sites, i);
      const name = this.#ask("getFunctionName", site);
      if (name === tickName) continue;
      if (name === largeName) moved ??= site;
      else if (name === largeModuleName) append(frames, { site: undefined, place: site });
      else if (moved === undefined) append(frames, { site, place: site });
      // Between a generator and the one that delegates to it there is a method of the language's.
      else if (typeof this.#ask("getFileName", site) === "string") {
        append(frames, { site, place: moved });
        moved = undefined;
      }
    }
    // The function itself is beyond the length of traces.
    if (moved !== undefined) append(frames, { site: undefined, place: moved });
    return frames;
  }

  /** A frame as a line of a trace. */
  textOf({ site, place }: Frame): string {
    if (site === undefined) return this.#placeOf(place);
    const text = (this.#ask("toString", site) as string | undefined) ?? "";
    if (site === place) return withoutName(text);
    const start = indexOf(text, "async ") === 0 && this.#ask("isAsync", place) !== true ? 6 : 0;
    const own = this.#placeOf(site);
    const found = lastIndexOf(text, own);
    if (found < 0) return slice(text, start);
    return slice(text, start, found) + this.#placeOf(place) + slice(text, found + own.length);
  }

  /** A frame as the engine would give it to a guest's hook. */
  siteOf(frame: Frame): Site {
    const { site, place } = frame;
    if (site === place) return site;
    const shown = {};
    const define = (name: string, value: () => unknown): void => {
      const property = { __proto__: null, value, writable: true, enumerable: false, configurable: true };
      defineProperty(shown, name, property as PropertyDescriptor);
    };
    for (const name in this.#methods) {
      if (name === "toString") define(name, () => this.textOf(frame));
      else if (ofPlace[name] ?? false) define(name, () => this.#ask(name, place));
      else if (site !== undefined) define(name, () => this.#ask(name, site));
      else define(name, () => (name === "getFunctionName" ? null : this.#ask(name, place)));
    }
    return shown;
  }

  #placeOf(site: Site): string {
    const file = this.#ask("getFileName", site) as string;
    return `${file}:${this.#ask("getLineNumber", site) as number}:${this.#ask("getColumnNumber", site) as number}`;
  }

  // Undefined where a guest has called the hook itself, with something else than frames.
  #ask(name: string, site: Site): unknown {
    try {
      // All that are asked for are there.
      return apply(this.#methods[name] as Method, site, []);
    } catch {
      return undefined;
    }
  }
}

const evalIn = `eval at ${largeName} (`;

// Code that was made in code that was moved.
function withoutName(text: string): string {
  const found = indexOf(text, evalIn);
  return found < 0
    ? text
    : `${slice(text, 0, found)}eval at <anonymous> (${slice(text, found + evalIn.length)}`;
}
