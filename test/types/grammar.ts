// The rules of the API's grammar, as far as types can say them: see STYLE.md, "The public API".
import type {
  Artifact,
  Batch,
  BatchItem,
  BatchOptions,
  BatchOutcome,
  BatchResult,
  CapabilityGrants,
  CapabilityQuota,
  CellOptions,
  CellReport,
  EventMap,
  Health,
  JailOptions,
  Limits,
  Noise,
  PlacementSpec,
  ProcessView,
  Replay,
  RuntimeMetrics,
  RuntimeOptions,
  Sandbox,
  SandboxExistsError,
  SandboxInfo,
  SandboxNotFoundError,
  SandboxNotRunningError,
  SandboxSpec,
  StageResult,
  TestCase,
  TestResult,
  VersionInfo,
} from "vivarium";
import type { Origin, ShadowReport, TrackerOptions } from "vivarium/evolution";
import type { Equal, Expect } from "./expect.ts";

type Letter = "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" | "J" | "K" | "L" | "M" | Later;
type Later = "N" | "O" | "P" | "Q" | "R" | "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z";
type Question = `${"is" | "has"}${Letter}${string}`;
type LeadingMax = `max${Letter}${string}`;

/** The keys of every member of a union. */
type KeysOf<T> = T extends unknown ? keyof T & string : never;
/** Keys that ask a question, where the bare adjective is the rule. */
type Questions<T> = Extract<KeysOf<T>, Question>;
type LeadingBounds<T> = Extract<KeysOf<T>, LeadingMax>;

type Data =
  | Artifact
  | BatchItem
  | CellReport
  | EventMap[keyof EventMap]
  | Health
  | Noise
  | Origin
  | ProcessView
  | Replay
  | RuntimeMetrics
  | SandboxInfo
  | ShadowReport
  | StageResult
  | TestResult
  | VersionInfo
  | Awaited<ReturnType<Sandbox["updateLimits"]>>;

type Settings =
  | BatchOptions
  | CellOptions
  | JailOptions
  | Limits
  | NonNullable<RuntimeOptions["audit"] | RuntimeOptions["capacity"] | RuntimeOptions["collector"]>
  | PlacementSpec
  | RuntimeOptions
  | SandboxSpec
  | TestCase
  | TrackerOptions;

export type Checks = [
  // The checks find what they look for.
  Expect<Equal<Questions<{ readonly isHidden: boolean; readonly isolate: string }>, "isHidden">>,
  Expect<Equal<LeadingBounds<{ readonly maxTimeoutMs: number; readonly maximum: number }>, "maxTimeoutMs">>,
  // A boolean has the same bare name in options and in results.
  Expect<Equal<Questions<Data>, never>>,
  Expect<Equal<Questions<Settings>, never>>,
  Expect<Equal<NonNullable<TestCase["hidden"]>, TestResult["hidden"]>>,
  Expect<Equal<NonNullable<PlacementSpec["exclusive"]>, NonNullable<SandboxInfo["placement"]>["exclusive"]>>,
  // An upper bound ends in `Max`.
  Expect<Equal<LeadingBounds<Data | Settings>, never>>,
  // A reference to a sandbox is `sandboxId`; `id` is a thing's own.
  Expect<Equal<Extract<KeysOf<EventMap[keyof EventMap]>, "id">, never>>,
  Expect<Equal<Extract<KeysOf<BatchOutcome<unknown> | BatchResult<unknown>>, "id">, never>>,
  Expect<
    Equal<
      (SandboxExistsError | SandboxNotFoundError | SandboxNotRunningError)["sandboxId"],
      BatchItem["sandboxId"]
    >
  >,
  Expect<Equal<SandboxInfo["id"], Sandbox["id"]>>,
  // A quota is one type, given in part.
  Expect<
    Equal<
      Extract<CapabilityGrants, Readonly<Record<string, unknown>>>[string],
      Partial<CapabilityQuota> | true
    >
  >,
  // A batch is awaited, caught and iterated like any promise and any stream.
  Expect<Equal<Awaited<Batch<number>>, number[]>>,
  Expect<Batch<number> extends Pick<Promise<number[]>, "then" | "catch" | "finally"> ? true : false>,
  Expect<Batch<number> extends AsyncIterable<number> ? true : false>,
];
