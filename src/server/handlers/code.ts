// Code: reloads, versions, and what the compiler says of sources.
import type { Handlers } from "../handler.ts";

export const codeHandlers: Handlers<
  "reload" | "rollback" | "listVersions" | "getSource" | "getDiff" | "compile" | "check" | "checkTypes"
> = {
  reload: async ({ parts, params, body, signal }) => {
    const { modules, ...options } = body;
    return (await parts.runtime.get(params.id)).hotReload(modules, { ...options, signal });
  },
  rollback: async ({ parts, params, body, signal }) => {
    const sandbox = await parts.runtime.get(params.id);
    if ("revision" in body) {
      const { revision, ...bounds } = body;
      return sandbox.rollbackTo(revision, { ...bounds, signal });
    }
    const { module, version, ...bounds } = body;
    return sandbox.rollback(module, version, { ...bounds, signal });
  },
  listVersions: async ({ parts, params, query }) => ({
    versions: await (await parts.runtime.get(params.id)).history(query.module),
  }),
  getSource: async ({ parts, params, query }) => ({
    source: await (await parts.runtime.get(params.id)).source(query.module, query.version),
  }),
  getDiff: async ({ parts, params, query }) => ({
    diff: await (await parts.runtime.get(params.id)).diff(query.module, query.from, query.to),
  }),
  compile: async ({ parts, body, signal }) => {
    const { source, ...options } = body;
    return parts.runtime.compile.source(source, { ...options, signal });
  },
  check: async ({ parts, caller, body, signal }) => {
    const { source, ...options } = body;
    // It asks the gate of a profile, which the token must allow.
    const { profile } = parts.gate.admit(caller, options);
    const own = { ...options, ...(profile === undefined ? {} : { profile }) };
    return { diagnostics: await parts.runtime.compile.check(source, { ...own, signal }) };
  },
  checkTypes: async ({ parts, body, signal }) => {
    const { modules, ...bounds } = body;
    return { diagnostics: await parts.runtime.compile.types(modules, { ...bounds, signal }) };
  },
};
