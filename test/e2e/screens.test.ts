// `vivarium top`, `doctor`, `bench` and `watch` as users start them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import { Pty } from "../support/pty.ts";
import { root, runNode, vivarium } from "./program.ts";

const main = `${root}dist/cli/main.js`;
const [enter, leave] = ["\u001b[?1049h", "\u001b[?1049l"];

async function filled(folder: Folder): Promise<string> {
  const data = folder.at("data");
  const { code, stderr } = await runNode([`${root}test/e2e/hostile-sandboxes.ts`, data]);
  assert.equal(code, 0, stderr);
  return data;
}

test("top shows sandboxes on the second screen, destroys one when it is asked twice, and gives the screen back", async () => {
  using folder = new Folder({});
  const data = await filled(folder);
  await using top = new Pty([process.execPath, main, "top", "--data", data, "--interval", "100"]);
  await top.until(/hostile +running/);
  top.type("\u001b[B");
  top.type("k");
  await top.until(/Destroy hostile\?/);
  top.type("n");
  await top.until(/q quit/);
  top.type("ky");
  await top.until(/Destroyed hostile/);
  top.type("?");
  await top.until(/Any key goes back/);
  top.type("q");
  assert.equal(await top.ended, 0);
  assert.equal(top.text.split(enter).length, 2);
  assert.ok(top.text.trimEnd().endsWith(leave));
});

test("top without a terminal is refused, and gives samples with --json", async () => {
  using folder = new Folder({});
  const data = await filled(folder);
  const refused = await vivarium("top", "--data", data);
  assert.deepEqual([refused.code, refused.stdout], [2, ""]);
  assert.match(
    refused.stderr,
    /^Cannot show the table as stdin and stdout must be a terminal, or --json be given/,
  );
  const one = await vivarium("top", "--data", data, "--json", "--interval", "100");
  const sample = JSON.parse(one.stdout) as { total: number; sandboxes: { id: string }[]; metrics: object };
  assert.deepEqual([sample.total, sample.sandboxes.map(({ id }) => id)], [2, ["hostile", "broken"]]);
  const three = await vivarium("top", "--data", data, "--json", "--interval", "100", "--samples", "3");
  assert.equal(
    three.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object).length,
    3,
  );
});

test("doctor says what this machine gives, line by line, and as JSON", async () => {
  using folder = new Folder({});
  const told = await vivarium("doctor", "--data", folder.at("new"));
  assert.match(told.stdout, /^ok +Node\.js +v\d+/m);
  assert.match(told.stdout, /^ok +Runtime +starts and runs a first script in /m);
  assert.match(told.stdout, /^(ok|warn|bad) +Layer permissions +(on|off): /m);
  assert.match(told.stdout, /^ok +Data folder +\S+ can be made/m);
  const { code, stdout } = await vivarium("doctor", "--json");
  const report = JSON.parse(stdout) as { verdict: string; checks: { verdict: string }[] };
  assert.equal(code, report.verdict === "bad" ? 1 : 0);
  assert.ok(report.checks.length > 10);
});

test("bench measures every operation in about the time that it is given", async () => {
  const { code, stdout, stderr } = await vivarium("bench", "--seconds", "1", "--json");
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const { rows } = JSON.parse(stdout) as {
    rows: { name: string; count: number; p50Ms: number; p99Ms: number }[];
  };
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["create", "call", "batch call", "reload", "evaluate"],
  );
  assert.ok(rows.every(({ count, p50Ms, p99Ms }) => count > 0 && p50Ms > 0 && p99Ms >= p50Ms));
});

interface Told {
  readonly type: string;
  readonly report?: { readonly status: string; readonly revision: number };
  readonly error?: { readonly code: string; readonly diagnostics: readonly object[] };
  readonly outcome?: { readonly value?: unknown };
}

test("watch reloads what changes, calls it again, keeps the old code where the new one is broken, and ends by Ctrl-C", async () => {
  using folder = new Folder({
    "lib/index.ts": 'import { n } from "./n"; export const f = (x: number) => n * x;',
    "lib/n.ts": "export const n = 2;",
  });
  const args = [main, "watch", folder.at("lib"), "--json", "--call", "index.f", "--args", "[10]"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const steps: Readonly<Record<number, () => void>> = {
    2: () => folder.write({ "lib/n.ts": "export const n = 3;" }),
    4: () => folder.write({ "lib/n.ts": "export const n = ;" }),
    5: () => folder.write({ "lib/n.ts": "export const n = 4;" }),
    7: () => void child.kill("SIGINT"),
  };
  const told: Told[] = [];
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    const lines = (text + part).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      told.push(JSON.parse(line) as Told);
      steps[told.length]?.();
    }
  });
  assert.deepEqual(await once(child, "close"), [130, null]);
  assert.deepEqual(
    told.map(({ type }) => type),
    ["created", "outcome", "reload", "outcome", "failed", "reload", "outcome"],
  );
  assert.deepEqual(
    told.flatMap(({ outcome }) => outcome?.value ?? []),
    [20, 30, 40],
  );
  const failed = told[4]?.error;
  assert.deepEqual([failed?.code, failed?.diagnostics.length], ["PARSE_FAILED", 1]);
});

test("watch waits for the first code that can be run", async () => {
  using folder = new Folder({ "a.ts": "export const f = ;" });
  const child = spawn(process.execPath, [main, "watch", folder.at("a.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  let isMended = false;
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    if (/created /.test(text)) child.kill("SIGINT");
    else if (/\^/.test(text) && !isMended) {
      isMended = true;
      folder.write({ "a.ts": "export const f = () => 1;" });
    }
  });
  assert.deepEqual(await once(child, "close"), [130, null]);
  assert.match(text, /PARSE_FAILED [^]*> 1 \| export const f = ;[^]*created \S+: a/);
});

test("watch of a path that there is not, or wrong arguments, is a mistake", async () => {
  for (const args of [
    ["/nowhere"],
    ["README.md", "--args", "[1]"],
    ["README.md", "--call", "x"],
    ["README.md", "--call", "a.b", "--args", "{}"],
  ]) {
    const { code, stdout, stderr } = await vivarium("watch", ...args);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, /^Cannot /);
  }
});
