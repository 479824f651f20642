// The `vivarium` command as users start it.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root, vivarium } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "vivarium-cli-"));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("vivarium shows its commands, and each its options, for --help", async () => {
  const { code, stdout } = await vivarium();
  assert.equal(code, 0);
  assert.match(stdout, /demo[^]*eval/);
  assert.match((await vivarium("demo", "--help")).stdout, /--population[^]*--dataset/);
  assert.match((await vivarium("help", "eval")).stdout, /Usage: vivarium eval PROGRAM…/);
});

for (const flag of ["--version", "-V"])
  test(`vivarium ${flag} prints the version of the package`, async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    assert.deepEqual(await vivarium(flag), { code: 0, stdout: `${version}\n`, stderr: "" });
  });

test("vivarium demo packs bins, scores a file of the user's, and gives the same program for the same seed", async () => {
  const sizes = Array.from({ length: 40 }, (_, index) => 20 + ((index * 37) % 81)).join("\n");
  const dataset = file("own.txt", `1\n u40_00\n 150 40 17\n${sizes}\n`);
  const small = ["--population", "60", "--evaluations", "120", "--seed", "3", "--dataset", dataset, "--json"];
  const [one, other] = [await vivarium("demo", ...small), await vivarium("demo", ...small)];
  assert.equal(one.code, 0, one.stderr);
  const result = JSON.parse(one.stdout) as {
    program: string;
    report: string[][];
    outcomes: Record<string, number>;
  };
  assert.match(result.program, /export function priority/);
  assert.deepEqual(
    result.report.map(([name]) => name),
    ["excess in %", "generated, 120 items", "generated, 250 items", "generated, 500 items", "own.txt"],
  );
  assert.ok(result.report.slice(1).every((row) => row.slice(1).every((cell) => /^\d+\.\d\d$/.test(cell))));
  const { program, outcomes, report } = JSON.parse(other.stdout) as typeof result;
  assert.deepEqual(
    { program, outcomes, report },
    { program: result.program, outcomes: result.outcomes, report: result.report },
  );
  assert.match(one.stderr, /^A score is excess: .* Lower is better\.\nfirst score after .* s: .* % excess$/m);
  assert.match(one.stderr, /^generation 0 {2}best .* % excess/m);
  assert.ok(!`${one.stdout}${one.stderr}`.includes("\u001b"));
});

const task = `export const fitness = { tests: [
  { name: "two", call: "main.f", args: [2], expected: 4 },
  { name: "three", call: "main.f", args: [3], expected: 9 },
] };
export const options = { timeoutMs: 1_000 };`;

/** What the command prints of a program, which must be evaluated. */
async function evaluated(source: string, options: readonly string[], ownTask = task): Promise<string> {
  const paths = [file("candidate.ts", source), "--task", file("task.mjs", ownTask)];
  const { code, stdout, stderr } = await vivarium("eval", ...paths, ...options);
  assert.equal(code, 0, stderr);
  return stdout;
}

const right = "export const f = (x: number) => x * x;";
const loops = "export const f = () => { while (true); };";

for (const [what, source, metrics, artifacts] of [
  ["a right program", right, { combined_score: 1 }, {}],
  [
    "a wrong one",
    'export const f = (x: number) => { console.log("hi", x); return x + x; };',
    { combined_score: 0.5 },
    { stdout: /hi 2\nhi 3/, failed_tests: /^three: the answer is not as expected: got 6$/ },
  ],
  ["one that loops", loops, {}, { failure: /^timeout$/, stderr: /timeoutMs, 1000/ }],
  [
    "one that throws",
    'export const f = () => { throw new Error("no"); };',
    {},
    { failure: /^crashed$/, stderr: /Error: no\n.*main/ },
  ],
  [
    "one that is no program",
    "export const f = (",
    {},
    { failure: /^load$/, stderr: /^Cannot compile/, diagnostics: /export const f = \(/ },
  ],
  [
    "one that writes more than a prompt has room for",
    'export const f = (x: number) => { console.log("x".repeat(30_000)); return x * x; };',
    { combined_score: 1 },
    { stdout: /^x{20000}\n… \d+ more characters$/ },
  ],
] as const) {
  test(`vivarium eval reports ${what} to an engine`, async () => {
    const told = JSON.parse(await evaluated(source, ["--format", "openevolve"])) as {
      metrics: object;
      artifacts: Record<string, string>;
    };
    assert.deepEqual(told.metrics, metrics);
    assert.deepEqual(Object.keys(told.artifacts).sort(), Object.keys(artifacts).sort());
    for (const [name, form] of Object.entries(artifacts))
      assert.match(told.artifacts[name] ?? "", form as RegExp);
  });
}

test("vivarium eval gives the whole result as JSON by default, to stdout or to a file", async () => {
  const output = join(folder, "deep", "result.json");
  const printed = JSON.parse(await evaluated(right, [])) as Record<string, unknown>;
  assert.deepEqual([printed["ok"], printed["score"], printed["sandboxId"]], [true, 1, "candidate"]);
  assert.equal(await evaluated(loops, ["--format", "json", "--output", output]), "");
  const written = JSON.parse(readFileSync(output, "utf8")) as { ok: boolean; error: { kind: string } };
  assert.deepEqual([written.ok, written.error.kind], [false, "timeout"]);
});

const twoComponents = `export const fitness = async (candidate) => {
  const outcome = await candidate.call("main.f", { args: [3] });
  if (!outcome.ok) throw new Error(outcome.error.kind);
  return { score: outcome.value, components: { size: 7, score: 99, combined_score: 99 } };
};`;

/** Every character that a terminal obeys, or that changes how what follows is read. */
const obeyed = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
  ...[0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069, 0xfeff, 0xe0001],
].map((code) => String.fromCodePoint(code));

for (const format of ["json", "openevolve", "shinka", "alphaevolve"]) {
  test(`vivarium eval escapes what a terminal would obey in the format ${format}`, async () => {
    const text = JSON.stringify(obeyed.join("x"));
    const says = `console.log(${text}); throw new Error(${text});`;
    const printed = await evaluated(`export const f = () => { ${says} };`, ["--format", format]);
    const raw = obeyed.filter((character) => character !== "\n" && printed.includes(character));
    assert.deepEqual(
      raw.map((character) => character.codePointAt(0)),
      [],
    );
    assert.ok(JSON.stringify(JSON.parse(printed)).includes("\u202e"), "the text itself is there");
  });
}

test("vivarium eval writes the two files of ShinkaEvolve, where only what has a score is correct", async () => {
  const results = join(folder, "results");
  const shinka = ["--format", "shinka", "--output", results];
  const read = (name: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(results, name), "utf8")) as Record<string, unknown>;
  assert.equal(await evaluated(right, shinka, twoComponents), "");
  const { combined_score, public: shown, private: hidden, text_feedback } = read("metrics.json");
  assert.deepEqual([combined_score, text_feedback], [9, ""]);
  assert.deepEqual(shown, { size: 7, score: 99, combined_score: 99 });
  assert.deepEqual(Object.keys(hidden as object), ["evaluation_ms", "runs", "cpu_ms"]);
  assert.deepEqual(read("correct.json"), { correct: true, error: null });

  await evaluated(loops, shinka);
  assert.equal("combined_score" in read("metrics.json"), false);
  assert.match(String(read("metrics.json")["text_feedback"]), /^failure:\ntimeout\n\nstderr:\nCannot finish/);
  const { correct, error } = read("correct.json");
  assert.equal(correct, false);
  assert.match(String(error), /^timeout: Cannot finish/);
  assert.deepEqual(readdirSync(results).sort(), ["correct.json", "metrics.json"]);
  const both = JSON.parse(await evaluated(right, ["--format", "shinka"])) as object;
  assert.deepEqual(Object.keys(both), ["metrics.json", "correct.json"]);
});

test("vivarium eval gives AlphaEvolve's client scores with the one that counts first, or none at all", async () => {
  const read = async (source: string, ownTask?: string): Promise<Record<string, unknown>> =>
    JSON.parse(await evaluated(source, ["--format", "alphaevolve"], ownTask)) as Record<string, unknown>;
  assert.deepEqual(await read(right, twoComponents), {
    scores: [
      { metric: "score", score: 9 },
      { metric: "size", score: 7 },
      { metric: "combined_score", score: 99 },
    ],
    insights: [],
  });
  const { score, scores, insights } = await read("export const f = (");
  assert.deepEqual([score, scores], [null, undefined]);
  assert.deepEqual(
    (insights as { label: string }[]).map(({ label }) => label),
    ["failure", "stderr", "diagnostics"],
  );
});

test("vivarium eval does not count a failure as correct where the task gives it a score", async () => {
  const mapping = `${task.replace("timeoutMs: 1_000", "timeoutMs: 1_000, onFailure: { score: -1 }")}`;
  const files = JSON.parse(await evaluated(loops, ["--format", "shinka"], mapping)) as Record<string, object>;
  assert.equal((files["metrics.json"] as { combined_score?: number }).combined_score, -1);
  assert.equal((files["correct.json"] as { correct: boolean }).correct, false);
});

test("vivarium eval ends with exit code 2 where it cannot write, and leaves nothing half written", async () => {
  const place = file("occupied", "");
  const [path, taskPath] = [file("candidate.ts", right), file("task.mjs", task)];
  const { code, stderr } = await vivarium(
    "eval",
    path,
    "--task",
    taskPath,
    "--output",
    join(place, "x.json"),
  );
  assert.equal(code, 2);
  assert.match(stderr, /^Cannot write to .* as it must be a place for files: /);
});

test("vivarium eval refuses a task that has no fitness", async () => {
  const path = file("candidate.ts", "export const f = 1;");
  const { code, stderr } = await vivarium(
    "eval",
    path,
    "--task",
    file("empty.mjs", "export const speed = 1;"),
  );
  assert.equal(code, 2);
  assert.match(stderr, /as it must export fitness/);
});
