// Installs popular npm packages and uses each in a sandbox, from files and from text, under the default profile: prints what
// works as a table. Run it with `npm run packages`; it needs the npm registry. `-- WORD…` chooses packages by name.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRuntime, unwrap, type Runtime, type SandboxSpec } from "vivarium";
import { Folder } from "../support/folders.ts";
import { packageUses, type PackageUse } from "./uses.ts";

const words = process.argv.slice(2);
const chosen = packageUses.filter(({ name }) => words.length === 0 || words.includes(name));

/** Makes code from text, which some packages do; the default profile does not let them. */
const lax = "with-dynamic-code";

interface Row {
  readonly use: PackageUse;
  readonly text: string;
  readonly path: string;
  /** The same from text where code may be made from text; undefined where it made no difference. */
  readonly lax?: string;
  readonly bytes: number;
}

using folder = new Folder({
  "package.json": {
    private: true,
    dependencies: Object.fromEntries(
      chosen.flatMap(({ name, version, beside = {} }) => [[name, version], ...Object.entries(beside)]),
    ),
  },
});
const npmOptions = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
execFileSync("npm", npmOptions, { cwd: folder.path, stdio: ["ignore", "ignore", "inherit"] });

await using runtime = await createRuntime({
  npmImports: chosen.flatMap(({ name, beside = {} }) => [name, ...Object.keys(beside)]),
  npmFolder: folder.path,
  profiles: { [lax]: { features: { dynamicCode: true } } },
});
const rows: Row[] = [];
for (const use of chosen) rows.push(await tryOut(runtime, use));
print(rows);

async function tryOut(runtime: Runtime, use: PackageUse): Promise<Row> {
  const source = `${use.imports}\nexport const f = async () => {\n${use.body}\n};\n`;
  const file = `plugins/${use.name}/index.js`;
  folder.write({ [file]: source });
  const text = await attempt(runtime, { modules: { index: source } }, use);
  const path = await attempt(runtime, { path: folder.at(file) }, use);
  if (text.result === "ok") return { use, text: text.result, path: path.result, bytes: text.bytes };
  const other = await attempt(runtime, { modules: { index: source }, profile: lax }, use);
  const row = { use, text: text.result, path: path.result, bytes: Math.max(text.bytes, other.bytes) };
  return other.result === "ok" ? { ...row, lax: other.result } : row;
}

async function attempt(
  runtime: Runtime,
  spec: SandboxSpec,
  { name, expected }: PackageUse,
): Promise<{ readonly result: string; readonly bytes: number }> {
  let bytes = 0;
  try {
    await using sandbox = await runtime.create(spec);
    const exported = await sandbox.export();
    const sources = Object.entries(exported.modules).filter(([module]) => module !== "index");
    bytes = sources.reduce((sum, [, versions]) => sum + (versions[0]?.source.length ?? 0), 0);
    const value = unwrap(await sandbox.call("index.f"));
    assert.deepEqual(value, expected);
    return { result: "ok", bytes };
  } catch (error) {
    if (words.length > 0) console.error(name, error);
    return { result: (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "", bytes };
  }
}

function print(all: readonly Row[]): void {
  console.log("| package | version | bundled | from text | from `path` | why not |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const { use, text, path, bytes, lax: other } of all) {
    const said = (result: string): string => (result === "ok" ? "yes" : "no");
    const why = text === "ok" ? path : text;
    const isLax = other === "ok" ? "works where the profile grants `dynamicCode`: " : "";
    const note = why === "ok" ? "" : `${isLax}${shortened(why)}`;
    const size = bytes === 0 ? "" : `${Math.ceil(bytes / 1_000)} KB`;
    const cells = [`\`${use.name}\``, use.version, size, said(text), said(path), note];
    console.log(`| ${cells.join(" | ")} |`);
  }
  const worked = all.filter(({ text, path }) => text === "ok" && path === "ok").length;
  const laxly = all.filter(({ lax: other }) => other === "ok").length;
  console.log(
    `\n${worked} of ${all.length} from both; ${laxly} more where the profile grants \`dynamicCode\`.`,
  );
}

function shortened(message: string): string {
  return message
    .replace(/^Cannot unwrap the outcome as it must be ok: \S+: /, "")
    .replace(/^Cannot load sandbox "[^"]*": /, "")
    .replaceAll(folder.path, "…")
    .replaceAll("|", "\\|")
    .slice(0, 200);
}
