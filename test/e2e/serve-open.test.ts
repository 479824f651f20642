// `vivarium serve --open` gives the address of the dashboard, with the token behind the `#`, to a browser.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import { until } from "../support/waiting.ts";
import { root, runNode } from "./program.ts";
import { startServing } from "./serving.ts";

test("serve --open opens the dashboard with the token that was made up", async () => {
  using folder = new Folder();
  const [browser, opened] = [folder.at("browser"), folder.at("opened")];
  // It is there whole, or not at all.
  folder.write({
    browser: `#!/bin/sh\nprintf '%s' "$*" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`,
  });
  chmodSync(browser, 0o755);
  await using serving = await startServing({ args: ["--open"], env: { ...process.env, BROWSER: browser } });
  await until("the browser was asked", () => existsSync(opened));
  const { url, token } = serving;
  assert.equal(readFileSync(opened, "utf8"), `${url}/#token=${encodeURIComponent(token)}`);
  const page = await fetch(`${url}/`);
  assert.equal(page.status, 200);
  await page.body?.cancel();
});

test("a port that another program has is refused in one line, by serve and by replay", async () => {
  await using serving = await startServing({ args: [] });
  const port = new URL(serving.url).port;
  using folder = new Folder();
  const event = {
    sandboxId: "a",
    parentIds: [],
    generation: 0,
    mutation: null,
    checksum: null,
    createdAt: 1,
  };
  folder.write({ "run.jsonl": `${JSON.stringify({ name: "lineage.born", at: 1, number: 1, event })}\n` });
  for (const command of [["serve"], ["replay", folder.at("run.jsonl")]]) {
    const args = [join(root, "dist", "cli", "main.js"), ...command, "--port", port];
    const { code, stderr } = await runNode(args, { cwd: folder.path });
    assert.equal(code, 2, stderr);
    assert.match(
      stderr,
      new RegExp(`Cannot listen at port ${port} as it must be free: another program has it; give --port 0`),
    );
  }
});
