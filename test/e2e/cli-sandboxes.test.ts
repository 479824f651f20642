// The commands about living sandboxes, against a server that they find by themselves.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { SandboxInfo } from "../../src/index.ts";
import { Folder } from "../support/folders.ts";
import { connect } from "../../src/client/index.ts";
import { Cli, assertShape, linesOf } from "./cli-program.ts";
import { assertRefused } from "./program.ts";
import { startServing, type Serving } from "./serving.ts";

const folder = new Folder();
const cli = new Cli(folder);
let serving: Serving;

before(async () => {
  serving = await startServing({ env: cli.env });
  const runtime = await connect(serving.url, { token: serving.token });
  const hostile = "\u001b[2Jmodule";
  await runtime.create("seed", {
    modules: { main: 'export const f = (n) => { console.log("hi \\u001b[31m" + n); return n * 2; };' },
    labels: { island: "3", note: hostile },
  });
  const child = await runtime.fork("seed", {
    id: "child",
    modules: { main: "export const f = (n) => n * 3;" },
    mutation: { by: hostile },
  });
  await child.hotReload({ main: "export const f = (n) => n * 4;" }, { mutation: { step: 2 } });
  const seed = await runtime.get("seed");
  await seed.call("main.f", { args: [21] });
  await runtime.close();
});
after(async () => {
  await serving[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test("vivarium ps lists the living sandboxes of the server that it found, all or some", async () => {
  const table = await cli.text("ps");
  assert.match(table, /^ID +STATUS +AGE +RUNS .*\nseed +running .*\nchild +running .* 2 +1 /);
  const { sandboxes } = await cli.json<{ sandboxes: readonly SandboxInfo[] }>(["ps"]);
  assert.deepEqual(
    sandboxes.map(({ id }) => id),
    ["seed", "child"],
  );
  // A child has the labels of its parent.
  const labelled = await cli.json<{ sandboxes: unknown[] }>([
    "ps",
    "--label",
    "island=3",
    "--status",
    "running",
  ]);
  const others = await cli.json<{ sandboxes: unknown[] }>(["ps", "--label", "island=4"]);
  assert.deepEqual([labelled.sandboxes.length, others.sandboxes.length], [2, 0]);
  const none = await cli.run(["ps", "--status", "failed"]);
  assert.deepEqual([none.code, none.stdout, none.stderr], [0, "", `No sandboxes in ${serving.url}.\n`]);
  const cut = await cli.run(["ps", "--limit", "1"]);
  assert.equal(cut.stderr, "There are more than 1: give --limit.\n");
});

test("vivarium inspect shows all of a sandbox, and nothing that a terminal obeys", async () => {
  const text = await cli.text("inspect", "seed");
  assert.match(text, /^seed {2}running\n/);
  assert.match(text, /\nusage +1 run, /);
  assert.match(text, /\nlabels +island=3, note=\\u001b\[2Jmodule\n/);
  assert.ok(!text.includes("\u001b"));
  const info = await cli.json<SandboxInfo>(["inspect", "child"]);
  assert.deepEqual([info.revision, info.ancestry.parentIds], [2, ["seed"]]);
});

test("vivarium logs prints what was written, as text or as one document", async () => {
  assert.equal(await cli.text("logs", "seed"), "hi \\u001b[31m21\n");
  const { logs } = await cli.json<{ logs: { text: string }[] }>(["logs", "seed"]);
  assert.equal(logs[0]?.text, "hi \u001b[31m21");
});

test("vivarium logs --follow goes on with new lines until Ctrl-C, or until the sandbox is gone", async () => {
  const runtime = await connect(serving.url, { token: serving.token });
  await using sandbox = await runtime.create("talker", {
    modules: {
      main: 'export const f = (n) => { console.log("line " + n); if (n === 2) console.error("last"); };',
    },
  });
  await sandbox.call("main.f", { args: [1] });
  const followed = cli.run(["logs", "talker", "--follow", "--json"]);
  await sandbox.call("main.f", { args: [2] });
  // Whatever it has seen by then, it looks once more after the end.
  await runtime.destroy("talker");
  const { code, stdout } = await followed;
  // The process may have come to it only after its end: then what is kept of it is told.
  assert.ok(code === 0 || code === 1);
  for (const line of linesOf(stdout)) assertShape(code === 0 ? ["logs"] : [], line, "lines");
  await runtime.close();
});

test("vivarium versions, diff and rollback show what was changed and go back", async () => {
  assert.match(
    await cli.text("versions", "child"),
    /^MODULE +VERSION .*\nmain +1 .*\nmain +2 +current .*\{"step":2\}\n$/,
  );
  const { versions } = await cli.json<{ versions: { version: number; module: string }[] }>([
    "versions",
    "child",
    "main",
  ]);
  assert.deepEqual(
    versions.map(({ version, module }) => [version, module]),
    [
      [1, "main"],
      [2, "main"],
    ],
  );
  assert.match(await cli.text("diff", "child", "main", "1", "2"), /\n-.*n \* 3;\n[^]*\n\+.*n \* 4;\n/);
  const { diff } = await cli.json<{ diff: string }>(["diff", "child", "main", "1", "2"]);
  assert.match(diff, /n \* 4/);
  assert.equal(
    await cli.text("rollback", "child", "main", "1"),
    "child is at revision 3 now: main version 1.\n",
  );
  const { status, revision } = await cli.json<{ status: string; revision: number }>([
    "rollback",
    "child",
    "--revision",
    "2",
  ]);
  assert.deepEqual([status, revision], ["reloaded", 4]);
  assert.match(await cli.text("rollback", "child", "main", "2"), /nothing was changed/);
  assert.equal((await cli.problem(1, "rollback", "child", "main", "9")).code, "VERSION_NOT_FOUND");
});

test("vivarium lineage shows the way to the seed, with differences where they are wanted", async () => {
  const text = await cli.text("lineage", "child", "--diff");
  assert.match(text, /^child {2}generation 1 {2}\{"step":2\}\n/);
  assert.match(text, /\n└─ seed {2}generation 0\n/);
  assert.match(text, /n \* 2/);
  const { path, ancestors } = await cli.json<{ path: { id: string }[]; ancestors: string[] }>([
    "lineage",
    "child",
  ]);
  assert.deepEqual([path.map(({ id }) => id), ancestors], [["child", "seed"], ["seed"]]);
});

test("vivarium export and import carry a sandbox from one place to another", async () => {
  assert.equal(await cli.text("export", "seed", "--output", "seed.json"), "");
  const printed = await cli.json<{ checksum: string }>(["export", "seed"]);
  const written = JSON.parse(readFileSync(folder.at("seed.json"), "utf8")) as typeof printed;
  assert.equal(typeof written.checksum, "string");
  const info = await cli.json<SandboxInfo>(["import", "seed.json", "--id", "copy"]);
  assert.deepEqual([info.id, info.status], ["copy", "running"]);
  assert.match(
    await cli.text("import", "seed.json", "--id", "elsewhere", "--data", "other"),
    /^elsewhere is running/,
  );
  assert.match(await cli.text("ps", "--data", "other"), /\nelsewhere +running/);
  folder.write({ "forged.json": { ...written, limits: { memoryBytes: 2 ** 30 } } });
  assert.equal((await cli.problem(2, "import", "forged.json")).code, "INVALID_INDIVIDUAL");
  assert.equal((await cli.problem(1, "import", "seed.json", "--id", "seed")).code, "SANDBOX_EXISTS");
});

test("vivarium restart, gc and kill change what lives", async () => {
  const restarted = await cli.json<SandboxInfo>(["restart", "copy"]);
  assert.equal(restarted.restarts, 1);
  assert.match(await cli.text("restart", "copy"), /^copy is running at revision /);
  assert.match(await cli.text("gc"), /expired sandboxes, .* tombstones? (?:is|are) kept\. It took/);
  await cli.json(["gc"]);
  assert.equal(await cli.text("kill", "copy"), "copy is gone.\n");
  assert.equal((await cli.problem(1, "kill", "copy")).code, "SANDBOX_NOT_FOUND");
  const runtime = await connect(serving.url, { token: serving.token });
  await runtime.create("brief", { modules: { main: "export const a = 1;" } });
  await runtime.close();
  const { sandboxes } = await cli.json<{ sandboxes: readonly SandboxInfo[] }>(["kill", "brief"]);
  assert.deepEqual([sandboxes[0]?.id, sandboxes[0]?.status], ["brief", "stopped"]);
});

for (const args of [
  ["inspect", "nobody"],
  ["logs", "nobody"],
  ["logs", "nobody", "--follow"],
  ["kill", "nobody"],
  ["restart", "nobody"],
  ["versions", "nobody"],
  ["diff", "nobody", "main", "1", "2"],
  ["rollback", "nobody", "main", "1"],
  ["lineage", "nobody"],
  ["export", "nobody"],
]) {
  test(`vivarium ${args.join(" ")} ends with 1 as there is no such sandbox`, async () => {
    assert.equal((await cli.problem(1, ...args)).code, "SANDBOX_NOT_FOUND");
  });
}

for (const [args, rule] of [
  [
    ["ps", "--status", "alive"],
    /^Cannot use --status as it must be one of creating, running, .*: got "alive"$/,
  ],
  [["ps", "--label", "x"], 'Cannot use --label as it must be NAME=VALUE: got "x"'],
  [["ps", "all"], 'Cannot use this argument as only options are taken: got "all"'],
  [["inspect"], "Cannot run inspect as it takes ID: got nothing"],
  [["diff", "a", "main", "one", "2"], 'Cannot use A as it must be a whole number from 1 on: got "one"'],
  [
    ["rollback", "a"],
    "Cannot roll back as there must be either MODULE and VERSION, or --revision: got neither",
  ],
  [
    ["rollback", "a", "main", "--revision", "2"],
    'Cannot roll back as there must be either MODULE and VERSION, or --revision: got "main" and --revision',
  ],
  [["import", "none.json"], /^Cannot use individual "none.json" as it must be a file, or - for stdin/],
  [["gc", "--data", "x", "--url", "y"], "Cannot use --url as it must be without --data: got both"],
] as const) {
  test(`vivarium ${args.join(" ")} ends with 2 and the rule`, async () => {
    assertRefused(await cli.run(args), rule);
  });
}

test("a command that needs living sandboxes says in one sentence how to get some where there is no server", async () => {
  const env = { ...cli.env, XDG_RUNTIME_DIR: folder.at("nothing") };
  for (const args of [
    ["ps"],
    ["inspect", "a"],
    ["kill", "a"],
    ["gc"],
    ["import", "seed.json"],
    ["top", "--json"],
  ]) {
    const { code, stderr } = await cli.run(args, { env });
    assert.deepEqual(
      [code, stderr],
      [
        2,
        `Cannot run ${args[0]} as there must be a place with sandboxes, and no server of yours runs here: ` +
          "give --data DIR or --url URL, or start one with vivarium serve\n",
      ],
    );
  }
});
