// What scripts that are compiled on first use take from the guest runtime. By then a guest may have replaced the language's own
// functions: what the cell or the clock is asked with comes from here, saved before any guest code.
import type * as Intrinsics from "../../model/wire/intrinsics.ts";
import type * as Kinds from "../../model/wire/kinds.ts";
import type { LateScript } from "../globals/late-scripts.ts";
import type { Host } from "../host.ts";
import type { flatten } from "../thrown.ts";

export interface Needs extends Pick<Host, "write" | "parseUrl" | "changeUrl" | "random"> {
  /** The language's own `JSON.parse`. */
  readonly parse: (text: string) => unknown;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The clock is virtual, so that nothing may depend on the machine. */
  readonly isVirtual: () => boolean;
  /** Milliseconds since the sandbox began; they never go back. */
  readonly sinceOrigin: () => number;
  /** When the sandbox began, in milliseconds since the epoch. */
  readonly timeOrigin: () => number;
  readonly setTimeout: (act: () => void, delayMs: number) => void;
  /** Tells on the console what was thrown where nobody catches it. */
  readonly uncaught: (where: string, error: unknown) => void;
  /** Whether an object is of a class of these scripts, and so no data. */
  readonly isOfRuntime: (value: object) => boolean;
  /** The language's own functions, for what must work whatever a guest has replaced. */
  readonly language: Pick<typeof Intrinsics, "defineProperty" | "mapGet" | "mapSet" | "setAdd">;
  /** What values are, as the boundary sees them. */
  readonly kinds: Pick<typeof Kinds, "kindOf" | "refusedName" | "unboxed">;
  readonly flatten: typeof flatten;
  /** Asks the capability that serves `fetch`. */
  readonly fetch: (asked: object, more: object | undefined) => Promise<unknown>;
  /** What another of these scripts makes, whatever the guest has put into a global's place. */
  readonly made: (script: LateScript) => Made;
}

/** What a script makes, by name. */
export type Made = Readonly<Record<string, unknown>>;
