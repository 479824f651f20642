// A guest that writes what terminals obey: no command lets any of it through.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import { Pty } from "../support/pty.ts";
import { root, runNode } from "./program.ts";

const main = `${root}dist/cli/main.js`;

/** Clears the screen, sets the title, writes the clipboard, moves the cursor, and turns the direction of writing. */
const attacks =
  "\u001b[2J\u001b]0;OWNED\u0007\u001b]52;c;T1dORUQ=\u0007\u001b[9;9H\u009b31m\u202eOWNED\u2066\u200b\r\b\u0007";
const quoted = JSON.stringify(attacks);
const guest = `
const bad = ${quoted};
export const score = (what = "value") => {
  console.log(bad); console.error(bad);
  if (what === "throw") throw Object.assign(new Error(bad), { name: bad, code: bad });
  return { [bad]: bad, list: [bad], map: new Map([[bad, new Error(bad)]]) };
};`;
const statements = [
  `console.log(${quoted}); console.warn(${quoted})`,
  quoted,
  `({ [${quoted}]: ${quoted}, set: new Set([${quoted}]) })`,
  `throw new Error(${quoted})`,
  `throw { [${quoted}]: ${quoted} }`,
  `globalThis[${quoted}] = 1; undefined`,
  `const a = ${quoted}} // `,
  ".logs",
  `.load ${"/nowhere\u202e"}`,
];

/** What came to the terminal that a guest wrote; its own sequences are those that our own programs write. */
function assertHarmless(text: string): void {
  for (const part of [
    "\u001b[2J",
    "\u001b]",
    "\u001b[9;9H",
    "\u009b",
    "\u202e",
    "\u2066",
    "\u200b",
    "\u0007",
    "\b",
  ])
    assert.ok(!text.includes(part), `${JSON.stringify(part)} in ${JSON.stringify(text.slice(-2_000))}`);
}

test("nothing that a guest writes in a console is obeyed, without and with a terminal", async () => {
  for (const args of [[], ["--json"]]) {
    const { stdout, stderr } = await runNode([main, "repl", ...args], {
      stdin: `${statements.join("\n")}\n`,
    });
    assert.match(`${stdout}${stderr}`, /OWNED/);
    assertHarmless(stdout);
    assertHarmless(stderr);
  }
  await using console = new Pty([process.execPath, main, "repl", "--no-history"], { columns: 200 });
  await console.until(/> $/);
  console.type(
    "const { bad } = { bad: String.fromCharCode(27) + '[2J' + String.fromCharCode(27) + ']0;OWNED' + String.fromCharCode(7) }; bad\r",
  );
  assert.match(await console.until(/\n"[^]*> $/), /\\u001b\[2J/);
  console.type("console.log(bad); throw new Error(bad)\r");
  await console.until(/crashed[^]*> $/);
  assertHarmless(console.text);
});

for (const what of ["value", "throw"])
  test(`nothing that a guest writes is obeyed by vivarium watch: a ${what}`, async () => {
    using folder = new Folder({ "guest.ts": guest });
    const args = ["watch", folder.at("guest.ts"), "--call", "guest.score", "--args", JSON.stringify([what])];
    const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (/guest\.score [^]*OWNED/.test(text)) child.kill("SIGINT");
    });
    assert.deepEqual(await once(child, "close"), [130, null]);
    assertHarmless(text);
  });

test("nothing that a guest writes is obeyed by run, inspect, logs, ps and top", async () => {
  using folder = new Folder({
    "guest.ts": guest,
    "script.ts": `console.log(${quoted}); throw new Error(${quoted})`,
  });
  const data = folder.at("data");
  const run = await runNode([main, "run", folder.at("script.ts")]);
  assert.match(`${run.stdout}${run.stderr}`, /OWNED/);
  assertHarmless(`${run.stdout}${run.stderr}`);
  const made = await runNode([`${root}test/e2e/hostile-sandboxes.ts`, data]);
  assert.equal(made.code, 0, made.stderr);
  for (const command of [
    ["ps"],
    ["inspect", "hostile"],
    ["inspect", "broken"],
    ["logs", "hostile"],
    ["versions", "hostile"],
  ]) {
    const { code, stdout, stderr } = await runNode([main, ...command, "--data", data]);
    assert.equal(code, 0, `${command.join(" ")}: ${stderr}`);
    assertHarmless(`${stdout}${stderr}`);
  }
  await using top = new Pty([process.execPath, main, "top", "--data", data], {
    columns: 120,
    rows: 30,
    env: { NO_COLOR: "1" },
  });
  await top.until(/hostile[^]*running/);
  top.type("q");
  assert.equal(await top.ended, 0);
  assertHarmless(top.text);
});
