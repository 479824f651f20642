// An address is opened by a program of the system, which is given nothing else and can do the command no harm.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { openOrSay, openPage } from "../../../src/cli/open-page.ts";
import { FakeClock } from "../../../src/testing/index.ts";
import { Folder } from "../../support/folders.ts";

const address = "http://127.0.0.1:7420/#token=a%20b;$(touch x)";
const opened = new URL(address).href;

/** A folder with programs, each of which writes its arguments down and then does this. */
function programs(ends: Readonly<Record<string, string>>): Folder {
  const folder = new Folder();
  for (const [name, end] of Object.entries(ends)) {
    folder.write({ [name]: `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder.at(`${name}.args`)}'\n${end}\n` });
    chmodSync(folder.at(name), 0o755);
  }
  return folder;
}

const argsOf = (folder: Folder, name: string): string => readFileSync(folder.at(`${name}.args`), "utf8");

test("the system's program gets the address as one argument, which no shell reads", async () => {
  using folder = programs({ "xdg-open": "exit 0", open: "exit 0", rundll32: "exit 0" });
  const env = { PATH: folder.path };
  assert.equal(await openPage(address, { env, platform: "linux" }), true);
  assert.equal(argsOf(folder, "xdg-open"), `${opened}\n`);
  assert.equal(await openPage(address, { env, platform: "darwin" }), true);
  assert.equal(argsOf(folder, "open"), `${opened}\n`);
  assert.equal(await openPage(address, { env, platform: "win32" }), true);
  assert.equal(argsOf(folder, "rundll32"), `url.dll,FileProtocolHandler\n${opened}\n`);
});

test("BROWSER comes first, and where it fails the system's program gets its turn", async () => {
  using folder = programs({ mine: "exit 0", broken: "exit 3", "xdg-open": "exit 0" });
  const env = { PATH: folder.path, BROWSER: folder.at("mine") };
  assert.equal(await openPage(address, { env, platform: "linux" }), true);
  assert.equal(argsOf(folder, "mine"), `${opened}\n`);
  assert.equal(existsSync(folder.at("xdg-open.args")), false);
  for (const browser of ["broken", "none", "mine --flag"]) {
    folder.remove("xdg-open.args");
    assert.equal(
      await openPage(address, { env: { ...env, BROWSER: browser }, platform: "linux" }),
      true,
      browser,
    );
    assert.equal(argsOf(folder, "xdg-open"), `${opened}\n`);
  }
});

test("where there is no program, or it fails, that is said and nothing is thrown", async () => {
  using folder = programs({ "xdg-open": "exit 3" });
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  await openOrSay(address, note, { env: { PATH: folder.path }, platform: "linux" });
  await openOrSay(address, note, { env: { PATH: folder.at("nowhere") }, platform: "linux" });
  assert.equal(notes.length, 2);
  assert.match(notes[0] ?? "", /^No browser was found here/);
});

test("a program that goes on is not waited for", async () => {
  const clock = new FakeClock();
  // It ends with its folder.
  using folder = programs({ "xdg-open": `while [ -e "$0" ]; do :; done` });
  const opening = openPage(address, { env: { PATH: folder.path }, platform: "linux", clock });
  clock.advance(2_000);
  assert.equal(await opening, true);
});

test("only addresses of the web are opened", async () => {
  using folder = programs({ "xdg-open": "exit 0" });
  for (const other of ["file:///etc/passwd", "javascript:alert(1)", "--version", "", "data:text/html,x"])
    assert.equal(await openPage(other, { env: { PATH: folder.path }, platform: "linux" }), false, other);
  assert.equal(existsSync(folder.at("xdg-open.args")), false);
});
