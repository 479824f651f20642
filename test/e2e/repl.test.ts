// `vivarium repl` as users have it: on a terminal, and at the end of a pipe.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import { Pty } from "../support/pty.ts";
import { root, runNode, type Ended } from "./program.ts";

const main = `${root}dist/cli/main.js`;

function piped(stdin: string, args: readonly string[] = []): Promise<Ended> {
  return runNode([main, "repl", ...args], { stdin });
}

test("statements from a pipe keep what they declare, go on over lines, and print their values", async () => {
  const lines = [
    "const f = (n) => {",
    "  return n * 2;",
    "}",
    "f(21)",
    "{ a: 1,",
    "  b: [f(1)] }",
    "`two",
    "lines`",
    "console.log('out'); console.error('err')",
    "undefined",
    ".5 + 1",
  ];
  const { code, stdout, stderr } = await piped(lines.join("\n"));
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "42\n{ a: 1, b: [2] }\ntwo\nlines\nout\n1.5\n" });
  assert.equal(stderr, "error err\n");
});

for (const [what, statement, exit] of [
  ["a thrown error", "throw new Error('no')", 3],
  ["a limit", "for (;;);", 4],
  ["no program", "const a = ;", 3],
  ["a statement that never ends", "if (true) {", 3],
  ["a command that there is not", ".lod x", 2],
] as const)
  test(`the exit code of a console without a terminal is that of the last failure: ${what}`, async () => {
    const { code, stdout } = await piped(`1 + 1\n${statement}`, ["--timeout-ms", "200"]);
    assert.deepEqual({ code, stdout }, { code: exit, stdout: "2\n" });
  });

interface Answer {
  readonly ok: boolean;
  readonly script: string;
  readonly encoded?: string;
  readonly output: readonly { readonly text: string }[];
  readonly error?: { readonly kind: string };
}

test("with --json each statement is a line, as the HTTP API answers scripts", async () => {
  const { code, stdout } = await piped("console.log('\\u001b[2J'); new Map([[1, NaN]])\nthrow 1\n", [
    "--json",
  ]);
  assert.equal(code, 3);
  const [first, second] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Answer);
  assert.equal(first?.ok, true);
  assert.equal(first?.script, "script-1");
  assert.equal(typeof first?.encoded, "string");
  assert.deepEqual(
    first?.output.map(({ text }) => text),
    ["\u001b[2J"],
  );
  assert.equal(second?.error?.kind, "crashed");
});

test("modules are loaded from files, reloaded, listed and rolled back", async () => {
  using folder = new Folder({
    "lib/index.ts": 'import { h } from "./b"; export const f = (n: number) => h(n);',
    "lib/b.ts": "export const h = (n) => n + 1;",
  });
  const lib = folder.at("lib");
  await using console = new Pty([process.execPath, main, "repl", "--no-history"], { env: { NO_COLOR: "1" } });
  await console.until(/Ctrl-D ends[^]*> $/);
  console.type(`.load ${lib}\r`);
  await console.until(/index has f[^]*> $/);
  console.type("index.f(1)\r");
  await console.until(/\n2\r[^]*> $/);
  folder.write({ "lib/b.ts": "export const h = (n) => n + 10;" });
  console.type(".reload\r");
  await console.until(/reloaded .*b 2[^]*> $/);
  console.type("index.f(1)\r");
  await console.until(/\n11\r[^]*> $/);
  console.type(".versions b\r");
  assert.match(await console.until(/> $/), /b +1 [^]*b +2 \*/);
  console.type(".rollback b 1\r");
  await console.until(/rolled back b to version 1[^]*> $/);
  console.type("index.f(1)\r");
  await console.until(/\n2\r[^]*> $/);
  console.type("\u0004");
  assert.equal(await console.ended, 0);
});

test("Tab completes what scripts declared, what modules export, and commands", async () => {
  using folder = new Folder({ "unusual.ts": "export const onlyExport = 1;" });
  await using console = new Pty([process.execPath, main, "repl", "--no-history"], { env: { NO_COLOR: "1" } });
  await console.until(/> $/);
  console.type("const peculiar = { innermost: 7 }\r");
  await console.until(/undefined[^]*> $/);
  console.type("pecu\t");
  await console.until(/peculiar$/);
  console.type(".inn\t");
  await console.until(/innermost$/);
  console.type("\r");
  await console.until(/\n7\r[^]*> $/);
  console.type(`.loa\t`);
  await console.until(/\.load$/);
  console.type(` ${folder.at("unusual.ts")}\r`);
  await console.until(/has\s+onlyExport[^]*> $/);
  console.type("unusual.only\t");
  await console.until(/onlyExport$/);
  console.type("\r");
  await console.until(/\n1\r[^]*> $/);
  console.type("structuredC\t");
  await console.until(/structuredClone$/);
});

test("Ctrl-C ends the script and not the console, which then goes on at once", async () => {
  await using console = new Pty([process.execPath, main, "repl", "--no-history"], { env: { NO_COLOR: "1" } });
  await console.until(/> $/);
  for (const endless of ["for (;;) {}", "await new Promise((go) => setTimeout(go, 1e6))"]) {
    console.type(`console.log("be" + "gins"); ${endless}\r`);
    await console.until(/\nbegins\r/);
    console.type("\u0003");
    await console.until(/cancelled[^]*> $/);
    console.type("20 + 3\r");
    await console.until(/\n23\r[^]*> $/);
  }
  console.type("half of a (");
  console.type("\u0003");
  await console.until(/> $/);
  console.type("4 + 5\r");
  await console.until(/\n9\r[^]*> $/);
  console.type(".exit\r");
  assert.equal(await console.ended, 0);
});

test("the history of a console is there in the next one, and not with --no-history", async () => {
  using folder = new Folder({});
  const env = { NO_COLOR: "1", XDG_STATE_HOME: folder.path };
  {
    await using first = new Pty([process.execPath, main, "repl"], { env });
    await first.until(/> $/);
    first.type("6 * 111\r");
    await first.until(/\n666\r[^]*> $/);
    first.type("\u0004");
    assert.equal(await first.ended, 0);
  }
  assert.equal(readFileSync(folder.at("vivarium/repl-history"), "utf8"), "6 * 111\n");
  {
    await using second = new Pty([process.execPath, main, "repl"], { env });
    await second.until(/> $/);
    second.type("\u001b[A\r");
    await second.until(/\n666\r[^]*> $/);
  }
  await using third = new Pty([process.execPath, main, "repl", "--no-history"], { env });
  await third.until(/> $/);
  third.type("\u001b[A1\r");
  assert.match(await third.until(/\n1\r[^]*> $/), /^1\r/);
});
