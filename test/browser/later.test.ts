// Views that are loaded when they are needed: with their styles, and said where they cannot be had.
import assert from "node:assert/strict";
import { browserTest, openPage } from "./support/browser.ts";
import { serveLive } from "./support/served.ts";

const live = await serveLive({ generations: 1 });

browserTest("a view whose file cannot be had says so, and is shown once it can", async () => {
  await using opened = await openPage({ url: live.linkOf("admin") });
  const { page } = opened;
  await page.getByText("● live").waitFor();
  const asked: string[] = [];
  await page.route(/assets\/Machine-.*\.js$/, (route) => {
    asked.push(route.request().url());
    return asked.length === 1 ? route.abort() : route.continue();
  });
  await page.getByRole("navigation").getByRole("link", { name: "Machine", exact: true }).click();
  await page.getByText("Cannot show the view as its file must be there").waitFor();
  // Chromium keeps the failure of a module for as long as the page lives.
  await page.getByRole("button", { name: "Load the page anew" }).click();
  await page.getByRole("heading", { name: "Machine", exact: true }).waitFor();
  assert.equal(new URL(page.url()).hash, "#/machine");
  opened.assertQuiet({ except: [/Machine-/, /ERR_FAILED/] });
});

browserTest("a server that does not answer is given up, and asked again when one wishes", async () => {
  await using opened = await openPage({ url: "about:blank" });
  const { page } = opened;
  await page.clock.install();
  let asked = 0;
  const isAsked = Promise.withResolvers<void>();
  await page.route("**/v1/about", (route) => {
    if (++asked > 1) return route.continue();
    isAsked.resolve();
    return undefined;
  });
  await page.goto(live.linkOf("admin"));
  await isAsked.promise;
  await page.getByText("Connecting…").waitFor();
  await page.clock.runFor(31_000);
  await page.getByText("Cannot finish the connection as it must be done within 30000 ms").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  assert.equal(asked, 2);
  opened.assertQuiet();
});
