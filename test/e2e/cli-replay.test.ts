// `vivarium replay` of evolutions, as users start it: journals, data folders, servers, and what it writes.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createRuntime, type Runtime } from "vivarium";
import { openTracker } from "vivarium/evolution";
import { connect } from "vivarium/client";
import type { EvolutionDump } from "../../src/contract/evolution-bodies.ts";
import { FilledFolder } from "../support/filled-folders.ts";
import { Folder } from "../support/folders.ts";
import { assertRefused, root, runNode, vivarium, type Ended } from "./program.ts";
import { startServing } from "./serving.ts";

const folder = new Folder();
after(() => folder[Symbol.dispose]());

const main = "export const f = () => 1;";
const fitness = { tests: [{ name: "t", call: "main.f", expected: 1 }] } as const;

/** Two generations, of which the first is gone. */
async function evolve(runtime: Runtime): Promise<void> {
  await runtime.create("seed", { modules: { main } });
  await runtime.fork("seed", { id: "child", modules: { main: `${main} // child` }, mutation: "a note" });
  for await (const _ of runtime.batch.evaluate(["seed", "child"], fitness));
  await runtime.destroy("seed");
}

async function dumpOf(...args: readonly string[]): Promise<EvolutionDump> {
  const out = folder.at("out.json");
  const { code, stderr } = await vivarium("replay", ...args, "--dump", out);
  assert.equal(code, 0, stderr);
  return JSON.parse(readFileSync(out, "utf8")) as EvolutionDump;
}

const journal = [
  {
    name: "lineage.born",
    at: 1,
    event: { sandboxId: "a", parentIds: [], generation: 0, mutation: null, checksum: "c", createdAt: 1 },
  },
  {
    name: "fitness.computed",
    at: 2,
    event: {
      sandboxId: "a",
      score: 4,
      result: "ok",
      components: {},
      population: "default",
      revision: 1,
      generation: 0,
      createdAt: 1,
      evaluatedAt: 2,
      durationMs: 1,
      message: null,
    },
  },
];

before(async () => {
  folder.write({
    "journal.jsonl": `${journal.map((entry) => JSON.stringify(entry)).join("\n")}\nbroken\n`,
    "notes.txt": "hello\n",
  });
  await using tracked = await createRuntime({ data: folder.at("tracked") });
  await using _ = await openTracker(tracked, { direction: "maximise" });
  await evolve(tracked);
  await tracked.documents.write(
    "runs",
    new Map([["r", { title: "a run", direction: "minimise", updatedAt: 1 }]]),
  );
  await using untracked = await createRuntime({ data: folder.at("untracked") });
  await evolve(untracked);
});

const factsOf = ({ individuals, texts }: EvolutionDump): readonly unknown[] =>
  individuals.map(({ id, state, score, parentIds, sources }) => [
    id,
    state,
    score,
    parentIds,
    sources === null ? null : texts[sources["main"] ?? -1],
  ]);

const lived = [
  ["seed", "dead", 1, [], main],
  ["child", "living", 1, ["seed"], `${main} // child`],
];

describe("vivarium replay", () => {
  test("tells all that a tracker left in a data folder, by the direction of its run", async () => {
    const dump = await dumpOf(folder.at("tracked"));
    assert.deepEqual(factsOf(dump), lived);
    assert.equal(dump.direction, "minimise");
    assert.deepEqual(
      dump.runs.map(({ name, title }) => [name, title]),
      [["r", "a run"]],
    );
    assert.equal(dump.origin, "data folder tracked");
    assert.ok(dump.events.some(({ name }) => name === "fitness.computed"));
  });

  test("tells of a data folder that no tracker followed what its journal and its sandboxes say", async () => {
    const [seed, child] = lived;
    assert.deepEqual(factsOf(await dumpOf("--data", folder.at("untracked"))), [
      [...(seed ?? []).slice(0, 4), null],
      child,
    ]);
  });

  test("reads a data folder that a runtime has open, and leaves it as it is", async () => {
    await using runtime = await createRuntime({ data: folder.at("open") });
    await evolve(runtime);
    assert.deepEqual(
      factsOf(await dumpOf(folder.at("open"))).map((facts) => (facts as unknown[]).slice(0, 2)),
      [
        ["seed", "dead"],
        ["child", "living"],
      ],
    );
    await runtime.create("later", { modules: { main } });
    assert.equal((await dumpOf(folder.at("open"), "--direction", "minimise")).direction, "minimise");
  });

  test("tells a server's evolution as it is, with its code", async () => {
    await using serving = await startServing();
    const runtime = await connect(serving.url, { token: serving.token });
    await evolve(runtime);
    await runtime.close();
    const dump = await dumpOf("--url", serving.url, "--token", serving.token);
    assert.deepEqual(factsOf(dump), lived);
    const refused = await vivarium("replay", "--url", serving.url, "--token", "wrong".repeat(5));
    assert.equal(refused.code, 5, refused.stderr);
  });

  test("shows a page for whoever has its link, until it is asked to end", async () => {
    const asked: Promise<unknown>[] = [];
    const answers: (readonly [number, string])[] = [];
    let url = "";
    let child: number | undefined;
    const ended = runNode(["dist/cli/main.js", "replay", folder.at("journal.jsonl"), "--json"], {
      onStdout: (text) => {
        if (!text.trimEnd().endsWith("}") || url !== "") return undefined;
        const told = JSON.parse(text) as { url: string; token: string; dashboard: string };
        url = told.url;
        assert.equal(told.dashboard, `${url}/#token=${told.token}`);
        asked.push(ask(told));
        return undefined;
      },
      onStart: (pid) => (child = pid),
    });
    const ask = async ({ url, token }: { readonly url: string; readonly token: string }): Promise<void> => {
      const get = async (path: string, headers = {}): Promise<void> => {
        const response = await fetch(`${url}${path}`, { headers });
        answers.push([response.status, await response.text()]);
      };
      try {
        await get("/");
        await get("/dump.json");
        await get("/dump.json", { authorization: `Bearer ${token}` });
        await get("/v1/sandboxes", { authorization: `Bearer ${token}` });
      } finally {
        process.kill(child ?? 0, "SIGTERM");
      }
    };
    const { code, stdout } = await ended;
    await Promise.all(asked);
    assert.equal(code, 0);
    const [page, refused, dump, nothing] = answers;
    assert.equal(page?.[0], 200);
    assert.match(page?.[1] ?? "", /vivarium-source" content="dump"/);
    assert.deepEqual([refused?.[0], dump?.[0], nothing?.[0]], [401, 200, 404]);
    assert.equal((JSON.parse(dump?.[1] ?? "") as EvolutionDump).individuals.length, 1);
    const told = JSON.parse(stdout) as { damaged: number; individuals: number; events: number };
    assert.deepEqual([told.individuals, told.events, told.damaged], [1, 2, 1]);
  });

  test("says where the page is and what was read, and ends with 130 at Ctrl-C", async () => {
    const { code, stdout, stderr } = await runNode(
      ["dist/cli/main.js", "replay", folder.at("journal.jsonl")],
      {
        onStderr: (text) => (text.includes("until Ctrl-C") ? "SIGINT" : undefined),
      },
    );
    assert.equal(code, 130);
    assert.match(stdout, /^Dashboard: http:\/\/127\.0\.0\.1:\d+\/#token=[\w%.~-]+\n$/);
    assert.match(
      stderr,
      /^From journal journal\.jsonl: 1 individual, 2 events, the code of 1 not known, 1 piece damaged and left out\.\n/,
    );
  });

  test("--html writes one file that has everything in it, in place of the one that was there", async () => {
    folder.write({ "run.html": "before" });
    const { code, stdout, stderr } = await vivarium(
      "replay",
      folder.at("tracked"),
      "--html",
      folder.at("run.html"),
    );
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `Written: ${folder.at("run.html")}\n`);
    assert.match(stderr, /It has the code of the programs in it/);
    const page = readFileSync(folder.at("run.html"), "utf8");
    assert.match(page, /^<!doctype html>/);
    assert.doesNotMatch(page, /<script[^>]* src=|<link[^>]*stylesheet/);
    assert.match(page, /content="inline"/);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.includes(".part")),
      [],
    );
  });
});

for (const [args, rule] of [
  [[], "Cannot replay as there must be FILE, DIR, or --url, or ID and RECORDING: got nothing"],
  [["none"], 'Cannot replay "none" as it must be a file or a folder: got nothing there'],
  [["src"], /^Cannot read data folder "src" as it must contain vivarium\.db: got a folder without it$/],
  [["/dev/null"], 'Cannot replay "/dev/null" as it must be a file or a folder: got something else'],
  [
    ["package.json", "--url", "http://127.0.0.1:1"],
    'Cannot use --url as it must be alone, or with ID and RECORDING: got "package.json"',
  ],
  [["--data", "x", "--url", "http://127.0.0.1:1"], /: got --data and --url$/],
  [
    ["package.json", "--direction", "up"],
    /^Cannot use --direction as it must be one of maximise, minimise: got "up"/,
  ],
  [
    ["package.json", "--dump", "package.json"],
    'Cannot write to "package.json" as it must be another file than the one that is read: got the same',
  ],
  [
    ["tsconfig.json", "--html", "dist/new/out", "--dump", "./dist/new/out"],
    'Cannot write to "./dist/new/out" as --html and --dump must name two files: got the same',
  ],
] as const)
  test(`vivarium replay ${args.join(" ")} ends with exit code 2 and the rule`, async () => {
    assertRefused(await vivarium("replay", ...args), rule);
  });

test("vivarium replay refuses a file that is no journal, and writes nothing over a data folder", async () => {
  assertRefused(
    await vivarium("replay", folder.at("notes.txt")),
    /as it must be a journal, .*: got 1 of something else, and no event$/,
  );
  const own = folder.at("tracked/vivarium.db");
  assertRefused(
    await vivarium("replay", folder.at("tracked"), "--html", own),
    /as it must be no file of the data folder itself: got its vivarium\.db$/,
  );
});

test("vivarium replay of a folder of a later version says so, and fails", async () => {
  using later = new FilledFolder({ sandboxes: 1 });
  later.sql("PRAGMA user_version = 99");
  const ended: Ended = await vivarium("replay", later.path);
  assert.deepEqual([ended.code, ended.stdout], [1, ""]);
  assert.match(ended.stderr, /this version of Vivarium reads tables up to version \d+: got version 99/);
});

for (const [how, from, reason] of [
  ["in the middle", 8_192, "database disk image is malformed"],
  ["from its beginning", 0, "file is not a database"],
] as const)
  test(`vivarium replay of a database that is damaged ${how} says what saves it, and fails`, async () => {
    using damaged = new FilledFolder({ sandboxes: 50 });
    const database = join(damaged.path, "vivarium.db");
    writeFileSync(database, readFileSync(database).fill(0xa5, from));
    const { code, stdout, stderr } = await vivarium("replay", damaged.path);
    assert.deepEqual([code, stdout], [1, ""]);
    const rule = "as its database must be whole: vivarium store repair saves what can be saved";
    assert.ok(stderr.includes(`${rule}: ${reason}`), stderr);
  });

test("vivarium replay finds its page from any folder", async () => {
  const { code, stderr } = await runNode(
    [`${root}dist/cli/main.js`, "replay", "journal.jsonl", "--html", "j.html"],
    {
      cwd: folder.path,
    },
  );
  assert.equal(code, 0, stderr);
});
