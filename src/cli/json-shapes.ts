// What each command prints with --json, as a schema: that of the HTTP API where it has one, so that a program reads both alike.
// A test holds every command against it.
import { z } from "@hono/zod-openapi";
import { schemas } from "../contract/schemas.ts";
import { BatchEvaluation, BatchOutcome, Result } from "../contract/schemas/batches.ts";
import { Diagnostic, LogLine, Outcome } from "../contract/schemas/outcomes.ts";
import { Problem } from "../contract/schemas/problems.ts";
import { loadPhases } from "../contract/schemas/outcomes.ts";

/** `document`: one for all. `lines`: what each line is, of a command that prints lines. */
export interface JsonShape {
  readonly document?: z.ZodType;
  readonly lines?: z.ZodType;
}

/** What any command prints where it fails: on stdout too, on one line, with the sentence on stderr. */
export const errorShape: z.ZodType = Problem;

const counts = z.record(z.string(), z.number());
const found = z.object({ kind: z.string(), message: z.string() }).loose();
const Sandboxes = z.object({ sandboxes: z.array(schemas.getSandbox.answer) });
/** A row of a data folder, or the settings of another program: its form is theirs. */
const foreign = z.object({}).loose();

const Versions = z.object({
  versions: z.array(schemas.listVersions.answer.shape.versions.element.extend({ module: z.string() })),
});
const Unloaded = z.object({
  ok: z.literal(false),
  error: z.object({
    kind: z.literal("load"),
    code: z.string(),
    message: z.string(),
    phase: z.enum(loadPhases),
    diagnostics: z.array(Diagnostic),
  }),
});
const Evaluated = z.union([BatchEvaluation, Unloaded]);
const Demo = z
  .object({
    problem: z.string(),
    seed: z.number(),
    population: z.number(),
    islands: z.number(),
    program: z.string(),
    score: z.number(),
    report: z.array(z.array(z.string())),
    durationMs: z.number(),
    generations: z.number(),
    evaluations: z.number(),
    outcomes: counts,
  })
  .loose();
const WatchEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("created"), sandboxId: z.string(), modules: z.array(z.string()) }),
  z.object({ type: z.literal("reload"), report: schemas.reload.answer, durationMs: z.number() }),
  z.object({ type: z.literal("failed"), error: Problem }),
  z.object({ type: z.literal("outcome"), target: z.string(), outcome: Outcome }),
]);
const Sample = z.object({
  at: z.number(),
  intervalMs: z.number(),
  runsPerSecond: z.number(),
  evaluationsPerSecond: z.number(),
  total: z.number(),
  metrics: schemas.getMetrics.answer.nullable(),
  sandboxes: z.array(schemas.getSandbox.answer),
});
const Benched = z.object({
  machine: z.object({ node: z.string(), cores: z.number(), processor: z.string() }),
  runtime: z.string(),
  seconds: z.number(),
  rows: z.array(
    z.object({
      name: z.string(),
      about: z.string(),
      count: z.number(),
      perSecond: z.number(),
      p50Ms: z.number(),
      p99Ms: z.number(),
    }),
  ),
});
const verdict = z.enum(["ok", "warn", "bad"]);
const Examined = z.object({
  verdict,
  checks: z.array(z.object({ name: z.string(), verdict, found: z.string(), advice: z.string().optional() })),
});
const Contents = z.object({
  path: z.string(),
  running: z.boolean(),
  owner: z.object({ name: z.string(), pid: z.number(), host: z.string(), startedAt: z.number() }).nullable(),
  sandboxes: counts,
  tombstones: z.number(),
  documents: counts,
  size: counts,
  lastWriteAt: z.number(),
  runs: z.array(z.object({ name: z.string() }).loose()),
});
const Recorded = z.object({
  url: z.url().nullable(),
  token: z.string().nullable(),
  dashboard: z.url().nullable(),
  origin: z.string(),
  individuals: z.number(),
  events: z.number(),
  eventsMissing: z.number(),
  damaged: z.number(),
  html: z.string().nullable(),
  dump: z.string().nullable(),
});
const Checked = z.object({
  path: z.string(),
  schemaVersion: z.number().nullable(),
  problems: z.array(found),
  problemsOmitted: z.number(),
  notes: z.array(found),
  notesOmitted: z.number(),
  tables: z.record(z.string(), counts),
  size: counts,
});
const Repaired = z.object({
  path: z.string(),
  repaired: z.boolean(),
  kept: counts,
  losses: z.array(found),
  lossesOmitted: z.number(),
  sandboxes: z.object({ lost: z.array(z.string()), failed: z.array(z.string()) }),
  damagedFiles: z.array(z.string()),
});

/** By command, with the action behind it where it has such. */
export const jsonShapes: Readonly<Record<string, JsonShape>> = {
  demo: { document: Demo },
  run: { document: schemas.once.answer },
  repl: { lines: z.union([schemas.runScript.answer, Problem]) },
  eval: { document: Evaluated, lines: z.intersection(z.object({ program: z.string() }), Evaluated) },
  batch: { lines: z.union([BatchOutcome, BatchEvaluation, Result]) },
  watch: { lines: WatchEvent },
  serve: {
    document: z.object({
      url: z.url(),
      token: z.string().nullable(),
      dashboard: z.url(),
      pid: z.number(),
      data: z.string().nullable(),
    }),
  },
  mcp: { document: foreign },
  top: { document: Sample, lines: Sample },
  ps: { document: schemas.listSandboxes.answer },
  inspect: { document: schemas.getSandbox.answer },
  logs: { document: schemas.getLogs.answer, lines: LogLine },
  kill: { document: Sandboxes },
  restart: { document: schemas.getSandbox.answer },
  versions: { document: Versions },
  diff: { document: schemas.getDiff.answer },
  rollback: { document: schemas.rollback.answer },
  lineage: { document: schemas.lineage.answer },
  gc: { document: schemas.collect.answer },
  export: { document: schemas.exportSandbox.answer },
  import: { document: schemas.importSandbox.answer },
  replay: { document: z.union([schemas.replay.answer, Recorded]) },
  "store check": { document: Checked },
  "store repair": { document: Repaired },
  "store compact": { document: schemas.compactData.answer.extend({ path: z.string() }) },
  "store export": { lines: foreign },
  "store backup": { document: z.object({ path: z.string(), bytes: z.number() }) },
  runs: { document: Contents },
  bench: { document: Benched },
  doctor: { document: Examined },
  completion: { document: z.object({ shell: z.string(), script: z.string() }) },
};
