// The demo, killed with SIGKILL five times, ends with the result of one that was not.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runNode } from "../e2e/program.ts";
import { runKilled, type Moment } from "./killed-run.ts";

const folder = mkdtempSync(join(tmpdir(), "vivarium-killed-"));
after(() => rmSync(folder, { recursive: true }));

const demo = ["dist/cli/main.js", "demo"];
const small = [
  "--problem",
  "nguyen-2",
  "--population",
  "100",
  "--evaluations",
  "500",
  "--seed",
  "5",
  "--json",
];

const moments: readonly Moment[] = [
  // When its folder has hardly been made, before anything of the run is saved.
  { changes: 20 },
  // Right after one.
  { stderr: /^generation 1 /m },
  // Before it has begun to continue.
  { stderr: /^Continues/m },
  // Somewhere in the middle of a generation.
  { changes: 150 },
  { stderr: /^generation [4-6] /m },
];

test("vivarium demo, killed five times at different moments, has the program, score and evaluations of one that was not", async () => {
  const whole = await runNode([...demo, ...small]);
  assert.equal(whole.code, 0, whole.stderr);
  const { killed, last } = await runKilled([...demo, ...small, "--data", folder], folder, moments);
  assert.equal(killed.length, moments.length);
  assert.equal(last.code, 0, last.stderr);
  assert.match(last.stderr, /^Continues nguyen-2 in .* from generation \d+, after \d+ evaluations\.$/m);
  assert.deepEqual(essence(last.stdout), essence(whole.stdout));
});

test("vivarium demo prints the result of a run that is done again, for its folder alone", async () => {
  const again = await runNode([...demo, "--data", folder, "--json"]);
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr, /^The run of nguyen-2 in .* is done, with \d+ evaluations/m);
  assert.ok(!/^generation/m.test(again.stderr));
});

test("vivarium demo that is ended by Ctrl-C says how it is continued, and is", async () => {
  const data = join(folder, "another run");
  const start = [...demo, "--problem", "nguyen-2", "--population", "40", "--data", data];
  const { code, stdout } = await runNode([...start, "--minutes", "30"], {
    onStderr: (text) => (text.includes("generation 0") ? "SIGINT" : undefined),
  });
  assert.equal(code, 130);
  assert.ok(stdout.includes(`Ended by Ctrl-C.\nContinue with: npx vivarium demo --data '${data}'\n`), stdout);
  const { stderr } = await runNode([...start, "--evaluations", "100"]);
  assert.match(stderr, /^Continues nguyen-2 in .* from generation [1-9]/m);
});

/** All that must not depend on interruptions. */
function essence(json: string): object {
  const result = JSON.parse(json) as Record<string, unknown>;
  const names = [
    "program",
    "score",
    "trainingScore",
    "evaluations",
    "generations",
    "outcomes",
    "report",
    "steps",
  ];
  return Object.fromEntries(names.map((name) => [name, result[name]]));
}
