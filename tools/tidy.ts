// The repository's own rules, as a program: who may import whom, how long a file may be, what may not stand in a source.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const linesMax = 300;

// Each layer and what it may import beside itself. `types:` allows only `import type`.
const core = ["model", "std"];
const layers: Readonly<Record<string, readonly string[]>> = {
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
  evolution: [...core, "types:observability"],
  cli: ["model", "index"],
  testing: [...core, "observability", "store", "api"],
  index: [...core, "observability", "jail", "code", "orchestration", "store", "security", "api"],
};

// The state of a sandbox is its owner's: only the steps that he takes himself may know it.
const sandboxState = "src/orchestration/sandboxes/state.ts";
const ownSteps = ["src/orchestration/sandboxes/", "src/orchestration/reload/reload.ts"];

interface Import {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

const problems: string[] = [];
const sources = filesUnder("src");
for (const path of sources) checkImports(path);
for (const path of filesUnder("examples")) checkExample(path);
for (const path of [...sources, ...["test", "bench", "examples", "tools"].flatMap(filesUnder)])
  checkText(path);
checkCycles();
for (const problem of problems) console.error(problem);
console.log(`tidy: ${sources.length} source files, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

// A folder without a file in it is not part of a checkout.
function filesUnder(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function importsOf(path: string): Import[] {
  const statements = read(path).matchAll(/^(?:import|export)\s([^;]*?)from\s+"([^"]+)"/gms);
  return [...statements].map(([, clause = "", specifier = ""]) => ({
    specifier,
    isTypeOnly: clause.startsWith("type ") || clause.startsWith("type{"),
  }));
}

function layerOf(path: string): string {
  const [, folder = ""] = path.split("/");
  return folder.endsWith(".ts") ? folder.slice(0, -".ts".length) : folder;
}

function checkImports(path: string): void {
  const layer = layerOf(path);
  const allowed = layers[layer];
  if (allowed === undefined) return void problems.push(`${path}: the folder ${layer} is in no layer`);
  for (const { specifier, isTypeOnly } of importsOf(path)) {
    if (!specifier.startsWith(".")) {
      if (["model", "guest"].includes(layer))
        problems.push(`${path}: ${layer} imports nothing from outside: ${specifier}`);
      continue;
    }
    if (!specifier.endsWith(".ts")) problems.push(`${path}: a path ends in .ts: ${specifier}`);
    const imported = normalize(join(dirname(path), specifier));
    if (imported === sandboxState && !ownSteps.some((own) => path.startsWith(own)))
      problems.push(`${path}: the state of a sandbox is its owner's alone`);
    const target = layerOf(imported);
    const isAllowed =
      target === layer || allowed.includes(target) || (isTypeOnly && allowed.includes(`types:${target}`));
    if (!isAllowed) problems.push(`${path}: ${layer} may not import ${target} (${specifier})`);
  }
}

// An example uses the package as its users do.
function checkExample(path: string): void {
  for (const { specifier } of importsOf(path)) {
    const isElsewhere =
      specifier.startsWith(".") && !normalize(join(dirname(path), specifier)).startsWith("examples/");
    if (isElsewhere) problems.push(`${path}: an example imports the package by its name: ${specifier}`);
  }
}

function checkText(path: string): void {
  const text = read(path);
  const lines = text.split("\n").length - 1;
  if (lines > linesMax) problems.push(`${path}: ${lines} lines, more than ${linesMax}`);
  if (!text.startsWith("//")) problems.push(`${path}: the first line says why the file exists`);
  const forbidden: readonly (readonly [RegExp, string])[] = [
    [/\bthrow new Error\(/, "throw a typed error, or assert"],
    [/^export default /m, "exports have names"],
    [/^(?:export )?(?:const )?enum /m, "no enums"],
    [/\bTODO\b(?! #\d)/, "a TODO carries an issue number"],
    [/\b(?:test|it|describe)\.(?:skip|only|todo)\b/, "no skipped or focused tests"],
  ];
  const isSource = path.startsWith("src/");
  for (const [pattern, rule] of forbidden) {
    const isExempt =
      !isSource && (rule.startsWith("throw") || rule.startsWith("exports") || path === "tools/tidy.ts");
    if (!isExempt && pattern.test(text)) problems.push(`${path}: ${rule}`);
  }
  if (
    isSource &&
    !path.startsWith("src/std/") &&
    !path.startsWith("src/guest/") &&
    !path.startsWith("src/execution/cell-host/")
  ) {
    if (/\b(?:Date\.now|setTimeout|setInterval|Math\.random)\(/.test(text))
      problems.push(`${path}: time and chance are passed in`);
  }
}

function checkCycles(): void {
  const graph = new Map(
    sources.map((path) => [
      path,
      importsOf(path)
        .filter(({ specifier, isTypeOnly }) => specifier.startsWith(".") && !isTypeOnly)
        .map(({ specifier }) => normalize(join(dirname(path), specifier))),
    ]),
  );
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path))
      return void problems.push(`import cycle: ${[...above.slice(above.indexOf(path)), path].join(" → ")}`);
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...above, path]);
    done.add(path);
  };
  for (const path of sources) visit(path, []);
}
