// Who may import whom: one folder of src/ is one layer, and a layer imports only those below it.
import { importsOf, type Import } from "./imports.ts";
import { sourcesOf, type SourceTree } from "./source-tree.ts";

export interface LayerRules {
  /** Each layer and what it may import beside itself. `types:` allows only types. */
  readonly layers: Readonly<Record<string, readonly string[]>>;
  /** Layers that import nothing but files of ours. */
  readonly closed: readonly string[];
  /** Files that only some may import, and why. */
  readonly guarded: readonly GuardedFile[];
}

export interface GuardedFile {
  readonly file: string;
  /** The beginnings of the paths that may import it. */
  readonly importers: readonly string[];
  readonly reason: string;
}

const core = ["model", "std"];

const layerRules: LayerRules = {
  layers: {
    model: [],
    std: [],
    observability: core,
    jail: core,
    code: [...core, "observability", "jail"],
    store: core,
    security: [...core, "observability"],
    execution: [...core, "observability", "jail", "code", "types:guest"],
    orchestration: [...core, "observability", "jail", "code", "execution", "store", "security"],
    api: [
      ...core,
      "observability",
      "jail",
      "code",
      "execution",
      "orchestration",
      "store",
      "security",
      "types:guest",
    ],
    guest: ["model"],
    telemetry: [...core, "observability", "types:api"],
    evolution: [...core, "types:observability", "types:api"],
    contract: ["model", "observability", "types:index", "types:evolution"],
    client: ["model", "std", "contract", "types:index", "types:evolution"],
    shipping: [
      ...core,
      "jail",
      "code",
      "execution",
      "orchestration",
      "api",
      "types:client",
      "types:contract",
    ],
    mcp: ["model", "std", "contract", "types:index", "evolution"],
    server: [
      "model",
      "std",
      "observability",
      "contract",
      "mcp",
      "api",
      "types:index",
      "evolution",
      "telemetry",
    ],
    cli: ["model", "std", "store", "index", "contract", "client", "server", "mcp", "evolution", "types:api"],
    testing: [...core, "observability", "store", "api"],
    index: [...core, "observability", "jail", "code", "orchestration", "store", "security", "api"],
  },
  closed: ["model", "guest"],
  guarded: [
    {
      file: "src/orchestration/sandboxes/state.ts",
      importers: ["src/orchestration/sandboxes/", "src/orchestration/reload/reload.ts"],
      reason: "the state of a sandbox is its owner's: only its own operations may import it",
    },
  ],
};

/** An example uses the package as its users do: by its name, never by a path into the sources. */
export function findExampleProblems(tree: SourceTree): readonly string[] {
  return tree.paths
    .filter((path) => path.startsWith("examples/") && path.endsWith(".ts"))
    .flatMap((path) =>
      importsOf(tree, path)
        .filter(({ target }) => target !== undefined && !target.startsWith("examples/"))
        .map(({ specifier }) => `${path}: an example imports the package by its name: ${specifier}`),
    );
}

export function findLayerProblems(tree: SourceTree, rules: LayerRules = layerRules): readonly string[] {
  const missing = rules.guarded
    .filter(({ file }) => !tree.paths.includes(file))
    .map(
      ({ file }) => `tools/tidy/layers.ts: Cannot guard ${file} as it must exist: it was moved or removed`,
    );
  return [...missing, ...sourcesOf(tree).flatMap((path) => problemsOfFile(tree, path, rules))];
}

function problemsOfFile(tree: SourceTree, path: string, rules: LayerRules): readonly string[] {
  const layer = layerOf(path);
  if (rules.layers[layer] === undefined) return [`${path}: the folder ${layer} is in no layer`];
  return importsOf(tree, path).flatMap((imported) => problemsOfImport(path, imported, rules));
}

function problemsOfImport(path: string, imported: Import, rules: LayerRules): readonly string[] {
  const { specifier, target, isTypeOnly } = imported;
  const layer = layerOf(path);
  if (target === undefined)
    return rules.closed.includes(layer)
      ? [`${path}: ${layer} imports nothing from outside: ${specifier}`]
      : [];
  const problems = rules.guarded
    .filter(({ file, importers }) => file === target && !importers.some((start) => path.startsWith(start)))
    .map(({ reason }) => `${path}: may not import ${target}: ${reason}`);
  if (!specifier.endsWith(".ts")) problems.push(`${path}: a path ends in .ts: ${specifier}`);
  const allowed = rules.layers[layer] ?? [];
  const below = layerOf(target);
  const isAllowed =
    below === layer || allowed.includes(below) || (isTypeOnly && allowed.includes(`types:${below}`));
  if (!isAllowed) problems.push(`${path}: ${layer} may not import ${below} (${specifier})`);
  return problems;
}

function layerOf(path: string): string {
  const [, folder = ""] = path.split("/");
  return folder.endsWith(".ts") ? folder.slice(0, -".ts".length) : folder;
}
