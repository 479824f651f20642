// What only administrators may do: sweeps, documents, the data folder.
import { InvalidOptionsError } from "../../model/errors.ts";
import type { Handlers } from "../handler.ts";

export const administrationHandlers: Handlers<
  "collect" | "readDocuments" | "writeDocuments" | "compactData"
> = {
  collect: async ({ parts, body, signal }) => parts.runtime.collect({ ...body, signal }),
  readDocuments: async ({ parts, query, signal }) => {
    const { collection, after, ...bounds } = query;
    return { rows: await parts.runtime.documents.read(collection, after, { ...bounds, signal }) };
  },
  writeDocuments: async ({ parts, body, signal }) => {
    const { collection, rows = [], remove = [], ...bounds } = body;
    const written = new Map<string, unknown>(rows);
    for (const key of remove) {
      if (written.has(key)) {
        const message = `Cannot write ${JSON.stringify(key)} as a row must be written or removed: got both`;
        throw new InvalidOptionsError(message, "remove");
      }
      written.set(key, undefined);
    }
    await parts.runtime.documents.write(collection, written, { ...bounds, signal });
  },
  compactData: async ({ parts, body, signal }) => {
    const { data } = parts.runtime;
    if (data === null) {
      const rule = "the runtime must have a data folder";
      throw new InvalidOptionsError(`Cannot compact as ${rule}: it has none`, "data");
    }
    return data.compact({ ...body, signal });
  },
};
