// What scripts that are compiled on first use take from the guest runtime. By then a guest may have replaced the language's own
// functions: what the cell or the clock is asked with comes from here, saved before any guest code.
import type { LateScript } from "../globals/late-scripts.ts";
import type { Host } from "../host.ts";

export interface Needs extends Pick<Host, "write" | "parseUrl" | "changeUrl" | "random"> {
  /** The language's own `JSON.parse`. */
  readonly parse: (text: string) => unknown;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The clock is virtual, so that nothing may depend on the machine. */
  readonly isVirtual: () => boolean;
  /** What another of these scripts makes, whatever the guest has put into a global's place. */
  readonly made: (script: LateScript) => Made;
}

/** What a script makes, by name. */
export type Made = Readonly<Record<string, unknown>>;
