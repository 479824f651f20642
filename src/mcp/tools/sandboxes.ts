// Tools about sandboxes as such: make them, look at them, end them.
import { z } from "zod";
import type { Sandbox } from "../../index.ts";
import { InvalidOptionsError, LoadError, SandboxNotFoundError } from "../../model/errors.ts";
import { statuses, type Status } from "../../model/sandboxes/status.ts";
import type { Agent } from "../agent.ts";
import { readCursor, pageOf } from "../pages.ts";
import { addressOf, linkTo } from "../resources/addresses.ts";
import { sentenceOf } from "../results.ts";
import { failureShape, outputShape, tellFailure, viewLoadError, viewOutput } from "../shapes/outcome.ts";
import { sandboxRowShape, sandboxShape, viewRow, viewSandbox } from "../shapes/sandbox.ts";
import { shown } from "../text.ts";
import {
  ancestryOf,
  idInput,
  limitsFor,
  limitsInput,
  modulesInput,
  mutationInput,
  readModules,
  sourceInput,
} from "./parts.ts";
import { defineTool, type ToolCall } from "./tool.ts";

const createInput = z.strictObject({
  id: idInput.optional().describe("The id you want. Default: one is made up."),
  source: sourceInput.optional(),
  modules: modulesInput.optional(),
  forkOf: idInput
    .optional()
    .describe("Make a child of this sandbox: its modules, with those given here in their place."),
  state: z
    .boolean()
    .optional()
    .describe("With forkOf: its processes begin with the parent's present states."),
  parentIds: z.array(idInput).max(63).optional().describe("Other sandboxes it comes from, for lineage."),
  mutation: mutationInput.optional(),
  limits: limitsInput.optional().describe("Not with forkOf: a child has its parent's."),
});

export const createSandbox = defineTool({
  name: "create_sandbox",
  title: "Create a sandbox",
  description:
    "Creates a living, isolated sandbox from source, from modules, or as a child of another one (forkOf), and returns its id. Its functions are called with `call` as `module.export`. Code that does not compile or load is a result with ok: false and diagnostics; nothing is left of it then.",
  operation: "createSandbox",
  hints: {},
  input: createInput,
  output: z.object({
    ok: z.boolean(),
    sandbox: sandboxShape.optional().describe("With ok: what was made."),
    error: failureShape.optional(),
  }),
  async run(agent, input, { signal }) {
    const id = agent.newId(input.id);
    try {
      const sandbox = await make(agent, { ...input, id }, signal);
      const view = viewSandbox(await sandbox.info(), agent);
      const functions = view.modules.flatMap(({ name, exports }) => exports.map((one) => `${name}.${one}`));
      return {
        structured: { ok: true, sandbox: view },
        text: `created ${id}; exports: ${functions.join(", ") || "none"}`,
      };
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      // It stays there as failed under an id that its author will want again.
      if (error.sandboxId === id) await agent.runtime.destroy(id).catch(agent.config.onError);
      const failure = viewLoadError(error);
      return {
        structured: { ok: false, error: failure },
        text: `nothing was created: ${tellFailure(failure)}`,
      };
    }
  },
});

async function make(
  agent: Agent,
  input: z.infer<typeof createInput> & { readonly id: string },
  signal: ToolCall["signal"],
): Promise<Sandbox> {
  const { id, source, modules, forkOf, state, parentIds, mutation, limits } = input;
  if (forkOf === undefined) {
    if (state !== undefined)
      throw new InvalidOptionsError(
        "Cannot use state as it must be given with forkOf: that is missing",
        "state",
      );
    const spec = agent.specOf({
      modules: readModules({ source, modules }, "create a sandbox"),
      limits: limitsFor(agent, limits),
      ...ancestryOf(agent, { parentIds, mutation }),
    });
    return agent.making({ needs: [agent.needOf(id, spec)], staying: 1 }, () =>
      agent.runtime.create(id, { ...spec, signal }),
    );
  }
  if (limits !== undefined)
    throw new InvalidOptionsError(
      "Cannot use limits as a child must have those of forkOf: leave them away",
      "limits",
    );
  const isChanged = source !== undefined || modules !== undefined;
  const parents = [forkOf, ...(parentIds ?? [])].map((parentId) => agent.idOf(parentId));
  const spec = {
    id,
    ...(isChanged && { modules: readModules({ source, modules }, "fork a sandbox") }),
    ...(mutation !== undefined && { mutation }),
    ...(state !== undefined && { state }),
    signal,
  };
  const { limits: own } = await agent.info(forkOf);
  return agent.making({ needs: [agent.needOf(id, { limits: own })], staying: 1 }, () =>
    agent.about(forkOf, () => agent.runtime.fork(parents, spec)),
  );
}

export const listSandboxes = defineTool({
  name: "list_sandboxes",
  title: "List your sandboxes",
  description: "Your living sandboxes in the order of their creation, a page at a time.",
  operation: "listSandboxes",
  hints: {},
  input: z.strictObject({
    status: z.enum(statuses as [Status, ...Status[]]).optional(),
    limit: z.number().int().min(1).max(200).optional().describe("How many at most. Default: 50."),
    cursor: z.string().max(64).optional().describe("`nextCursor` of the page before."),
  }),
  output: z.object({
    sandboxes: z.array(sandboxRowShape),
    total: z.number(),
    nextCursor: z.string().optional().describe("There are more: ask again with it as `cursor`."),
  }),
  async run(agent, { status, limit = 50, cursor }) {
    const start = readCursor(cursor);
    const all = (await agent.list()).filter((info) => status === undefined || info.status === status);
    const { items, nextCursor } = pageOf(all, start, limit);
    const structured = {
      sandboxes: items.map((info) => viewRow(info)),
      total: all.length,
      ...(nextCursor !== undefined && { nextCursor }),
    };
    const rows = structured.sandboxes.map((row) => `${row.id} ${row.status} score ${row.score ?? "none"}`);
    const more = nextCursor === undefined ? "" : `\nmore with cursor ${nextCursor}`;
    return { structured, text: `${all.length} sandboxes\n${rows.join("\n")}${more}` };
  },
});

export const inspect = defineTool({
  name: "inspect",
  title: "Inspect a sandbox",
  description:
    "All about one sandbox of yours, living or gone: status, modules with versions and exports, limits, fitness, last error, latest console lines; with `module` also that module's source.",
  operation: "getSandbox",
  hints: {},
  input: z.strictObject({
    id: idInput,
    module: z.string().min(1).max(256).optional().describe("Show the source of this module too."),
    version: z.number().int().min(1).optional().describe("Of the source. Default: the current version."),
    logLines: z.number().int().min(0).max(500).optional().describe("How many console lines. Default: 20."),
  }),
  output: z.object({
    sandbox: sandboxShape,
    source: z.string().optional().describe("Of `module`; its beginning where it is long."),
    ...outputShape.shape,
  }),
  async run(agent, { id, module, version, logLines = 20 }) {
    const info = await agent.info(id);
    const { textChars } = agent.config.bounds;
    const logs = { kind: "logs", id: info.id } as const;
    const lines = await agent.about(id, (whole) => agent.runtime.logs(whole));
    const latest = viewOutput(logLines === 0 ? [] : lines.slice(-logLines), textChars, addressOf(logs));
    const sandbox = viewSandbox(info, agent);
    const links = [
      linkTo(logs),
      ...sandbox.modules
        .slice(0, 20)
        .map(({ name }) => linkTo({ kind: "source", id: info.id, module: name })),
    ];
    if (module === undefined) return { structured: { sandbox, ...latest }, text: tell(sandbox), links };
    const source = await (await agent.get(id)).source(module, version);
    const address = {
      kind: "source",
      id: info.id,
      module,
      ...(version !== undefined && { version }),
    } as const;
    const part = shown(source, textChars, `all of it: ${addressOf(address)}`);
    return {
      structured: { sandbox, source: part, ...latest },
      text: `${tell(sandbox)}\n${module}:\n${part}`,
      links,
    };
  },
});

function tell(sandbox: z.infer<typeof sandboxShape>): string {
  const { id, status, revision, score, modules, lastError } = sandbox;
  const parts = modules.map(({ name, version, exports }) => `${name} v${version} (${exports.join(", ")})`);
  const error = lastError === null ? "" : `\nlast error: ${lastError.message}`;
  return `${id} is ${status}, revision ${revision}, score ${score ?? "none"}; modules: ${parts.join("; ")}${error}`;
}

export const destroy = defineTool({
  name: "destroy",
  title: "Destroy sandboxes",
  description:
    "Ends sandboxes of yours for good. Ids that are not there are named in the result, and the others are destroyed all the same.",
  operation: "batchDestroy",
  hints: { destructive: true, idempotent: true },
  input: z.strictObject({ ids: z.array(idInput).min(1).max(1_000) }),
  output: z.object({
    destroyed: z.array(z.string()),
    failed: z.array(z.object({ id: z.string(), message: z.string() })),
  }),
  async run(agent, { ids }, { signal }) {
    const givenOf = new Map(ids.map((id) => [agent.idOf(id), id]));
    const results = await agent.runtime.batch.destroy([...givenOf.keys()], { signal });
    const destroyed = results.filter(({ ok }) => ok).map(({ sandboxId }) => sandboxId);
    const failed = results.flatMap((result) => {
      if (result.ok) return [];
      const { sandboxId, error } = result;
      const id = givenOf.get(sandboxId) ?? sandboxId;
      const told = error.code === "SANDBOX_NOT_FOUND" ? new SandboxNotFoundError(id) : error;
      return [{ id, message: sentenceOf(told, agent.config.onError) }];
    });
    const rest = failed.map(({ message }) => message).join("\n");
    return {
      structured: { destroyed, failed },
      text: `destroyed ${destroyed.length} of ${givenOf.size}\n${rest}`.trimEnd(),
    };
  },
});
