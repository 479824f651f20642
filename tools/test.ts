// Runs the tests and ends with the one line that counts. Words given as arguments choose the
// files whose path has one of them: `npm test -- limits`.
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = process.argv.slice(2);
const timeoutMs = 600_000;

// What is quick comes first, so that a plain mistake is known at once. Files share the cores, but for those where time
// or memory is what they test. Each has a process of its own.
const first = ["test/unit/", "test/docs/"];
const alone = [
  "test/limits/",
  "test/hostile/hostile.test.ts",
  "test/hostile/traps.test.ts",
  "test/chaos/chaos.test.ts",
  "test/soak/",
];
const files = globSync("test/**/*.test.ts", { cwd: root })
  .filter((path) => wanted.length === 0 || wanted.some((word) => path.includes(word)))
  .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));

// Each file is a process that reads most of the sources: what one has read and compiled, the next need not.
process.env["NODE_COMPILE_CACHE"] ??= `${root}node_modules/.cache/compiled`;

const counts = { passed: 0, failed: 0, skipped: 0 };
await runAll(
  files.filter((path) => !isAlone(path)),
  availableParallelism(),
);
await runAll(files.filter(isAlone), 1);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 || files.length === 0 ? 1 : 0;

function rank(path: string): number {
  const place = first.findIndex((start) => path.startsWith(start));
  return place === -1 ? first.length : place;
}

function isAlone(path: string): boolean {
  return alone.some((start) => path.startsWith(start));
}

async function runAll(paths: readonly string[], concurrency: number): Promise<void> {
  if (paths.length === 0) return;
  const events = run({ files: paths.map((path) => `${root}${path}`), concurrency, timeout: timeoutMs });
  events.on("test:pass", (event) => count(event, "passed"));
  events.on("test:fail", (event) => count(event, "failed"));
  for await (const text of events.compose(spec) as AsyncIterable<string>) process.stdout.write(text);
}

interface Ended {
  readonly nesting: number;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details: { readonly type?: string };
}

// A suite is not a test of its own, unless it failed without one.
function count(event: Ended, how: "passed" | "failed"): void {
  if (event.details.type === "suite" && how === "passed") return;
  const isSkipped = event.skip !== undefined && event.skip !== false;
  counts[isSkipped || event.todo !== undefined ? "skipped" : how]++;
}
