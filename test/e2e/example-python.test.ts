// The Python client and the evaluator made of it, against a server: scores, failures, mistakes, threads, and being given up.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { root, runProgram } from "./program.ts";
import { startServing, type Serving } from "./serving.ts";

const folder = mkdtempSync(join(tmpdir(), "vivarium-python-"));
const sources = join(root, "examples", "python");
let serving: Serving;

before(async () => {
  const found = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]);
  assert.equal(found.status, 0, "install python3, 3.9 or newer: this test runs the Python example");
  serving = await startServing();
});
after(async () => {
  await serving?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Runs a Python program beside the example, and returns what it printed as JSON. */
async function python(program: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const ended = await runProgram("python3", ["-c", program], {
    cwd: folder,
    env: { ...process.env, ...serving.env, PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "1", ...env },
    timeoutMs: 120_000,
  });
  assert.equal(ended.code, 0, ended.stderr);
  return JSON.parse(ended.stdout) as unknown;
}

const start = "import json, sys\nfrom vivarium_client import Vivarium, VivariumError\n";

suite("the Python client", () => {
  test("creates, calls and destroys", async () => {
    const told = await python(`${start}
with Vivarium() as vivarium:
    sandbox = vivarium.create({"main": "export const f = (a: number, b: number) => a + b;"}, id="py-1")
    outcome = vivarium.call("py-1", "main.f", [40, 2])
    failed = vivarium.call("py-1", "main.g")
    vivarium.destroy("py-1")
    vivarium.destroy("py-1")
print(json.dumps([sandbox["id"], outcome["value"], failed["ok"], failed["error"]["kind"]]))`);
    assert.deepEqual(told, ["py-1", 42, false, "not-found"]);
  });

  test("creates once where a creation is repeated with its key", async () => {
    const told = await python(`${start}
with Vivarium() as vivarium:
    ids = [vivarium.create({"main": "export const f = () => 1;"}, key="the-same")["id"] for _ in range(2)]
print(json.dumps(ids[0] == ids[1]))`);
    assert.equal(told, true);
  });

  test("gives each result of an evaluation, failures as failures", async () => {
    const told = await python(`${start}
codes = ["(x) => x * x", "(x) => { while (true); }", "(x => x"]
targets = [{"modules": {"main": f"export const f = {code};"}} for code in codes]
tests = [{"name": "three", "call": "main.f", "args": [3], "expected": 9}]
results = sorted(Vivarium().evaluate(targets, {"tests": tests}, timeoutMs=200), key=lambda each: each["index"])
print(json.dumps([each["score"] if each["ok"] else each["error"]["kind"] for each in results]))`);
    assert.deepEqual(told, [1, "timeout", "not-created"]);
  });

  test("tells a mistake by its code and status, and shows no token", async () => {
    const told = await python(`${start}
def told(act):
    try:
        act()
    except VivariumError as error:
        return [error.status, error.code, "${"not-the-right-token"}" in str(error)]
print(json.dumps([
    told(lambda: Vivarium().call("nobody", "main.f")),
    told(lambda: Vivarium().once("1", timeoutMs="soon")),
    told(lambda: list(Vivarium().evaluate(["nobody"], {"tests": []}))),
    told(lambda: Vivarium(token="not-the-right-token").once("1")),
    told(lambda: Vivarium("http://127.0.0.1:9").once("1")),
]))`);
    assert.deepEqual(told, [
      [404, "SANDBOX_NOT_FOUND", false],
      [400, "INVALID_LIMITS", false],
      [400, "INVALID_OPTIONS", false],
      [401, "UNAUTHENTICATED", false],
      [0, "CONNECTION_FAILED", false],
    ]);
  });

  test("is used by many threads at a time", async () => {
    const told = await python(`${start}
from concurrent.futures import ThreadPoolExecutor
vivarium = Vivarium()
with ThreadPoolExecutor(16) as pool:
    outcomes = list(pool.map(lambda n: vivarium.once(f"{n} * 2")["value"], range(64)))
print(json.dumps(outcomes == [n * 2 for n in range(64)]))`);
    assert.equal(told, true);
  });

  test("ends what is under way when its loop is left", async () => {
    const told = await python(`${start}
targets = [{"modules": {"main": "export const f = (x) => x;"}}] * 4 + [{"modules": {"main": "export const f = () => { while (true); };"}}] * 100
tests = [{"name": "one", "call": "main.f", "args": [1], "expected": 1}]
vivarium = Vivarium()
results = vivarium.evaluate(targets, {"tests": tests}, timeoutMs=20_000, concurrency=4)
first = next(results)
results.close()
print(json.dumps([first["score"], vivarium.once("1", timeoutMs=20_000)["value"]]))`);
    assert.deepEqual(told, [1, 1]);
  });
});

suite("the evaluator for OpenEvolve", () => {
  const square = join(folder, "square.ts");
  const broken = join(folder, "broken.ts");
  const unread = join(folder, "unread.ts");
  before(() => {
    writeFileSync(square, "export const f = (x: number): number => x * x;\n");
    writeFileSync(broken, "export const f = (x: number): number => { throw new Error(`no ${x}`); };\n");
    writeFileSync(unread, "export const f = (x: number => x;\n");
  });

  const evaluating = (name: string, path: string): string =>
    `import json\nimport openevolve_evaluator as e\nprint(json.dumps(e.${name}(${JSON.stringify(path)}), default=vars))`;

  for (const name of ["evaluate", "evaluate_stage1", "evaluate_stage2"])
    test(`${name}() scores a right candidate with 1`, async () => {
      const { metrics, artifacts } = (await python(evaluating(name, square))) as Evaluated;
      assert.deepEqual([metrics["combined_score"], artifacts], [1, {}]);
    });

  test("gives no score to one that throws, and its stack to the next prompt", async () => {
    const { metrics, artifacts } = (await python(evaluating("evaluate", broken))) as Evaluated;
    assert.equal(metrics["combined_score"], undefined);
    assert.equal(artifacts["failure"], "crashed");
    assert.match(artifacts["stderr"] ?? "", /no 2[^]*main(?:\.ts)?:1/);
  });

  test("gives no score to one that cannot be parsed, and shows where", async () => {
    const { metrics, artifacts } = (await python(evaluating("evaluate_stage1", unread))) as Evaluated;
    assert.equal(metrics["combined_score"], undefined);
    assert.equal(artifacts["failure"], "not-created");
    assert.match(artifacts["diagnostics"] ?? "", /x: number => x/);
  });

  test("returns an EvaluationResult where openevolve is installed", async () => {
    const stand = join(folder, "stand", "openevolve");
    mkdirSync(stand, { recursive: true });
    writeFileSync(join(stand, "__init__.py"), "");
    // As that of OpenEvolve: a dataclass of two fields.
    const lines = ["from dataclasses import dataclass", "@dataclass", "class EvaluationResult:"];
    writeFileSync(
      join(stand, "evaluation_result.py"),
      [...lines, "    metrics: dict", "    artifacts: dict", ""].join("\n"),
    );
    const program = `import json\nimport openevolve_evaluator as e\nresult = e.evaluate(${JSON.stringify(square)})\nprint(json.dumps([type(result).__name__, result.metrics["combined_score"]]))`;
    const told = await python(program, { PYTHONPATH: `${sources}:${join(folder, "stand")}` });
    assert.deepEqual(told, ["EvaluationResult", 1]);
  });
});

test("the Python files need nothing but the standard library, and fit old versions of it", () => {
  const standard = ["__future__", "http", "json", "os", "contextlib", "typing", "urllib", "sys", "pathlib"];
  const own = ["vivarium_client", "openevolve"];
  for (const name of ["vivarium_client.py", "openevolve_evaluator.py"]) {
    const text = readFileSync(join(sources, name), "utf8");
    const imported = [...text.matchAll(/^\s*(?:from|import) ([\w]+)/gm)].map(([, module = ""]) => module);
    assert.deepEqual(
      imported.filter((module) => ![...standard, ...own].includes(module)),
      [],
      name,
    );
    // Neither `match` nor types written as A | B outside of annotations.
    assert.doesNotMatch(text, /^\s*match .*:$/m);
  }
});

interface Evaluated {
  readonly metrics: Readonly<Record<string, number>>;
  readonly artifacts: Readonly<Record<string, string>>;
}
