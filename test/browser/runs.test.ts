// The view of runs in a real browser: the table, what a run says of itself, what is unknown, and who is told nothing.
import assert from "node:assert/strict";
import { suite } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, assertUsable, browserTest, openPage } from "./support/browser.ts";
import { serveLive, serveRecorded } from "./support/served.ts";
import { openAt, said } from "./support/shop.ts";

const hostile = "<img src=x onerror=alert(1)>\u202e";
const live = await serveLive({ generations: 0 });
const recorded = await serveRecorded({ individuals: 40 });
const tell = (name: string, run: object): Promise<void> =>
  live.runtime.documents.write("runs", new Map([[name, run]]));

/** A cell of the run that is named, by its column. */
const cell = (page: Page, run: string, column: string) =>
  page
    .getByRole("row")
    .filter({ has: page.getByRole("button", { name: run }) })
    .locator(`td[data-label="${column}"]`);
/** One of the details of the run that is open. */
const detail = (page: Page, name: string) => page.locator("dl > div").filter({ hasText: name }).locator("dd");

suite("a server", () => {
  browserTest("runs appear, change and are opened, the newest first", async () => {
    await using opened = await openAt(live, "reader", { hash: "#/runs" });
    const { page } = opened;
    await page.getByRole("heading", { name: "No evolution has said anything about itself" }).waitFor();
    await assertUsable(page);
    await tell("older", { title: hostile, about: hostile, unit: hostile, best: 1 });
    await page.getByRole("button", { name: "<img src=x onerror=alert(1)>\\u202e" }).waitFor();
    for (const column of ["Seed", "State", "Generation", "Evaluations", "Direction", "Updated"])
      assert.match((await cell(page, "older", column).textContent()) ?? "", /unknown/, column);
    const run = {
      title: "newer one",
      about: "a goal",
      seed: 11,
      state: "running",
      generation: 3,
      direction: "minimise",
    };
    const budget = { evaluations: 50, evaluationsMax: 200, durationMs: 20_000, durationMsMax: 600_000 };
    await tell("newer", { ...run, ...budget, best: 4.5, unit: "% excess", updatedAt: Date.now() });
    await page.getByRole("button", { name: "newer one" }).click();
    assert.match(page.url(), /#\/runs\?run=newer$/);
    const names = await page.getByRole("table").getByRole("button").allTextContents();
    assert.match(names[0] ?? "", /newer one/);
    for (const [column, text] of [
      ["Seed", "11"],
      ["State", "▶ running"],
      ["Generation", "3"],
      ["Evaluations", /50 of 200/],
      ["Best", "4.5 % excess"],
      ["Direction", "lower is better"],
    ] as const)
      await cell(page, "newer", column).getByText(text).first().waitFor();
    await said(page, "a goal");
    await detail(page, "Progress").getByText("25 %").waitFor();
    await detail(page, "Time left")
      .getByText(/^about /)
      .waitFor();
    await detail(page, "Budget of time").getByText("10 min").waitFor();
    await assertUsable(page);
    await tell("newer", { ...run, ...budget, state: "done", generation: 4, evaluations: 200 });
    await cell(page, "newer", "State").getByText("✓ done").waitFor();
    assert.equal(await detail(page, "Time left").count(), 0);
    await page.reload();
    await detail(page, "Progress").getByText("100 %").waitFor();
    await page.getByRole("button", { name: "older" }).click();
    await said(page, "<img src=x onerror=alert(1)>\\u202e");
    await detail(page, "Progress").getByText("unknown").waitFor();
    assert.equal(await page.locator("main img").count(), 0);
    await page.getByRole("button", { name: "older" }).click();
    await page.locator("dl").waitFor({ state: "detached" });
    assert.match(page.url(), /#\/runs$/);
    opened.assertQuiet();
  });

  browserTest("a tenant is told that it is not told of runs", async () => {
    await tell("secret", { title: "secret" });
    await using opened = await openAt(live, "red", { hash: "#/runs" });
    const { page } = opened;
    await said(page, "This token belongs to a tenant, and tenants are not told of runs.");
    assert.equal(await page.getByText("secret").count(), 0);
    await assertAccessible(page);
    opened.assertQuiet();
  });
});

suite("a recorded document", () => {
  browserTest("its run is shown as it was at the end, by the keyboard as well", async () => {
    await using opened = await openPage({ url: `${recorded.url}/#/runs` });
    const { page } = opened;
    await said(page, /^As they were at the end of what was recorded/);
    await page.getByRole("button", { name: "bin packing" }).press("Enter");
    await detail(page, "Budget of evaluations").getByText("80").waitFor();
    await detail(page, "Progress").getByText("50 %").waitFor();
    assert.equal(await detail(page, "Time left").count(), 0);
    await assertUsable(page);
    await page.getByRole("link", { name: "To the overview" }).click();
    await page.getByRole("heading", { level: 1, name: "bin packing" }).waitFor();
    opened.assertQuiet();
  });
});
