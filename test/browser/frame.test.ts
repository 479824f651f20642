// The frame of the page in a real browser: how it opens, moves between views, asks for a token, and says that the connection is lost.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { suite } from "node:test";
import type { Page } from "playwright-core";
import type { EvolutionDump } from "../../src/contract/evolution-bodies.ts";
import { assertAccessible, assertUsable, browserTest, openPage } from "./support/browser.ts";
import { serveLive, serveRecorded, tokens } from "./support/served.ts";
import { until } from "../support/waiting.ts";

const live = await serveLive({ generations: 1 });
const recorded = await serveRecorded({ individuals: 200 });

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const hashOf = (page: Page): string => new URL(page.url()).hash;

suite("a server", () => {
  browserTest(
    "the page connects with the token of its link, which leaves the address and is kept for the tab",
    async () => {
      await using opened = await openPage({ url: live.linkOf("reader") });
      const { page } = opened;
      await page.getByText("● live").waitFor();
      assert.ok(!page.url().includes(tokens.reader.token), page.url());
      await page.reload();
      await page.getByText("● live").waitFor();
      await page.getByRole("link", { name: "Machine", exact: true }).click();
      await heading(page, "Machine").waitFor();
      assert.equal(await page.title(), "Machine – Vivarium");
      opened.assertQuiet();
    },
  );

  browserTest("a wrong token is said to be wrong, and the right one opens the page", async () => {
    await using opened = await openPage({ url: live.url });
    const { page } = opened;
    await heading(page, "Which token?").waitFor();
    const field = page.getByLabel("Token");
    await field.fill("wrong-0123456789abcdef");
    await field.press("Enter");
    await page.locator("p.bad", { hasText: "token" }).waitFor();
    await assertAccessible(page);
    await page.getByLabel("Token").fill(tokens.reader.token);
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByText("● live").waitFor();
    opened.assertQuiet({ except: [/401/] });
  });

  browserTest("a lost connection is said, and mended when the server is there again", async () => {
    const own = await serveLive({ generations: 1 });
    await using opened = await openPage({ url: own.linkOf("reader") });
    const { page } = opened;
    await page.getByText("● live").waitFor();
    await own.stop();
    await page.getByText("connection lost, trying again").waitFor();
    await own.start();
    await page.getByText("● live").waitFor();
    opened.assertQuiet({
      except: [/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|503/],
    });
  });
});

suite("a recorded document", () => {
  browserTest("views open by links and by number keys, which are letters in a field", async () => {
    await using opened = await openPage({ url: recorded.url });
    const { page } = opened;
    await page.getByText("recorded", { exact: true }).waitFor();
    const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    for (const [index, name] of (await links.allTextContents()).entries()) {
      await page.keyboard.press(String(index + 1));
      await page.locator(`nav a[aria-current="page"]`, { hasText: name }).waitFor();
      assert.equal(hashOf(page), `#/${name.toLowerCase()}`);
      // What is shown from the beginning has not taken the focus.
      if (index > 0) assert.equal(await page.evaluate("document.activeElement.id"), "main");
    }
    await links.first().click();
    await page.locator(`nav a[aria-current="page"]`, { hasText: "Overview" }).waitFor();
    await page.goBack();
    await page.locator(`nav a[aria-current="page"]`, { hasText: "Runs" }).waitFor();
    opened.assertQuiet();
  });

  browserTest("what is shown is exported as a document, from a menu that a key closes", async () => {
    await using opened = await openPage({ url: recorded.url });
    const { page } = opened;
    const asJson = page.getByRole("button", { name: "As JSON" });
    await page.getByText("Export", { exact: true }).click();
    await asJson.waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await asJson.waitFor({ state: "hidden" });
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Export");
    await page.keyboard.press("Enter");
    const downloading = page.waitForEvent("download");
    await asJson.click();
    const notice = page.getByText("has the programs' code in it: give it to whom you would give that.");
    await notice.waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await notice.waitFor({ state: "detached" });
    const saved = await readFile(await (await downloading).path(), "utf8");
    assert.deepEqual((JSON.parse(saved) as EvolutionDump).individuals, recorded.dump.individuals);
    opened.assertQuiet();
  });

  browserTest("the first key leads past the navigation, to the content", async () => {
    await using opened = await openPage({ url: recorded.url });
    const { page } = opened;
    await page.getByText("recorded", { exact: true }).waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "To the content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.id"), "main");
    assert.equal(hashOf(page), "");
    opened.assertQuiet();
  });

  browserTest("the colours that are chosen are kept", async () => {
    await using opened = await openPage({ url: recorded.url, scheme: "light" });
    const { page } = opened;
    const colours = page.getByLabel("Colours");
    const ground = () => page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
    const light = await ground();
    await colours.selectOption({ label: "Dark" });
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    await page.getByText("recorded", { exact: true }).waitFor();
    assert.equal(await ground(), dark);
    await page.getByLabel("Colours").selectOption({ label: "Light" });
    assert.equal(await ground(), light);
    opened.assertQuiet();
  });

  browserTest("the slider shows what was known then, and plays on to the end", async () => {
    await using opened = await openPage({ url: recorded.url });
    const { page } = opened;
    const slider = page.getByRole("slider", { name: "Time" });
    const end = await slider.inputValue();
    await slider.press("Home");
    await page.getByText(/· 0 ms of /).waitFor();
    await slider.press("PageUp");
    assert.notEqual(await slider.inputValue(), "0");
    await slider.press("End");
    assert.equal(await slider.inputValue(), end);
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Play" }).waitFor();
    await until("it has begun anew", async () => Number(await slider.inputValue()) < Number(end));
    opened.assertQuiet();
  });

  browserTest("every view can be used by everybody, wide and narrow, light and dark", async () => {
    await using opened = await openPage({ url: recorded.url });
    const { page } = opened;
    await page.getByText("recorded", { exact: true }).waitFor();
    for (const view of await page.getByRole("navigation", { name: "Views" }).getByRole("link").all()) {
      await view.click();
      await assertUsable(page);
    }
    opened.assertQuiet();
  });
});
