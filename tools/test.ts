// Runs the tests, one file after the other, and ends with the one line that counts. Words given as arguments choose the
// files whose path has one of them: `npm test -- limits`.
import { globSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = process.argv.slice(2);
const timeoutMs = 600_000;

// What is quick comes first, so that a plain mistake is known at once.
const folders = ["unit", "conformance", "restart", "processes", "limits", "hostile", "chaos", "soak", "e2e"];
const order = (path: string): number => folders.findIndex((folder) => path.startsWith(`test/${folder}/`));
const files = globSync("test/**/*.test.ts", { cwd: root })
  .filter((path) => wanted.length === 0 || wanted.some((word) => path.includes(word)))
  .sort((a, b) => order(a) - order(b) || a.localeCompare(b));

const counts = { passed: 0, failed: 0, skipped: 0 };
// Timing is part of what is tested: files run one at a time, each in a process of its own.
const events = run({ files: files.map((path) => `${root}${path}`), concurrency: 1, timeout: timeoutMs });
events.on("test:pass", (event) => count(event, "passed"));
events.on("test:fail", (event) => count(event, "failed"));
events.compose(spec).pipe(process.stdout);
events.on("end", () => {
  process.once("beforeExit", () => {
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    process.exitCode = counts.failed > 0 || files.length === 0 ? 1 : 0;
  });
});

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
