// What is answered of the runtime as a whole: events, figures, health, audit, lineage and population.
import { z } from "@hono/zod-openapi";
import { eventNames } from "../../observability/catalogue.ts";
import type { AnyEvent, AuditKind, JailLayer, JournalEntry, KilledReason } from "../../index.ts";
import { moment } from "./forms.ts";
import type { Plain } from "./plain.ts";
import { Status } from "./sandboxes.ts";

export const auditKinds = [
  "rejected",
  "warned",
  "admitted",
  "denied",
  "called",
] as const satisfies readonly AuditKind[];

export const EventNameWord = z.enum(eventNames).openapi("EventName");
const eventShape = {
  name: EventNameWord,
  at: moment(),
  event: z.record(z.string(), z.unknown()).openapi({
    description: "what the event carries: the catalogue of events says it by name",
  }),
};

// What each event carries is said by the types of the catalogue and not once more here: the server emits what is typed so.
export const Event = z.object(eventShape).openapi("Event") as unknown as z.ZodType<
  Plain<AnyEvent>,
  Plain<AnyEvent>
>;
// As above.
export const Entry = z
  .object({ ...eventShape, number: z.number() })
  .openapi("JournalEntry") as unknown as z.ZodType<Plain<JournalEntry>, Plain<JournalEntry>>;

const place = {
  what: z.string(),
  module: z.string().nullable(),
  line: z.number().nullable(),
  column: z.number().nullable(),
};

export const AuditEntry = z
  .object({
    ...place,
    sandboxId: z.string(),
    profile: z.string(),
    kind: z.enum(auditKinds),
    rule: z.string(),
    at: moment(),
    lastAt: moment(),
    count: z.number(),
    places: z.array(z.object(place)),
  })
  .openapi("AuditEntry");

const histogram = { bounds: z.array(z.number()), counts: z.array(z.number()) };
const tally = () => z.record(z.string(), z.number());
const killedReasons = [
  "timeout",
  "cpu",
  "fuel",
  "processes",
  "queue",
  "memory",
  "output",
  "crashed",
] as const satisfies readonly KilledReason[];

export const Metrics = z
  .object({
    outcomes: tally(),
    killed: z.partialRecord(z.enum(killedReasons), z.number()),
    created: z.number(),
    loadErrors: z.number(),
    destroyed: z.number(),
    restarts: z.number(),
    rebuilds: z.number(),
    cellsStarted: z.number(),
    cellsExited: tally(),
    quarantined: z.number(),
    collected: z.number(),
    runDurations: z.object({ ...histogram, sumMs: z.number() }),
    fitness: z.record(
      z.string(),
      z.object({
        results: tally(),
        scores: z.object({
          ...histogram,
          sum: z.number(),
          min: z.number().nullable(),
          max: z.number().nullable(),
        }),
      }),
    ),
    sandboxes: z.partialRecord(Status, z.number()),
    tombstones: z.number(),
    runsUnderway: z.number(),
    cells: z.array(
      z.object({
        number: z.number(),
        pid: z.number(),
        node: z.string(),
        rssBytes: z.number(),
        sandboxes: z.number(),
        inFlight: z.number(),
        reserved: z.boolean(),
        owner: z.string().nullable(),
        blocked: z.boolean(),
      }),
    ),
    compile: z.object({
      hits: z.number(),
      misses: z.number(),
      entries: z.number(),
      bytes: z.number(),
      restarts: z.number(),
    }),
    audit: z.object({ entries: z.number(), bytes: z.number(), dropped: z.number() }),
    subscriberFailures: z.number(),
  })
  .openapi("Metrics");

const jailLayers = [
  "permissions",
  "user",
  "filter",
  "landlock",
  "tether",
  "descriptors",
  "resources",
  "hidden",
  "seal",
  "tripwire",
  "jitless",
] as const satisfies readonly JailLayer[];

export const Health = z
  .object({
    status: z.enum(["starting", "ok", "degraded", "down", "closed"]),
    cells: z.object({ ready: z.number(), wanted: z.number(), starting: z.boolean() }),
    unavailable: z.string().nullable(),
    store: z.object({
      state: z.enum(["ok", "degraded"]),
      reason: z.string().nullable(),
      recovered: z
        .object({
          sandboxes: z.number(),
          loaded: z.number(),
          suspended: z.number(),
          failed: z.number(),
          problems: z.array(z.string()),
          tombstones: z.number(),
          durationMs: z.number(),
        })
        .nullable(),
    }),
    jail: z.object({
      layers: z.array(z.enum(jailLayers)),
      missing: z.array(z.object({ layer: z.enum(jailLayers), why: z.string() })),
    }),
    profiles: z.object({ usual: z.string(), names: z.array(z.string()) }),
  })
  .openapi("Health");

export const SweepReport = z
  .object({
    cause: z.enum(["timer", "call", "pressure"]),
    expired: z.number(),
    failed: z.number(),
    unretained: z.number(),
    policyFailures: z.array(z.string()),
    tombstones: z.number(),
    durationMs: z.number(),
  })
  .openapi("SweepReport");

export const Lineage = z
  .object({
    id: z.string(),
    path: z.array(
      z.object({
        id: z.string(),
        parentIds: z.array(z.string()),
        generation: z.number(),
        depth: z.number(),
        mutation: z.unknown(),
        living: z.boolean(),
        score: z.number().nullable(),
        diff: z.string().nullable(),
      }),
    ),
    ancestors: z.array(z.string()),
    descendants: z.array(z.string()),
    more: z.boolean(),
  })
  .openapi("Lineage");

export const Population = z
  .object({
    size: z.number(),
    byStatus: z.partialRecord(Status, z.number()),
    byResult: tally(),
    generations: z.object({ min: z.number(), max: z.number() }).nullable(),
    scores: z.object({ min: z.number(), max: z.number(), mean: z.number(), median: z.number() }).nullable(),
    best: z.array(z.object({ id: z.string(), score: z.number(), generation: z.number() })),
  })
  .openapi("Population");
