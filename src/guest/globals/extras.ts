// What few guests use, as a separate script: its text is compiled on first use, so that other isolates spend neither time
// nor memory on it.
import { makeConsole } from "./console.ts";
import { makeDeterministic } from "./deterministic.ts";
import type { Host } from "../host.ts";
import { makeTemporal, type TemporalNeeds } from "./temporal.ts";
import { TextDecoder, TextEncoder } from "./text-coding.ts";
import { makeUrlClasses } from "./url.ts";

type Needs = Pick<Host, "write" | "parseUrl" | "changeUrl"> &
  TemporalNeeds & {
    /** The language's own `JSON.parse`: by the first use of this script, a guest may have replaced it. */
    readonly parse: (text: string) => unknown;
  };

/** The extras by the name of the global they stand for; `determinism` is the runtime's own. */
export type Extras = Record<
  "console" | "TextEncoder" | "TextDecoder" | "URL" | "URLSearchParams" | "Temporal" | "determinism",
  () => unknown
>;

export function makeExtras(host: Needs): Extras {
  let urls: { URL: unknown; URLSearchParams: unknown } | undefined;
  const url = (): { URL: unknown; URLSearchParams: unknown } => (urls ??= makeUrlClasses(host));
  return {
    console: () => makeConsole(host),
    TextEncoder: () => TextEncoder,
    TextDecoder: () => TextDecoder,
    URL: () => url().URL,
    URLSearchParams: () => url().URLSearchParams,
    Temporal: () => makeTemporal(host),
    determinism: () => (seed: number) => makeDeterministic(seed, host.now),
  };
}
