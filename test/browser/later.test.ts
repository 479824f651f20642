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
