// A program of its own: writes a client for an OpenAPI document with a public generator. Arguments: the document, the folder.
// The generator prints code by the interface that TypeScript had before version 7: it is given the one that another tool of
// development brings along.
import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const [input = "", path = ""] = process.argv.slice(2);
const tool = createRequire(import.meta.url).resolve("@arethetypeswrong/core");
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      specifier === "typescript" ? { ...context, parentURL: pathToFileURL(tool).href } : context,
    ),
});
const { createClient } = await import("@hey-api/openapi-ts");
await createClient({
  input,
  output: { path, module: { extension: ".ts" } },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { level: "error" },
});
