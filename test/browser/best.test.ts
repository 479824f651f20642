// "Best, step by step" in a real browser: the way of a recorded best and of one that is found while somebody reads, with the code
// and its differences as the policy of the page allows them.
import assert from "node:assert/strict";
import { suite } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, assertNoSidewaysScrolling, browserTest, openPage } from "./support/browser.ts";
import { serveLive, serveRecorded } from "./support/served.ts";

const hostile = "<img src=x onerror=alert(1)></script><b>\u0001\u202e\u200b";
const recorded = await serveRecorded({ individuals: 400 });
const attacking = await serveRecorded({ individuals: 100, hostile });
const live = await serveLive({ generations: 2 });

const atStep = (page: Page, number: number, of: number): Promise<void> =>
  page.getByText(`Step ${number} of ${of}`, { exact: true }).waitFor();
const editors = (page: Page) => page.locator(".cm-editor");

suite("the best of a document", () => {
  browserTest("says why it is better than its parent, and shows what changed", async () => {
    await using opened = await openPage({ url: `${recorded.url}#/best` });
    const { page } = opened;
    await atStep(page, 20, 20);
    await page.getByText(/^Score [\d.]+ → [\d.]+ \(lower is better\): .*fit [\d.]+ → [\d.]+\.$/).waitFor();
    await page.getByText("3 lines added, 3 removed").waitFor();
    await editors(page).locator(".cm-changedLine").first().waitFor();
    await page.getByRole("button", { name: "Side by side" }).click();
    assert.match(page.url(), /diff=split/);
    await page.locator(".cm-merge-a .cm-changedLine").first().waitFor();
    await page.getByRole("button", { name: "The whole program" }).click();
    await page.getByRole("textbox", { name: "Code of candidate" }).waitFor();
    await assertAccessible(page);
    opened.assertQuiet();
  });

  browserTest("is gone through by keys and by playing, and the step stands in the address", async () => {
    await using opened = await openPage({ url: `${recorded.url}#/best?step=3` });
    const { page } = opened;
    await atStep(page, 3, 20);
    await page.keyboard.press("ArrowRight");
    await atStep(page, 4, 20);
    assert.match(page.url(), /step=4/);
    await page.keyboard.press("ArrowLeft");
    await atStep(page, 3, 20);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await atStep(page, 4, 20);
    await page.keyboard.press("Space");
    await page.locator(".row").getByRole("button", { name: "Play" }).waitFor();
    await page.getByRole("listbox", { name: "Steps" }).press("Home");
    await atStep(page, 1, 20);
    await page.getByText(/^The beginning: score/).waitFor();
    await page.getByLabel("only steps that made it better").check();
    assert.match(page.url(), /only=better/);
    opened.assertQuiet();
  });

  browserTest("is gone through by buttons and by the list, and its code is copied", async () => {
    await using opened = await openPage({ url: `${recorded.url}#/best?step=3&program=shown` });
    const { page, context } = opened;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await atStep(page, 3, 20);
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await atStep(page, 4, 20);
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await atStep(page, 3, 20);
    await page.getByRole("option", { name: /^5 / }).click();
    await atStep(page, 5, 20);
    const link = page.locator("article a.mono").first();
    const id = (await link.textContent()) ?? "";
    await page.getByRole("button", { name: "Copy the code of candidate" }).click();
    await page.getByText("Copied the code of candidate.").waitFor();
    const { texts, individuals } = recorded.dump;
    const place = individuals.find((each) => each.id === id)?.sources?.["candidate"] ?? -1;
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), texts[place]);
    await link.click();
    await page.getByText(`Picked: ${id},`).waitFor();
    await page.getByRole("button", { name: "Copy the id" }).click();
    await page.getByText("Copied the id.").waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), id);
    opened.assertQuiet();
  });

  browserTest("stays text, whatever guests wrote, on a phone and in the dark", async () => {
    const url = `${attacking.url}#/best?program=shown`;
    await using opened = await openPage({ url, width: 390, height: 844, scheme: "dark" });
    const { page } = opened;
    await page.getByText("<img src=x onerror=alert(1)></script><b>\\u0001\\u202e\\u200b").first().waitFor();
    await page.getByRole("textbox", { name: "Code of candidate" }).scrollIntoViewIfNeeded();
    await editors(page).locator(".cm-specialChar", { hasText: "\\u202e" }).first().waitFor();
    // Images without an address are the editor's own.
    assert.equal(await page.locator("img[src], b").count(), 0);
    await assertAccessible(page);
    await assertNoSidewaysScrolling(page);
    opened.assertQuiet();
  });

  browserTest("is shown without the editor where it cannot be loaded", async () => {
    await using opened = await openPage({ url: `${recorded.url}#/runs` });
    const { page } = opened;
    await page.route(/editor-/, (route) => route.abort());
    await page.getByRole("link", { name: "Best", exact: true }).click();
    await page.getByText("3 lines added, 3 removed").waitFor();
    await page.getByText("removed: ").first().waitFor({ state: "attached" });
    await page.getByRole("button", { name: "The whole program" }).click();
    await page.getByRole("group", { name: "Code of candidate" }).waitFor();
    assert.equal(await editors(page).count(), 0);
    await assertAccessible(page);
    opened.assertQuiet({ except: [/ERR_FAILED/] });
  });
});

suite("the best of a server", () => {
  browserTest("stays where the reader is when a better one is found, which is offered", async () => {
    await using opened = await openPage({ url: live.linkOf("reader") });
    const { page } = opened;
    await page.getByText("● live").waitFor();
    await page.getByRole("link", { name: "Best", exact: true }).click();
    await atStep(page, 2, 2);
    await page.getByText(/^Score 50 → 150 \(higher is better\)/).waitFor();
    await editors(page).locator(".cm-changedLine").first().waitFor();
    const editor = await editors(page).first().elementHandle();
    await live.evolve();
    await page.getByText("A better one was found, score 250.").waitFor();
    await atStep(page, 2, 2);
    // What is read is not made anew.
    assert.equal(await editor?.evaluate((element) => element.isConnected), true);
    await page.getByRole("button", { name: "Show it" }).click();
    await atStep(page, 3, 3);
    await page.getByText(/^Score 150 → 250 \(higher is better\)/).waitFor();
    await assertAccessible(page);
    opened.assertQuiet();
  });

  browserTest("says of an address of somebody unknown that it is not known", async () => {
    await using opened = await openPage({ url: live.linkOf("reader") });
    const { page } = opened;
    await page.getByText("● live").waitFor();
    await page.evaluate("location.hash = '#/best/nobody%3Cb%3E'");
    await page.getByText("nobody<b> is not known, or not any more.").waitFor();
    await page.getByRole("button", { name: "Show the best" }).click();
    await page.getByText(/^Step \d of \d$/).waitFor();
    opened.assertQuiet();
  });
});
