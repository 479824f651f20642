// What sandboxes are made from: specs, forks and imports. What is a file, a function or a signal of the caller's is no name
// that these know, so that a server never opens a path that its client names.
import { z } from "@hono/zod-openapi";
import { parentsMax } from "../../model/sandboxes/ancestry.ts";
import type { Individual } from "../../model/sandboxes/individual.ts";
import { labelsLengthMax, labelsMax } from "../../model/sandboxes/labels.ts";
import { restartBounds, restartKinds } from "../../model/sandboxes/process.ts";
import { limitTable } from "../../model/limits.ts";
import {
  countMax,
  dayMs,
  deadline,
  filledList,
  flag,
  integer,
  list,
  longText,
  moduleName,
  opaque,
  sandboxId,
  table,
  text,
  word,
} from "./forms.ts";
import { ItemLimits, LimitsGiven } from "./limits.ts";
import type { Plain } from "./plain.ts";

/** No runtime takes a longer one. */
export const source = () => longText(limitTable.sourceBytes.max);

export const Modules = table(moduleName(), source()).openapi("Modules", {
  description: "sources (TypeScript, JavaScript or JSX) by the names of modules",
  example: { main: "export const f = (n: number) => n * 2;" },
});

export const Placement = z
  .strictObject({
    tenant: sandboxId()
      .optional()
      .openapi({ description: "sandboxes of different tenants never share a cell" }),
    exclusive: flag().optional().openapi({ description: "a cell for this sandbox alone" }),
    dense: flag().optional().openapi({ description: "shares an isolate with other dense sandboxes" }),
  })
  .openapi("PlacementGiven");

const Deterministic = z
  .strictObject({
    seed: integer(0, 2 ** 32 - 1).openapi({ description: "what all randomness comes from" }),
    now: integer(0, 8.64e15)
      .optional()
      .openapi({ description: "the time at which it begins, in milliseconds since the epoch; default: now" }),
  })
  .openapi("Deterministic");

const quota = z.strictObject({
  calls: integer(1, countMax).optional(),
  bytes: integer(1, countMax).optional(),
  concurrent: integer(1, 256).optional(),
});
const grantsMax = 1_000;

const Grants = z
  .union([
    list(text(), grantsMax),
    table(text(), z.union([z.literal(true, { error: "true" }), quota.partial()]), grantsMax),
  ])
  .openapi("Grants", {
    description:
      "what it may ask of the host, of what the runtime has registered: names, or names with quotas",
  });

export const profileName = () => text();

const checkpoint = z
  .union([
    z.literal("message", { error: '"message"' }),
    z.strictObject({ everyMs: integer(10, dayMs) }),
    z.null({ error: "null" }),
  ])
  .optional();

const restart = z
  .strictObject({
    on: list(word(restartKinds), 100).optional(),
    max: integer(1, restartBounds.max).optional(),
    windowMs: integer(1, restartBounds.windowMs).optional(),
  })
  .partial()
  .optional();

const ancestry = z.strictObject({
  parentIds: list(sandboxId(), parentsMax).optional(),
  generation: integer(0, 2 ** 31).optional(),
  mutation: z.unknown().optional(),
});

const common = {
  ...deadline,
  supervisor: moduleName()
    .optional()
    .openapi({ description: "the module whose supervisor is the root of a tree of processes" }),
  checkpoint: checkpoint.openapi({
    description: "when the states of processes are written down without being asked",
  }),
  restart: restart.openapi({
    description: "begins again by itself when it fails, so often within the window",
  }),
  profile: profileName()
    .optional()
    .openapi({ description: "its security profile; default: that of the runtime" }),
  placement: Placement.optional(),
  deterministic: Deterministic.optional(),
  ancestry: ancestry.optional().openapi({ description: "where it comes from, for lineage" }),
  labels: table(longText(labelsLengthMax), longText(labelsLengthMax), labelsMax)
    .optional()
    .openapi({ description: "texts by name, to find sandboxes by" }),
  capabilities: Grants.optional(),
};

/** Of one sandbox. */
export const specShape = { ...common, modules: Modules.optional(), limits: LimitsGiven.optional() };

/** What a source that is run once takes of a spec. */
export const onceShape = {
  limits: specShape.limits,
  profile: specShape.profile,
  placement: specShape.placement,
  deterministic: specShape.deterministic,
  capabilities: specShape.capabilities,
};

export const Spec = z.strictObject({ ...specShape, id: sandboxId().optional() }).openapi("Spec", {
  description: "a sandbox to be; without an id one is made up",
  example: {
    id: "doubler",
    modules: { main: "export const f = (n: number) => n * 2;" },
    labels: { kind: "demo" },
  },
});

/**
 * A sandbox to be made for one item of a batch. Its names and forms are checked for the whole batch; a value that is out of
 * its bounds turns away its item alone, as it does in a runtime of one's own.
 */
export const ItemSpec = z
  .strictObject({
    ...common,
    id: longText(1_000).optional(),
    modules: table(longText(1_000), source()).optional(),
    limits: ItemLimits.optional(),
  })
  .openapi("ItemSpec", { description: "a sandbox that is made for one item of a batch" });

/** The id of an item of a batch: whether there is such a sandbox is the result of the item. */
export const itemId = () => longText(1_000);

const forkShape = {
  ...deadline,
  mutation: z.unknown().optional().openapi({ description: "what was changed, in the caller's own words" }),
  state: flag()
    .optional()
    .openapi({ description: "begin with the states that the parent's processes have now" }),
};

export const Fork = z
  .strictObject({
    ...forkShape,
    id: sandboxId().optional(),
    parentIds: filledList(sandboxId(), parentsMax).openapi({
      description: "the first, which must be there, gives it its code, limits and states",
    }),
    modules: Modules.optional().openapi({ description: "those that differ from the parent's" }),
  })
  .openapi("Fork");

export const ItemFork = z
  .strictObject({
    ...forkShape,
    id: itemId().optional(),
    parentIds: filledList(itemId(), parentsMax),
    modules: table(longText(1_000), source()).optional(),
  })
  .openapi("ItemFork", { description: "a child that is made for one item of a batch" });

export const Import = z
  .strictObject({
    ...deadline,
    individual: opaque<Plain<Individual>>("what exportSandbox answered, unchanged: its checksum proves that"),
    id: sandboxId().optional(),
    limits: LimitsGiven.optional(),
    profile: profileName().optional(),
    placement: Placement.optional(),
    capabilities: Grants.optional(),
  })
  .openapi("Import");
