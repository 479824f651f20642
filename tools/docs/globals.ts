// The globals of a guest, by what they are and where they exist. A test compares the list with real isolates, in both directions.
import { fetchGlobals, type FeatureName } from "../../src/model/code/finding.ts";
import { presets } from "../../src/security/presets.ts";
import { featuresOf } from "../../src/security/profile.ts";
import { lateGlobals } from "../../src/guest/globals/late-scripts.ts";
import type { Table } from "./markdown.ts";

export interface GlobalGroup {
  readonly about: string;
  readonly names: readonly string[];
  /** Only where this is: a feature of the profile, a granted capability, or time that is not virtual. */
  readonly where?: FeatureName | "fetch" | "not deterministic";
}

const words = (text: string): readonly string[] => text.split(" ");

/** Every global of every sandbox. */
export const globalGroups: readonly GlobalGroup[] = [
  {
    about: "Values and functions of the language",
    names: words(
      "globalThis Infinity NaN undefined parseFloat parseInt isFinite isNaN decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape",
    ),
  },
  {
    about: "Basic classes",
    names: words("Object Function Boolean Symbol Number BigInt Math Date String RegExp Temporal"),
  },
  {
    about: "Errors",
    names: words(
      "Error AggregateError EvalError RangeError ReferenceError SuppressedError SyntaxError TypeError URIError",
    ),
  },
  { about: "Collections and iterators", names: words("Array Map Set WeakMap WeakSet Iterator") },
  {
    about: "Bytes",
    names: words(
      "ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array Float16Array Float32Array Float64Array",
    ),
  },
  {
    about: "Control and reflection",
    names: words("Promise Proxy Reflect JSON Intl DisposableStack AsyncDisposableStack"),
  },
  {
    about: "Memory that is watched",
    names: words("WeakRef FinalizationRegistry"),
    where: "not deterministic",
  },
  { about: "Timers", names: words("setTimeout setInterval clearTimeout clearInterval queueMicrotask") },
  { about: "Of the web", names: lateGlobals.flatMap(([, ...names]): readonly string[] => names) },
  { about: "Requests", names: fetchGlobals, where: "fetch" },
  { about: "Code from text", names: ["eval"], where: "dynamicCode" },
  { about: "WebAssembly", names: ["WebAssembly"], where: "webAssembly" },
  { about: "Shared memory", names: ["SharedArrayBuffer", "Atomics"], where: "sharedMemory" },
];

const code = (text: string): string => `\`${text}\``;
const places = {
  fetch: "where a `fetchCapability` is granted",
  "not deterministic": "but for deterministic sandboxes",
} as const;

function placeOf(where: GlobalGroup["where"]): string {
  if (where === undefined) return "everywhere";
  return where === "fetch" || where === "not deterministic" ? places[where] : `feature ${code(where)}`;
}

export function globalsTable(): Table {
  const rows = globalGroups.map(({ about, names, where }) => [
    about,
    names.map(code).join(" "),
    placeOf(where),
  ]);
  return [["what", "globals", "where"], ...rows];
}

/** What differs between the profiles. */
export function globalsByProfileTable(): Table {
  const rows = Object.values(presets).map((profile) => {
    const features: readonly string[] = featuresOf(profile);
    const names = globalGroups
      .filter(({ where }) => where !== undefined && features.includes(where))
      .flatMap((group) => group.names);
    const requests = profile.capabilities === "none" ? "never" : "where granted";
    return [code(profile.name), names.map(code).join(" ") || "none", requests];
  });
  return [["profile", "globals of its features", fetchGlobals.map(code).join(", ")], ...rows];
}
