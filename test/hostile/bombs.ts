// Runs every program of a corpus file, `node test/hostile/bombs.ts [--dense] FILE [WORD…]`, and prints one table; with --dense
// in the isolate of its neighbour. The file holds {"items": [{"id", "code", "api"?, "timeoutMs"?, "expect": {"anyOf": [...]}}]}; words choose by id.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runInNewContext } from "node:vm";
import type { Runtime } from "../../src/index.ts";
import {
  contain,
  containmentTable,
  startContainment,
  type Containment,
  type HostileProgram,
} from "./containment.ts";

interface Item {
  readonly id: string;
  readonly code: string | { readonly sourceExpr: string };
  readonly api?: "compile" | "module";
  readonly timeoutMs?: number;
  readonly expect: { readonly anyOf: readonly string[] };
}

const kindsOf: Readonly<Record<string, readonly string[]>> = {
  timeout: ["timeout"],
  memory: ["memory", "crashed"],
  throw: ["crashed", "unserializable", "load", "compile", "not-found", "output-limit"],
  value: ["ok"],
  "output-limit": ["output-limit"],
  "queue-limit": ["output-limit", "timeout", "memory"],
};

// What a script of the corpus may call; here all of it is the guest's own.
const prelude = [
  "const log = (...a) => console.log(...a), post = log;",
  "const hostAsync = (x) => new Promise((r) => setTimeout(r, 1, x)), hostNever = () => new Promise(() => {});",
].join("\n");

const { values, positionals } = parseArgs({
  options: { dense: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [path, ...words] = positionals;
const placement = values.dense ? { dense: true } : {};
if (path === undefined) {
  console.error(
    "Cannot run the bombs as a corpus file must be named: node test/hostile/bombs.ts [--dense] FILE [WORD…]",
  );
  process.exit(2);
}
const items = (JSON.parse(readFileSync(path, "utf8")) as { items: Item[] }).items.filter(
  ({ id }) => words.length === 0 || words.some((word) => id.includes(word)),
);
await using runtime = await startContainment();
const rows: Containment[] = [];
const surprises: string[] = [];
for (const item of items) {
  const row = await contain(runtime, { ...(await toProgram(runtime, item)), placement });
  rows.push(row);
  process.stderr.write(`${containmentTable([row]).split("\n")[1]}\n`);
  const expected = new Set(item.expect.anyOf.flatMap((kind) => kindsOf[kind] ?? []));
  if (!expected.has(row.outcome))
    surprises.push(
      `${item.id}: expected ${item.expect.anyOf.join(" or ")}, got ${row.outcome}: ${row.message}`,
    );
  if (row.neighbourFailures.length > 0) surprises.push(`${item.id}: neighbour: ${row.neighbourFailures[0]}`);
  if (row.neighbourMs > 1_000 + (item.timeoutMs ?? 1_000))
    surprises.push(`${item.id}: neighbour waited ${row.neighbourMs.toFixed(0)} ms`);
}
console.log(containmentTable(rows));
for (const surprise of surprises) console.log(`SURPRISE ${surprise}`);
console.log(
  `${rows.length} programs, ${surprises.length} surprises, RSS of this process ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB`,
);
process.exitCode = surprises.length > 0 ? 1 : 0;

async function toProgram(within: Runtime, item: Item): Promise<HostileProgram> {
  const { id, timeoutMs } = item;
  const code = typeof item.code === "string" ? item.code : String(runInNewContext(item.code.sourceExpr));
  const source =
    item.api === "module" ? asModule(code) : item.api === "compile" ? code : await asFunction(within, code);
  return timeoutMs === undefined ? { id, source } : { id, source, timeoutMs };
}

function asModule(code: string): string {
  return code.replace("export default", "export const bomb = ");
}

// A script's value is that of its last expression, which is returned where the text shows it.
async function asFunction(within: Runtime, code: string): Promise<string> {
  const body = code.trim().replace(/;$/, "");
  for (let at = body.lastIndexOf(";"); ; at = body.lastIndexOf(";", at - 1)) {
    const source = `${prelude}\nexport function bomb() {\n${body.slice(0, at + 1)}\nreturn (${body.slice(at + 1)});\n}`;
    if ((await within.compile.check(source).catch(() => [1])).length === 0) return source;
    if (at <= 0) return `${prelude}\nexport function bomb() {\n${code}\n}`;
  }
}
