// Children of sandboxes: the code of the first parent with what differs, and the ancestry of all.
import type { Artifact } from "../../code/modules/artifact.ts";
import { SandboxExistsError, SandboxNotRunningError } from "../../model/errors.ts";
import { parseSandboxId } from "../../model/ids.ts";
import { generationAfter, parentsMax } from "../../model/sandboxes/ancestry.ts";
import { boolean, custom, fields, isRecord, refuseOption, unread, type Shape } from "../../model/schema.ts";
import { completeSpec, readModules, readMutation } from "../options/spec.ts";
import { specContextOf } from "../options/spec-context.ts";
import { cancelTable, untilCancelled } from "../options/cancellation.ts";
import type { Sandbox } from "../types/sandbox.ts";
import type { ForkOptions } from "../types/spec.ts";
import type { Engine } from "../wiring/engine.ts";
import { stateOf } from "./local-processes.ts";
import { LocalSandbox } from "./local-sandbox.ts";
import { creating } from "./opening.ts";

const forkOptions = fields(
  {
    id: unread,
    modules: custom((value) => (value === undefined ? [] : readModules(value))),
    mutation: custom(readMutation),
    state: boolean(false),
    ...cancelTable,
  } satisfies Shape<ForkOptions>,
  "fork()",
);

/** Creates a child of one sandbox, or of several, of which the first gives it its code. */
export async function fork(engine: Engine, parents: unknown, options?: ForkOptions): Promise<Sandbox> {
  engine.checkOpen("fork a sandbox");
  const given = forkOptions.read(options, "options");
  const [parentId, ...others] = readParents(parents);
  const { registry, sandboxes } = engine.parts;
  const parent = registry.require(parentId);
  // Its code is still being compiled.
  if (parent.status === "creating" && parent.modules.size === 0)
    throw new SandboxNotRunningError("fork", parent, "be created first");
  const modules = Object.fromEntries<string | Artifact>([...parent.modules, ...given.modules]);
  const { seed, now } = parent.character.deterministic ?? {};
  const {
    profile: { name: profile },
    placement: { tenant, exclusive, dense },
  } = parent;
  const placement = { exclusive, dense, ...(tenant === null ? {} : { tenant }) };
  const context = specContextOf(engine);
  const parentIds = [parent.id, ...others];
  const ancestry = {
    parentIds,
    generation: generationAfter(parentIds, tenant, context.generationOf),
    mutation: given.mutation,
  };
  const plan = completeSpec(given.id, { modules, profile, placement, ancestry }, context);
  // Before anything is asked of the parent.
  if (registry.has(plan.id)) throw new SandboxExistsError(plan.id);
  const inherited = {
    limits: parent.limits,
    labels: parent.labels,
    processes: parent.processes,
    restart: parent.restartRule,
    character: { deterministic: seed === undefined || now === undefined ? null : { seed, now } },
  };
  const sandbox = await creating(engine, { id: plan.id, bounds: given }, async (signal) => {
    const state = (): ReturnType<typeof stateOf> => stateOf(parent);
    const capture = given.state ? await untilCancelled({ signal }, "the capture of its parent", state) : null;
    const capabilities = parent.grants.renewed();
    return sandboxes.create({ ...plan, ...inherited, capabilities, capture, signal });
  });
  return new LocalSandbox(engine, sandbox);
}

/** The parents and the options of one item of a batch. */
export function splitFork(item: unknown): { readonly parents: unknown; readonly options: ForkOptions } {
  const { parentId, parentIds, ...options } = isRecord(item) ? item : {};
  if ((parentId === undefined) === (parentIds === undefined))
    throw refuseOption({ verb: "use", path: "forks", rule: "items with parentId or parentIds", got: item });
  return { parents: parentIds ?? parentId, options };
}

function readParents(parents: unknown): readonly [ReturnType<typeof parseSandboxId>, ...string[]] {
  const list = Array.isArray(parents) ? Array.from(parents, (id: unknown) => parseSandboxId(id)) : undefined;
  const [first = list === undefined ? parseSandboxId(parents) : undefined, ...others] = list ?? [];
  const rule = `1–${parentsMax} ids`;
  if (first === undefined || others.length >= parentsMax)
    throw refuseOption({ verb: "use", path: "parentIds", rule, got: parents });
  return [first, ...new Set(others.filter((id) => id !== first))];
}
