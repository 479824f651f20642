// Rolldown as backend: the fastest, and the default.
import { stripVTControlCharacters } from "node:util";
import { transformSync } from "rolldown/utils";
import { diagnosticsMax, errorAt, type Backend } from "./backend.ts";

interface RolldownError {
  readonly message: string;
  readonly pos?: number;
  readonly labels?: readonly { readonly start: number }[];
}

export const rolldownBackend: Backend = {
  name: "rolldown",
  supports: { typescript: true, typescriptRuntime: true, jsx: true, sourceMaps: true, severalErrors: false },
  strip(task) {
    const { code, map, errors } = transformSync(`${task.name}.${task.language}`, task.source, {
      lang: task.language,
      sourceType: "module",
      sourcemap: true,
      target: "esnext",
      jsx: { runtime: "classic" },
    });
    // Without the source, which the map has too, and which every reader of the map would read as well.
    const { mappings = "" } = map ?? {};
    const plain = { version: 3, sources: [task.name], names: [], mappings };
    if (errors.length === 0) return Promise.resolve({ ok: true, code, map: JSON.stringify(plain) });
    const diagnostics = (errors as RolldownError[]).slice(0, diagnosticsMax).map((error) => {
      return errorAt(task, error.pos ?? error.labels?.[0]?.start ?? 0, headline(error.message));
    });
    return Promise.resolve({ ok: false, diagnostics });
  },
};

/** The first line of a message, without colours and without the tool's own code for it. */
export function headline(message: string): string {
  const [first = ""] = stripVTControlCharacters(message).split("\n");
  return first.replace(/^\[[A-Z_]+\]\s*/, "");
}
