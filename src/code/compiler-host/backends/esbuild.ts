// esbuild as backend: an optional peer dependency, loaded on demand.
import type { Message } from "esbuild";
import type { Diagnostic } from "../../../model/code/diagnostic.ts";
import { VivariumError } from "../../../model/errors.ts";
import { diagnosticsMax, errorAtPosition, type Backend, type StripTask } from "./backend.ts";

/** Loads esbuild; rejects with `COMPILER_UNAVAILABLE` where it is not installed. */
export async function loadEsbuildBackend(): Promise<Backend> {
  const esbuild = await import("esbuild").catch((cause: unknown) => {
    const message =
      "Cannot compile with esbuild as it must be installed beside vivarium: npm install esbuild";
    throw new VivariumError("COMPILER_UNAVAILABLE", message, cause);
  });
  return {
    name: "esbuild",
    supports: { typescript: true, typescriptRuntime: true, jsx: true, sourceMaps: true, severalErrors: true },
    async strip(task) {
      try {
        const { code, map } = await esbuild.transform(task.source, {
          loader: task.language,
          format: "esm",
          target: "esnext",
          jsx: "transform",
          sourcemap: "external",
          sourcefile: task.name,
          logLevel: "silent",
        });
        return { ok: true, code, map };
      } catch (error) {
        const { errors } = error as { errors?: readonly Message[] };
        if (!Array.isArray(errors)) throw error;
        return {
          ok: false,
          diagnostics: errors.slice(0, diagnosticsMax).map((message) => toDiagnostic(task, message)),
        };
      }
    },
  };
}

function toDiagnostic(task: StripTask, { text, location }: Message): Diagnostic {
  const at = { line: location?.line ?? 1, column: (location?.column ?? 0) + 1 };
  return errorAtPosition(task, at, text);
}
