// Tools that change the code of a living sandbox, and show how it changed.
import { z } from "zod";
import type { ReloadReport, VersionInfo } from "../../index.ts";
import { InvalidOptionsError, LoadError } from "../../model/errors.ts";
import { linkTo } from "../resources/addresses.ts";
import { failureShape, tellFailure, viewLoadError, viewRecord } from "../shapes/outcome.ts";
import { shown } from "../text.ts";
import { idInput, mutationInput, sourceInput, usualModule, withoutUndefined } from "./parts.ts";
import { defineTool } from "./tool.ts";

const reportShape = z.object({
  status: z.enum(["reloaded", "unchanged"]),
  revision: z.number(),
  modules: z
    .array(z.object({ name: z.string(), version: z.number().nullable() }))
    .describe("The versions that are current now; null for a module that was taken away."),
});

const changedShape = z.object({
  ok: z.boolean(),
  change: reportShape.optional().describe("With ok: what is different."),
  error: failureShape.optional().describe("Without ok: the sandbox is as it was before."),
});

type Changed = z.infer<typeof changedShape>;

/** Changes code; code that was turned away is a result. */
async function changing(
  act: () => Promise<ReloadReport>,
): Promise<{ readonly structured: Changed; readonly text: string }> {
  try {
    const { status, revision, modules } = await act();
    const versions = Object.entries(modules).map(([name, version]) => ({ name, version }));
    const told = versions.map(({ name, version }) =>
      version === null ? `${name} taken away` : `${name} v${version}`,
    );
    return {
      structured: { ok: true, change: { status, revision, modules: versions } },
      text: `${status}: revision ${revision}; ${told.join(", ")}`,
    };
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    const failure = viewLoadError(error);
    return {
      structured: { ok: false, error: failure },
      text: `nothing was changed: ${tellFailure(failure)}`,
    };
  }
}

export const reload = defineTool({
  name: "reload",
  title: "Reload code",
  description:
    "Puts other code into a living sandbox as one atomic revision: all or nothing. Code that does not compile or load is a result with ok: false and diagnostics, and the sandbox goes on with what it had. With dryRun nothing changes.",
  operation: "reload",
  hints: { destructive: true, idempotent: true },
  input: z.strictObject({
    id: idInput,
    source: sourceInput.optional(),
    modules: z
      .record(z.string().min(1).max(256), z.string().nullable())
      .optional()
      .describe("New sources by the names of modules; null takes a module away."),
    dryRun: z.boolean().optional().describe("Only say what would happen."),
    mutation: mutationInput.optional(),
  }),
  output: changedShape,
  async run(agent, { id, source, modules, ...given }, { signal }) {
    if ((source === undefined) === (modules === undefined))
      throw new InvalidOptionsError(
        `Cannot reload as there must be either source or modules: there is ${source === undefined ? "neither" : "both"}`,
        "modules",
      );
    const sandbox = await agent.get(id);
    const changes = modules ?? { [usualModule]: source ?? "" };
    return changing(() => sandbox.hotReload(changes, { ...withoutUndefined(given), signal }));
  },
});

export const rollback = defineTool({
  name: "rollback",
  title: "Roll back code",
  description:
    "Makes an earlier version of one module current again (module and version), or an earlier revision of all of them (revision). `diff` lists the versions.",
  operation: "rollback",
  hints: { destructive: true, idempotent: true },
  input: z.strictObject({
    id: idInput,
    module: z.string().min(1).max(256).optional().describe(`With version. Default: \`${usualModule}\`.`),
    version: z.number().int().min(1).optional(),
    revision: z.number().int().min(1).optional().describe("Instead of module and version."),
  }),
  output: changedShape,
  async run(agent, { id, module, version, revision }, { signal }) {
    const isMixed = revision !== undefined && (version !== undefined || module !== undefined);
    if (isMixed || (revision === undefined && version === undefined))
      throw new InvalidOptionsError(
        `Cannot roll back as there must be either a version or a revision: there is ${isMixed ? "both" : "neither"}`,
        "version",
      );
    const sandbox = await agent.get(id);
    return changing(() =>
      version === undefined
        ? sandbox.rollbackTo(revision ?? 0, { signal })
        : sandbox.rollback(module ?? usualModule, version, { signal }),
    );
  },
});

const versionsMax = 50;
const mutationChars = 1_000;

const versionShape = z.object({
  version: z.number(),
  current: z.boolean(),
  parent: z.number().nullable().describe("The version that it was made from."),
  mutation: z.unknown(),
  createdAt: z.number(),
  bytes: z.number(),
});

export const diff = defineTool({
  name: "diff",
  title: "Compare versions",
  description:
    "The versions of a module that are kept, and the unified diff of two of them: by default of the current one from the one it was made of.",
  operation: "getDiff",
  hints: {},
  input: z.strictObject({
    id: idInput,
    module: z.string().min(1).max(256).optional().describe(`Default: \`${usualModule}\`.`),
    from: z.number().int().min(1).optional(),
    to: z.number().int().min(1).optional(),
  }),
  output: z.object({
    versions: z.array(versionShape).describe("The latest, oldest first."),
    versionsOmitted: z.number(),
    from: z.number().nullable(),
    to: z.number(),
    diff: z.string().describe("Empty where there is nothing to compare with, or nothing is different."),
  }),
  async run(agent, { id, module = usualModule, from, to }) {
    const sandbox = await agent.get(id);
    const history = await sandbox.history(module);
    const later = to ?? currentOf(history);
    const earlier = from ?? history.find(({ version }) => version === later)?.parent ?? null;
    const text = earlier === null ? "" : await sandbox.diff(module, earlier, later);
    const latest = history.slice(-versionsMax);
    const links = [earlier, later].flatMap((version) =>
      version === null ? [] : [linkTo({ kind: "source", id: sandbox.id, module, version })],
    );
    const part = shown(text, agent.config.bounds.textChars, "read the sources of both versions for the rest");
    const structured = {
      versions: latest.map((version) => viewVersion(version)),
      versionsOmitted: history.length - latest.length,
      from: earlier,
      to: later,
      diff: part,
    };
    const what =
      earlier === null
        ? `${module} has only version ${later}`
        : `${module} from version ${earlier} to ${later}`;
    return { structured, text: `${what}\n${part}`.trimEnd(), links };
  },
});

function currentOf(history: readonly VersionInfo[]): number {
  return history.find(({ current }) => current)?.version ?? history.at(-1)?.version ?? 1;
}

function viewVersion({
  version,
  current,
  parent,
  mutation,
  createdAt,
  bytes,
}: VersionInfo): z.infer<typeof versionShape> {
  return { version, current, parent, mutation: viewRecord(mutation, mutationChars), createdAt, bytes };
}
