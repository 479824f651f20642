// What calls, scripts, streams, messages and sessions take and answer.
import { z } from "@hono/zod-openapi";
import { limitTable } from "../../model/limits.ts";
import type { Recording as RecordingType } from "../../model/sandboxes/recording.ts";
import {
  countMax,
  dayMs,
  deadline,
  flag,
  integer,
  list,
  longText,
  moduleName,
  opaque,
  sandboxId,
  table,
  text,
} from "./forms.ts";
import { runBounds } from "./limits.ts";
import { LogLine, Outcome, outcomeWith, Value, valueShape } from "./outcomes.ts";
import type { Plain } from "./plain.ts";
import { ErrorLine, OutputLine } from "./problems.ts";
import { onceShape, source, specShape } from "./specs.ts";

const encodedText = () => longText(limitTable.argsBytes.max);
const encodedAbout = "instead, where JSON does not say it all: the codec's text of the same";

export const argsShape = {
  args: list(z.unknown()).optional().openapi({ description: "the arguments; default: none" }),
  argsEncoded: encodedText().optional().openapi({ description: encodedAbout }),
};

/** Refuses what names one thing twice. */
export const notBoth =
  (...names: readonly string[]) =>
  (given: object): boolean =>
    names.filter((name) => name in given).length <= 1;
const argsOnce = notBoth("args", "argsEncoded");
const argsRule = { error: "given args or argsEncoded, not both" };

export const target = () => text(1_024).openapi({ description: "an exported function: `module.export`" });

export const bounds = {
  ...runBounds,
  repeatable: flag()
    .optional()
    .openapi({ description: "running it twice does no harm: it is run again where its cell is lost" }),
};

export const Once = z
  .strictObject({ ...bounds, ...argsShape, ...onceShape, source: source() })
  .refine(argsOnce, argsRule)
  .openapi("Once", { example: { source: "args[0] * 2", args: [21], timeoutMs: 1_000 } });

export const OnceAnswer = outcomeWith({ output: z.array(LogLine) }).openapi("OnceAnswer");
export const OnceLine = z
  .discriminatedUnion("type", [
    OutputLine,
    z.object({ type: z.literal("outcome"), outcome: OnceAnswer }).openapi("OnceOutcomeLine"),
    ErrorLine,
  ])
  .openapi("OnceLine");

export const Call = z
  .strictObject({ ...bounds, ...argsShape, target: target(), record: flag().optional() })
  .refine(argsOnce, argsRule)
  .openapi("Call", { example: { target: "main.f", args: [21], timeoutMs: 500 } });

const recordedEnd = z.union([
  z.object({ ok: z.literal(true), value: z.string() }),
  z.object({ ok: z.literal(false), error: Outcome.options[1].shape.error }),
]);

const Recording = z
  .object({
    format: z.literal("vivarium.recording/1"),
    modules: z.record(z.string(), z.string()),
    revision: z.number(),
    supervisor: z.string().nullable(),
    target: z.string(),
    args: z.string(),
    deterministic: z.object({ seed: z.number(), now: z.number() }),
    timeoutMs: z.number(),
    fuel: z.number().nullable(),
    end: recordedEnd,
    fuelUsed: z.number().nullable(),
    output: z.array(z.string()),
    checksum: z.string(),
  })
  .openapi("Recording", { description: "one recorded run, which can be replayed anywhere" });

export const CallAnswer = outcomeWith({ recording: Recording.optional() }).openapi("CallAnswer");

export const Run = z
  .union([
    z
      .strictObject({ ...bounds, ...argsShape, source: source() })
      .refine(argsOnce, argsRule)
      .openapi("RunScript"),
    z
      .strictObject({ ...bounds, ...argsShape, function: source() })
      .refine(argsOnce, argsRule)
      .openapi("RunFunction"),
  ])
  .openapi("Run", { description: "a script, or a function that is called as `fn(modules, ...args)`" });

export const Replayed = z.strictObject({
  ...deadline,
  recording: opaque<Plain<RecordingType>>("what call answered with `record`, unchanged"),
});
export const Replay = z
  .object({ same: z.boolean(), difference: z.string().nullable(), sameCode: z.boolean(), outcome: Outcome })
  .openapi("Replay");

export const StreamRequest = z
  .strictObject({
    ...runBounds,
    ...argsShape,
    ...deadline,
    target: target(),
    idleMs: integer(1, dayMs).optional(),
    partsMax: integer(1, countMax).optional(),
    bytesMax: integer(1, countMax).optional(),
  })
  .refine(argsOnce, argsRule)
  .openapi("StreamRequest");

const nextPartsMax = 1_000;
export const Next = z.strictObject({ count: integer(1, nextPartsMax).optional() });
export const Parts = z
  .object({ parts: z.array(Value), done: z.boolean(), returned: Value.optional() })
  .openapi("Parts");
export const PartLine = z
  .discriminatedUnion("type", [
    z.object({ ...valueShape, type: z.literal("part") }).openapi("PartValueLine"),
    z.object({ ...valueShape, type: z.literal("returned") }).openapi("ReturnedLine"),
    ErrorLine,
  ])
  .openapi("PartLine");

export const Reload = z
  .strictObject({
    ...deadline,
    modules: table(moduleName(), source().nullable()).openapi({
      description: "new sources by the names of modules; null takes one away",
    }),
    mutation: z.unknown().optional(),
    dryRun: flag().optional().openapi({ description: "only reports what would happen" }),
  })
  .openapi("Reload", {
    example: { modules: { main: "export const f = (n: number) => n * 3;" }, mutation: { op: "point" } },
  });

export const Rollback = z
  .union([
    z
      .strictObject({ ...deadline, module: moduleName(), version: integer(1, countMax) })
      .openapi("RollbackModule"),
    z.strictObject({ ...deadline, revision: integer(0, countMax) }).openapi("RollbackAll"),
  ])
  .openapi("Rollback");

export const Message = z
  .strictObject({
    ...bounds,
    name: text().openapi({ description: "the registered name of a process" }),
    message: z.unknown().optional(),
    messageEncoded: encodedText().optional().openapi({ description: encodedAbout }),
  })
  .refine(notBoth("message", "messageEncoded"), { error: "given message or messageEncoded, not both" })
  .openapi("Message");

export const SessionSpec = z
  .strictObject({ ...specShape, id: sandboxId().optional() })
  .openapi("SessionSpec");

export const Script = z
  .strictObject({ ...bounds, ...argsShape, source: source() })
  .refine(argsOnce, argsRule)
  .openapi("Script");

export const ScriptAnswer = outcomeWith({
  script: z.string(),
  output: z.array(LogLine),
  fresh: z.boolean(),
}).openapi("ScriptAnswer");
export const ScriptLine = z
  .discriminatedUnion("type", [
    OutputLine,
    z.object({ type: z.literal("outcome"), outcome: ScriptAnswer }).openapi("ScriptOutcomeLine"),
    ErrorLine,
  ])
  .openapi("ScriptLine");
