// `vivarium serve --open` gives the address of the dashboard, with the token behind the `#`, to a browser.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import { until } from "../support/waiting.ts";
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
  assert.ok([200, 404].includes(page.status));
  await page.body?.cancel();
});
