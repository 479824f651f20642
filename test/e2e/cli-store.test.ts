// `vivarium store` and `vivarium runs` as users start them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { dataFolder } from "../support/data-folders.ts";
import { FilledFolder, idOf } from "../support/filled-folders.ts";
import { Folder } from "../support/folders.ts";
import { assertRefused, vivarium } from "./program.ts";

const filling = { sandboxes: 30, documents: 5, tombstones: 3 };

test("vivarium shows store and runs, and each its actions and options, for --help", async () => {
  assert.match((await vivarium()).stdout, /store[^]*runs/);
  assert.match(
    (await vivarium("store", "--help")).stdout,
    /check DIR[^]*repair DIR[^]*backup DIR TO[^]*Examples:/,
  );
  assert.match((await vivarium("runs", "--help")).stdout, /vivarium runs DIR \[--json\]/);
});

for (const [args, message] of [
  [["store"], 'Cannot run store as its action must be one of check, repair, compact, export, backup: got ""'],
  [["store", "burn", "x"], /action must be one of .*: got "burn"$/],
  [["store", "check"], "Cannot run store check as it takes DIR: got nothing"],
  [["store", "backup", "one"], 'Cannot run store backup as it takes DIR and TO: got "one"'],
  [["store", "check", "none"], 'Cannot read data folder "none" as it must exist: got nothing there'],
  [["store", "repair", "src"], /"src" as it must contain vivarium\.db: got a folder without it$/],
  [
    ["store", "check", "--depth", "3", "x"],
    /^Cannot use this option as it must be one of --json: got "--depth"$/,
  ],
  [["store", "compact", "x", "--tombstones", "-1"], /^Cannot use --tombstones as it must be 0–/],
  [["runs"], "Cannot show runs as there must be one DIR: got nothing"],
  [["runs", "package.json"], 'Cannot read data folder "package.json" as it must be a folder: got a file'],
] as const) {
  test(`vivarium ${args.join(" ")} ends with exit code 2 and the rule`, async () => {
    assertRefused(await vivarium(...args), message);
  });
}

test("vivarium store check says that a folder is whole, or what is wrong with it, and repair mends it", async () => {
  using folder = new FilledFolder(filling);
  const whole = await vivarium("store", "check", folder.path);
  assert.equal(whole.code, 0, whole.stderr);
  assert.match(whole.stdout, /^The data folder .* is whole\.\n\ntable +rows +bytes\n/);

  folder.sql("DELETE FROM versions WHERE sandbox = 8");
  const broken = await vivarium("store", "check", folder.path);
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /has 1 problem\.\n\n- Sandbox "s-00007" needs version 2/);
  assert.match(broken.stdout, /run: vivarium store repair /);
  const json = await vivarium("store", "check", folder.path, "--json");
  const { problems } = JSON.parse(json.stdout) as { problems: { kind: string; sandboxId: string }[] };
  assert.deepEqual([json.code, problems[0]?.kind, problems[0]?.sandboxId], [1, "lost-version", idOf(7)]);

  const mended = await vivarium("store", "repair", folder.path);
  assert.equal(mended.code, 1, "something was lost");
  assert.match(mended.stdout, /is whole again\.[^]*\(replaced\)[^]*failed, each with its reason: s-00007\./);
  assert.match(mended.stdout, /The damaged files are kept: .*vivarium\.db\.damaged-/);
  assert.equal((await vivarium("store", "check", folder.path)).code, 0);
  const again = await vivarium("store", "repair", folder.path);
  assert.deepEqual([again.code, /nothing was changed/.test(again.stdout)], [0, true]);
});

test("vivarium store repair and compact leave a folder alone that is open, and say who has it", async () => {
  using folder = new FilledFolder(filling);
  const data = dataFolder(folder.path, { owner: "evolve.ts" });
  await data.open();
  for (const action of ["repair", "compact"]) {
    const { code, stderr } = await vivarium("store", action, folder.path);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`may own it: "evolve.ts" \\(pid ${process.pid} on `));
  }
  await data.documents.write("a", new Map([["k", 1]]));
  await data.close();
});

test("vivarium store backup, export and check work beside a running owner, and runs shows it", async () => {
  using folder = new FilledFolder(filling);
  const data = dataFolder(folder.path, { owner: "evolve.ts" });
  await data.open();
  const best = { title: "packs bins", seed: 3, state: "running", generation: 12, best: 0.5, updatedAt: 0 };
  await data.documents.write(
    "runs",
    new Map<string, unknown>([
      ["main", best],
      ["\u001b[31mred", {}],
    ]),
  );

  const copied = await vivarium("store", "backup", folder.path, folder.at("copy"));
  assert.equal(copied.code, 0, copied.stderr);
  assert.match(copied.stdout, /is copied to .*copy: \d+\.\d [kM]B\./);
  assert.equal((await vivarium("store", "check", folder.at("copy"))).code, 0);
  const refused = await vivarium("store", "backup", folder.path, folder.at("copy"));
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /must be new or an empty folder/);

  const printed = await vivarium("store", "export", folder.path);
  assert.deepEqual([printed.code, printed.stderr], [0, "41 lines written.\n"]);
  assert.equal(printed.stdout.split("\n").length, 42);
  const file = folder.at("all.jsonl");
  assert.equal((await vivarium("store", "export", folder.path, "--output", file)).code, 0);
  assert.equal(readFileSync(file, "utf8"), printed.stdout);
  assert.equal((await vivarium("store", "export", folder.path, "--output", folder.at("no/x"))).code, 2);
  assert.equal((await vivarium("store", "check", folder.path)).code, 0);

  const { code, stdout } = await vivarium("runs", folder.path);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`It is open in "evolve.ts", process ${process.pid} on `));
  assert.match(stdout, /30 sandboxes \(30 running\), 3 tombstones, 7 documents\./);
  assert.match(stdout, /run +title +seed +state +generation +evaluations +best +updated\n/);
  assert.match(stdout, /main +packs bins +3 +running +12 +– +0\.5 +1970-01-01T00:00:00\.000Z/);
  assert.ok(!stdout.includes("\u001b"), "what a guest could have written is escaped");
  const all = JSON.parse((await vivarium("runs", folder.path, "--json")).stdout) as {
    runs: { name: string }[];
  };
  assert.deepEqual(
    all.runs.map(({ name }) => name),
    ["\u001b[31mred", "main"],
  );
  await data.close();
  assert.match((await vivarium("runs", folder.path)).stdout, /No process has it open\./);
});

test("vivarium store export leaves a file alone until the new one is complete, and the folder's own in any case", async () => {
  using folder = new FilledFolder(filling);
  const file = folder.at("all.jsonl");
  writeFileSync(file, "precious");
  assert.equal((await vivarium("store", "export", folder.at("none"), "--output", file)).code, 2);
  folder.overwrite(folder.pages("documents", "leaf")[0] as number);
  assert.equal((await vivarium("store", "export", folder.path, "--output", file)).code, 1);
  assert.equal(readFileSync(file, "utf8"), "precious");
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => name.startsWith("all.")),
    ["all.jsonl"],
  );

  const before = readFileSync(folder.database);
  const { code, stderr } = await vivarium("store", "export", folder.path, "--output", folder.database);
  assert.equal(code, 2);
  assert.match(stderr, /as it must be no file of the data folder itself: got its vivarium\.db\n/);
  assert.ok(before.equals(readFileSync(folder.database)));
});

test("vivarium store compact says how much smaller a folder became", async () => {
  using folder = new FilledFolder({ ...filling, sandboxes: 300, padding: " ".repeat(3_000) });
  folder.sql(
    "DELETE FROM versions WHERE sandbox > 10; DELETE FROM sandboxes WHERE number > 10; DELETE FROM states WHERE sandbox > 10",
  );
  const { code, stdout } = await vivarium("store", "compact", folder.path, "--tombstones", "1", "--json");
  assert.equal(code, 0);
  const { bytesBefore, bytesAfter } = JSON.parse(stdout) as { bytesBefore: number; bytesAfter: number };
  assert.ok(bytesAfter < bytesBefore / 2);
  assert.match((await vivarium("store", "compact", folder.path)).stdout, /has \d.* now; it had \d/);
  assert.equal((await vivarium("store", "check", folder.path)).code, 0);
});

test("vivarium store says that another program's database is no data folder", async () => {
  using folder = new Folder({ "vivarium.db": "" });
  const { code, stderr } = await vivarium("store", "check", folder.path);
  assert.equal(code, 2);
  assert.match(stderr, /its vivarium\.db must be one of Vivarium: got application id 0/);
});
