// `vivarium run` and `vivarium replay` as users start them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { Folder } from "../support/folders.ts";
import { Cli } from "./cli-program.ts";
import { assertRefused } from "./program.ts";

const folder = new Folder({
  "script.ts": 'console.log("to \\u001b[31mstderr"); const [n = 20] = args; n + 1',
  "module.ts":
    'import { twice } from "./twice.ts"; export const score = (n: number) => twice(n); export const roll = () => Math.random();',
  "twice.ts": "export const twice = (n: number): number => n * 2;",
  "default.ts": "export default () => new Map([[1, NaN]]);",
});
after(() => folder[Symbol.dispose]());
const cli = new Cli(folder);

interface Ran {
  readonly ok: boolean;
  readonly value?: unknown;
  readonly encoded?: string;
  readonly error?: { readonly kind: string };
  readonly output: readonly { readonly text: string }[];
}

test("vivarium run prints the value of a script, and its console on stderr with nothing that a terminal obeys", async () => {
  const { code, stdout, stderr } = await cli.run(["run", "script.ts"]);
  assert.deepEqual([code, stdout, stderr], [0, "21\n", "to \\u001b[31mstderr\n"]);
  assert.equal(await cli.text("run", "script.ts", "--args", "[41]"), "42\n");
});

test("vivarium run calls an exported function of a file and follows what that imports", async () => {
  assert.equal(await cli.text("run", "module.ts", "--target", "score", "--args", "[21]"), "42\n");
  assert.equal(await cli.text("run", "module.ts", "--target", "twice.twice", "--args", "[4]"), "8\n");
  assert.equal(await cli.text("run", "default.ts"), "Map(1) { 1 => NaN }\n");
});

test("vivarium run --json prints the outcome as the HTTP API has it, with what was written", async () => {
  const ran = await cli.json<Ran>(["run", "script.ts"]);
  assert.deepEqual([ran.ok, ran.value], [true, 21]);
  assert.deepEqual(
    ran.output.map(({ text }) => text),
    ["to \u001b[31mstderr"],
  );
  const map = await cli.json<Ran>(["run", "default.ts"]);
  assert.deepEqual([map.value, typeof map.encoded], [[[1, "NaN"]], "string"]);
  const target = await cli.json<Ran>(["run", "module.ts", "--target", "score", "--args", "[2]"]);
  assert.equal(target.value, 4);
});

for (const [what, source, code, kind, args] of [
  ["throws", 'throw new Error("no")', 3, "crashed", []],
  ["is no program", "const = 1", 3, "compile", []],
  ["is rejected", 'eval("1")', 3, "rejected", ["--profile", "high"]],
  ["never ends", "while (true);", 4, "timeout", ["--timeout-ms", "100"]],
  ["needs too much fuel", "for (let i = 0; i < 1e6; i++);", 4, "fuel", ["--limit", "fuel=1000"]],
  [
    "needs too much memory",
    "const all = []; for (;;) all.push(new Array(1e5).fill(all.length));",
    4,
    "memory",
    ["--limit", "memoryBytes=8388608"],
  ],
] as const) {
  test(`vivarium run ends with ${code} for code that ${what}, from stdin`, async () => {
    const plain = await cli.run(["run", "-", ...args], { stdin: source });
    assert.deepEqual([plain.code, plain.stdout], [code, ""], plain.stderr);
    assert.match(plain.stderr, new RegExp(`^${kind} `));
    const ran = await cli.json<Ran>(["run", "-", ...args], { stdin: source, code });
    assert.equal(ran.error?.kind, kind);
  });
}

test("vivarium run --record writes a recording that replays the same, in another runtime", async () => {
  const first = await cli.text(
    "run",
    "module.ts",
    "--target",
    "roll",
    "--seed",
    "7",
    "--record",
    "roll.json",
  );
  assert.equal(await cli.text("run", "module.ts", "--target", "roll", "--seed", "7"), first);
  const { format } = JSON.parse(readFileSync(folder.at("roll.json"), "utf8")) as { format: string };
  assert.equal(format, "vivarium.recording/1");
  folder.write({ "spec.jsonl": `${JSON.stringify({ id: "r", modules: { m: "export const a = 1;" } })}\n` });
  assert.equal((await cli.run(["batch", "spec.jsonl", "--create", "--data", "data"])).code, 0);
  const replayed = await cli.json<{ same: boolean; sameCode: boolean }>([
    "replay",
    "r",
    "roll.json",
    "--data",
    "data",
  ]);
  assert.deepEqual([replayed.same, replayed.sameCode], [true, false]);
  assert.match(
    await cli.text("replay", "r", "roll.json", "--data", "data"),
    /^same; the sandbox has other code now\n/,
  );
  const changed = readFileSync(folder.at("roll.json"), "utf8").replace('"revision": 1', '"revision": 2');
  folder.write({ "changed.json": changed });
  const refused = await cli.problem(2, "replay", "r", "changed.json", "--data", "data");
  assert.equal(refused.code, "INVALID_OPTIONS");
});

test("vivarium run ends with 130 at Ctrl-C, and runs nothing more", async () => {
  const { code, stdout } = await cli.run(["run", "-"], {
    stdin: 'console.log("begun"); while (true);',
    onStderr: (text) => (text.includes("begun") ? "SIGINT" : undefined),
  });
  assert.deepEqual([code, stdout], [130, ""]);
});

for (const [args, rule] of [
  [["run"], "Cannot run run as it takes FILE: got nothing"],
  [["run", "none.ts"], 'Cannot use file "none.ts" as it must be a file, or - for stdin: there is none'],
  [["run", "script.ts", "--args", "{}"], 'Cannot use --args as it must be a list as JSON: got "{}"'],
  [
    ["run", "script.ts", "--limit", "memory=5"],
    /^Cannot use --limit as it must be NAME=NUMBER with NAME one of .*: got "memory=5", did you mean memoryBytes\?$/,
  ],
  [["run", "script.ts", "--limit", "fuel=-5"], 'Cannot use --limit as it must be fuel=NUMBER: got "fuel=-5"'],
  [["run", "script.ts", "--profile", "lax"], /^Cannot use profile "lax"/],
  [["run", "script.ts", "--capability", "disk"], /disk/],
  [
    ["run", "script.ts", "--record", "x.json"],
    "Cannot use --record as it must come with --target and --seed: got it alone",
  ],
  [
    ["run", "script.ts", "--data", "a", "--url", "http://127.0.0.1:1"],
    "Cannot use --url as it must be without --data: got both",
  ],
  [["run", "script.ts", "--url", "ftp://x"], /^Cannot use url as it must be the address of a server/],
] as const) {
  test(`vivarium ${args.join(" ")} ends with 2 and the rule`, async () => {
    assertRefused(await cli.run(args), rule);
  });
}

test("vivarium run says with 1 and a problem document that a server cannot be reached", async () => {
  const problem = await cli.problem(1, "run", "script.ts", "--url", "http://127.0.0.1:1");
  assert.equal(problem.code, "CONNECTION_FAILED");
});
