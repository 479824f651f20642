// Sandboxes: made, listed, looked at, changed and ended.
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { Handlers } from "../handler.ts";
import { checkOwned, forkFor, importFor, specFor, withRoom } from "./specs.ts";

export const sandboxHandlers: Handlers<
  | "createSandbox"
  | "listSandboxes"
  | "getSandbox"
  | "destroySandbox"
  | "restartSandbox"
  | "suspendSandbox"
  | "resumeSandbox"
  | "forkSandbox"
  | "exportSandbox"
  | "importSandbox"
  | "getLogs"
  | "getUsage"
  | "updateLimits"
> = {
  createSandbox: async ({ parts, caller, body, signal }) => {
    const { id, spec, need } = specFor(parts, caller, body);
    return withRoom(parts, { caller, needs: [need] }, async () =>
      (await parts.runtime.create(id, { ...spec, signal })).info(),
    );
  },
  listSandboxes: async ({ parts, caller, query }) => {
    const { status, label, limit } = query;
    const labels = label === undefined ? {} : { labels: labelsFrom(label) };
    const filter = { ...(status !== undefined && { status }), ...labels };
    const { runtime, gate } = parts;
    // Of a tenant's own the limit is counted after others are left out.
    const bound = limit !== undefined && caller.tenant === null ? { limit } : {};
    const listed = await runtime.list({ ...filter, ...bound });
    const own = caller.tenant === null ? listed : listed.filter(({ id }) => gate.ownsId(caller, id));
    return { sandboxes: limit === undefined ? own : own.slice(0, limit) };
  },
  getSandbox: async ({ parts: { runtime }, params, query }) =>
    query.living === true ? (await runtime.get(params.id)).info() : runtime.info(params.id),
  destroySandbox: async ({ parts, params, query, signal }) =>
    parts.runtime.destroy(params.id, { ...query, signal }),
  restartSandbox: async ({ parts, params, body, signal }) =>
    parts.runtime.restart(params.id, { ...body, signal }),
  suspendSandbox: async ({ parts, params, body, signal }) =>
    (await parts.runtime.get(params.id)).suspend({ ...body, signal }),
  resumeSandbox: async ({ parts, params, body, signal }) =>
    (await parts.runtime.get(params.id)).resume({ ...body, signal }),
  forkSandbox: async ({ parts, caller, body, signal }) => {
    for (const parentId of body.parentIds) checkOwned(parts.gate, caller, parentId);
    const { parentIds, spec, need } = await forkFor(parts, caller, body);
    return withRoom(parts, { caller, needs: [need] }, async () =>
      (await parts.runtime.fork(parentIds, { ...spec, signal })).info(),
    );
  },
  exportSandbox: async ({ parts, params, query, signal }) =>
    (await parts.runtime.get(params.id)).export({ ...query, signal }),
  importSandbox: async ({ parts, caller, body, signal }) => {
    const { individual, spec, need } = importFor(parts, caller, body);
    return withRoom(parts, { caller, needs: [need] }, async () =>
      (await parts.runtime.import(individual, { ...spec, signal })).info(),
    );
  },
  getLogs: async ({ parts, params }) => ({ logs: await parts.runtime.logs(params.id) }),
  getUsage: async ({ parts, params, query, signal }) =>
    (await parts.runtime.get(params.id)).usage({ ...query, signal }),
  updateLimits: async ({ parts, caller, params, body, signal }) => {
    const { limits, ...bounds } = body;
    const sandbox = await parts.runtime.get(params.id);
    const change = async () => sandbox.updateLimits(limits, { ...bounds, signal });
    if (limits?.memoryBytes === undefined) return change();
    const need = { id: params.id, memoryBytes: limits.memoryBytes };
    return withRoom(parts, { caller, needs: [need] }, change);
  },
};

function labelsFrom(texts: readonly string[]): Readonly<Record<string, string>> {
  const pairs = texts.map((text) => {
    const equals = text.indexOf("=");
    if (equals < 1)
      throw new InvalidOptionsError(`Cannot use label as it must be name=value: got ${show(text)}`, "label");
    return [text.slice(0, equals), text.slice(equals + 1)] as const;
  });
  return Object.fromEntries(pairs);
}
