// The demo with its page: served while it runs, left there when it is done, and gone at Ctrl-C.
import assert from "node:assert/strict";
import { chmodSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { connect } from "vivarium/client";
import { Folder } from "../support/folders.ts";
import { Pty } from "../support/pty.ts";
import { root, runNode } from "./program.ts";

const folder = new Folder();
after(() => folder[Symbol.dispose]());
const demo = [`${root}dist/cli/main.js`, "demo", "--problem", "nguyen-2", "--population", "40"] as const;
const short = ["--evaluations", "120"] as const;
const linkForm = /(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w%.~-]+)/;

/** Stands for a browser: writes the address that it is given into a file. */
function browser(): string {
  folder.write({ browser: `#!/bin/sh\nprintf %s "$1" > '${folder.at("opened")}'\n` });
  chmodSync(folder.at("browser"), 0o755);
  return folder.at("browser");
}

test("in a terminal the demo opens its page, which stays when the run is done, until Ctrl-C", async () => {
  await using pty = new Pty([process.execPath, ...demo, ...short, "--open"], {
    columns: 100,
    env: { BROWSER: browser() },
  });
  const text = await pty.until(/stays until Ctrl-C: http\S+\s/);
  const [link = "", url = "", token = ""] = linkForm.exec(text) ?? [];
  assert.equal(readFileSync(folder.at("opened"), "utf8"), link);
  assert.match(await (await fetch(`${url}/`)).text(), /vivarium-source" content="live"/);
  const runtime = await connect(url, { token: decodeURIComponent(token) });
  const [run] = await runtime.runs();
  assert.deepEqual(
    [run?.name, run?.state, run?.direction, run?.evaluationsMax],
    ["demo", "done", "minimise", 120],
  );
  const { individuals, direction } = await runtime.individuals({ limit: 10_000 });
  assert.equal(direction, "minimise");
  const islands = new Set(individuals.map(({ population }) => population));
  for (const island of [1, 2, 3, 4]) assert.ok(islands.has(`island ${island}`), [...islands].join());
  const scored = individuals.filter(({ score }) => score !== null);
  assert.ok(scored.length > 60);
  const report = await runtime.individual(scored.at(-1)?.id ?? "");
  assert.match(report.sources?.["candidate"] ?? "", /export function/);
  await runtime.close();
  pty.type("\u0003");
  assert.equal(await pty.ended, 130);
  await assert.rejects(fetch(`${url}/`));
});

test("without a terminal the page stays as well, and where there is no browser its address is said", async () => {
  const { code, stdout, stderr } = await runNode([...demo, ...short, "--open"], {
    env: { ...process.env, BROWSER: "/nonexistent/browser", PATH: "/nonexistent" },
    onStderr: (text) => (text.includes("stays until Ctrl-C") ? "SIGINT" : undefined),
  });
  assert.equal(code, 130);
  assert.match(stdout, /^Best program/);
  assert.match(stderr, /Dashboard:\nhttp\S+\nNo browser was found here: open that address\.\n/);
});

test("with --json the demo ends when it is done, also with its page", async () => {
  const { code, stdout } = await runNode([...demo, ...short, "--open", "--json"], {
    env: { ...process.env, BROWSER: browser() },
  });
  assert.equal(code, 0);
  assert.equal((JSON.parse(stdout) as { problem: string }).problem, "nguyen-2");
});

test("without --open the demo says at its beginning and in its summary how to see it in the browser", async () => {
  const env = { ...process.env, npm_lifecycle_event: "start" };
  const { code, stdout, stderr } = await runNode([...demo, ...short], { env });
  assert.equal(code, 0);
  const hint = "To see it in the browser: npm start -- --open";
  assert.ok(stderr.split("\n").slice(0, 3).includes(hint), stderr);
  assert.ok(stdout.split("\n").includes(hint), stdout);
});

test("a run with a data folder can be replayed with its islands, its lineage and its code", async () => {
  const data = folder.at("data");
  assert.equal((await runNode([...demo, ...short, "--data", data])).code, 0);
  const out = folder.at("dump.json");
  const { code, stderr } = await runNode([`${root}dist/cli/main.js`, "replay", data, "--dump", out]);
  assert.equal(code, 0, stderr);
  const dump = JSON.parse(readFileSync(out, "utf8")) as {
    readonly direction: string;
    readonly individuals: readonly {
      readonly id: string;
      readonly score: number | null;
      readonly population: string | null;
      readonly parentIds: readonly string[];
      readonly sources: object | null;
    }[];
  };
  assert.equal(dump.direction, "minimise");
  const children = dump.individuals.filter(({ parentIds }) => parentIds.length > 0);
  assert.ok(children.length > 0);
  for (const { id, sources } of dump.individuals) assert.ok(sources !== null, id);
  assert.ok(dump.individuals.some(({ population }) => population === "island 4"));
});
