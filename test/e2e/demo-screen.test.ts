// The demo in front of a user: on a terminal, interrupted at any moment, and with no terminal at all.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { test } from "node:test";
import { root, runNode, runProgram } from "./program.ts";

const demo = ["dist/cli/main.js", "demo", "--population", "40"] as const;
const [enter, leave] = ["\u001b[?1049h", "\u001b[?1049l"];

/** Runs the demo in a terminal of its own, by the `script` that every Linux has. */
async function inTerminal(
  size: { readonly columns: number; readonly rows: number },
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { columns, rows } = size;
  const command = `stty cols ${columns} rows ${rows}; exec ${process.execPath} ${demo.join(" ")} --evaluations 60`;
  const { code, stdout } = await runProgram("script", ["-qec", command, "/dev/null"], {
    env: { ...process.env, TERM: "xterm", ...env },
  });
  assert.equal(code, 0, stdout);
  return stdout;
}

for (const columns of [80, 200]) {
  test(`on a terminal of ${columns} columns the demo draws on the second screen, within it, and gives it back`, async () => {
    const rows = 24;
    const written = await inTerminal({ columns, rows });
    const parts = written.split(enter);
    assert.equal(parts.length, 2, "the second screen is entered once");
    const [pictures = "", after = "", ...more] = (parts[1] ?? "").split(leave);
    assert.equal(more.length, 0, "and left once");
    const frames = pictures.split("\u001b[H").slice(1);
    assert.ok(frames.length > 1);
    for (const frame of frames) {
      const lines = frame.split(/\r*\n/).map((line) => stripVTControlCharacters(line));
      assert.ok(lines.length <= rows, `${lines.length} lines`);
      for (const line of lines) assert.ok(line.length <= columns, line);
    }
    assert.match(stripVTControlCharacters(frames.at(-1) ?? ""), /Evaluations \d+ = \d+ scored/);
    const summary = stripVTControlCharacters(after);
    assert.match(summary, /^Best program[^]*give the same program\.\s*$/);
    for (const line of summary.split(/\r*\n/)) assert.ok(line.length <= columns, line);
  });
}

test("with NO_COLOR the demo has no colours on a terminal", async () => {
  const written = await inTerminal({ columns: 80, rows: 24 }, { NO_COLOR: "1", FORCE_COLOR: undefined });
  assert.ok(written.includes(enter));
  // oxlint-disable-next-line no-control-regex -- it is what colours are made of
  assert.doesNotMatch(written, /\u001b\[\d+(;\d+)*m/);
});

test("on a terminal that cannot move its cursor the demo writes plain lines", async () => {
  const written = await inTerminal({ columns: 80, rows: 24 }, { TERM: "dumb" });
  assert.ok(!written.includes(enter));
  assert.match(written, /^generation 0 {2}best/m);
});

test("the demo ends with its summary and exit code 130 when it is interrupted", async () => {
  const { code, stdout } = await runNode([...demo, "--minutes", "30"], {
    onStderr: (text) => (text.includes("generation 0") ? "SIGINT" : undefined),
  });
  assert.equal(code, 130);
  assert.match(stdout, /Best program[^]*The budget was time[^]*Ended by Ctrl-C/);
});

test("the demo that is interrupted in its first generation has the best so far", async () => {
  const { code, stdout } = await runNode([...demo, "--population", "4000"], {
    onStderr: (text) => (text.includes("first score") ? "SIGINT" : undefined),
  });
  assert.equal(code, 130);
  assert.match(stdout, /^Best program[^]*Chosen +as the best on the training set[^]*Ended by Ctrl-C\.\n$/);
  assert.doesNotMatch(stdout, /the same program/);
});

test("the demo that is interrupted at once ends with exit code 130 and says what it has", async () => {
  const { code, stdout } = await runNode(demo, { onStderr: () => "SIGINT" });
  assert.equal(code, 130);
  assert.match(stdout, /^(No program has a score yet\.|Best program)[^]*Ended by Ctrl-C\.\n$/);
});

test("a second Ctrl-C ends the demo at once", async () => {
  const { promise, resolve } = Promise.withResolvers<number | NodeJS.Signals | null>();
  const child = spawn(process.execPath, [...demo, "--minutes", "30"], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  let sent = 0;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (sent === 0 && stderr.includes("A score is")) sent = child.kill("SIGINT") ? 1 : 0;
    if (sent === 1 && stderr.includes("Ctrl-C again ends at once")) sent = child.kill("SIGINT") ? 2 : 1;
  });
  child.once("close", (code, signal) => resolve(code ?? signal));
  assert.equal(await promise, 130);
  assert.equal(sent, 2);
});
