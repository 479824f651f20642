// An evolution as one HTML file, opened from the disk: made by the page's own button of a document and of a server, and by
// `vivarium replay` of a folder that a run left behind. It needs no network, and no policy is broken.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, suite } from "node:test";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import type { EvolutionDump } from "../../src/contract/evolution-bodies.ts";
import { root, runNode } from "../e2e/program.ts";
import { Folder } from "../support/folders.ts";
import {
  assertAccessible,
  assertNoSidewaysScrolling,
  browserTest,
  openPage,
  type Opened,
  type OpenOptions,
} from "./support/browser.ts";
import { assertHarmless, hostileDump, markup, watch } from "./support/hostile.ts";
import { serveDump, serveLive } from "./support/served.ts";
import { openAt, said, show } from "./support/shop.ts";

const folder = new Folder();
after(() => folder[Symbol.dispose]());

/** Opens a file of the folder where there is no network, and notes what it asks for. */
async function openFile(
  name: string,
  options: Omit<OpenOptions, "url"> = {},
): Promise<Opened & { asked: string[] }> {
  const url = pathToFileURL(folder.at(name)).href;
  const opened = await openPage({ url, ...options });
  await opened.context.setOffline(true);
  const asked: string[] = [];
  opened.page.on("request", (request) => asked.push(request.url()));
  await opened.page.reload();
  await opened.page.getByText("recorded", { exact: true }).waitFor();
  return Object.assign(opened, { asked: asked.filter((address) => address !== url) });
}

async function exported(page: Page, name: string): Promise<void> {
  await page.getByText("Export", { exact: true }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "This run as one HTML file" }).click();
  const download = await saving;
  assert.match(download.suggestedFilename(), /^vivarium-[\w.-]+-\d{4,6}-\d\d-\d\d\.html$/);
  await download.saveAs(folder.at(name));
}

function dumpIn(html: string): EvolutionDump {
  const [, text = ""] = /<script type="application\/json" id="dump">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(text) as EvolutionDump;
}

/** The overview, an individual of the lineage beside its parent, and the steps to the best. */
async function lookAround(opened: Opened & { readonly asked: readonly string[] }): Promise<void> {
  const { page } = opened;
  await page.getByRole("heading", { name: "The best program" }).waitFor();
  await assertAccessible(page);
  await page.getByRole("link", { name: "Lineage", exact: true }).click();
  const { individuals } = dumpIn(await readFile(new URL(page.url().replace(/#.*$/s, "")), "utf8"));
  const changed = individuals.find(
    ({ sources, parentSources }) => parentSources !== null && !isDeepStrictEqual(sources, parentSources),
  );
  await page.getByRole("application", { name: "Individuals by generation and score" }).press("Home");
  await page.getByRole("article", { name: /^Individual / }).waitFor();
  await page.getByLabel("Find by id").fill(changed?.id ?? "");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByRole("article", { name: `Individual ${changed?.id}`, exact: true }).waitFor();
  await said(page, /^What changed from/);
  await said(page, /\d lines? added, \d+ removed/);
  await page
    .getByRole("group", { name: /^Code of / })
    .first()
    .waitFor();
  assert.equal(await page.locator(".cm-editor").count(), 0);
  await assertAccessible(page);
  await page.getByRole("link", { name: "Best", exact: true }).click();
  await said(page, /^Step \d+ of \d+$/);
  if ((await page.getByText("Step 1 of 1", { exact: true }).count()) === 0) {
    await said(page, /\d lines? added, \d+ removed/);
    await page.keyboard.press("ArrowLeft");
  }
  await show(page, "#/best?program=shown");
  await page
    .getByRole("group", { name: /^Code of / })
    .first()
    .waitFor();
  await assertAccessible(page);
  await page.getByRole("link", { name: "Events", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Events" }).waitFor();
  await assertNoSidewaysScrolling(page);
  assert.deepEqual(opened.asked, []);
  opened.assertQuiet();
}

suite("an evolution as one file", () => {
  browserTest(
    "of a data folder, by vivarium replay, works without a network in light and dark, wide and narrow",
    async () => {
      const short = ["--problem", "nguyen-2", "--evaluations", "120", "--population", "40"];
      const ran = await runNode([
        `${root}dist/cli/main.js`,
        "demo",
        ...short,
        "--data",
        folder.at("run"),
        "--json",
      ]);
      assert.equal(ran.code, 0, ran.stderr);
      const told = await runNode([
        `${root}dist/cli/main.js`,
        "replay",
        folder.at("run"),
        "--html",
        folder.at("run.html"),
      ]);
      assert.equal(told.code, 0, told.stderr);
      await using wide = await openFile("run.html");
      await lookAround(wide);
      await using narrow = await openFile("run.html", { width: 390, scheme: "dark" });
      await lookAround(narrow);
    },
  );

  browserTest("of a server, by the page's button, has what the page showed", async () => {
    const live = await serveLive({ generations: 2 });
    await using opened = await openAt(live, "reader", { hash: "#/overview" });
    await exported(opened.page, "live.html");
    opened.assertQuiet();
    const { individuals } = dumpIn(await readFile(folder.at("live.html"), "utf8"));
    assert.equal(individuals.length, 16);
    await using file = await openFile("live.html");
    await lookAround(file);
    // It is such a file already.
    await file.page.getByText("Export", { exact: true }).click();
    await file.page.getByRole("button", { name: "As JSON" }).waitFor();
    assert.equal(await file.page.getByRole("button", { name: "This run as one HTML file" }).count(), 0);
  });

  browserTest(
    "of a hostile document, by the page's button, has it as text and is the same document",
    async () => {
      const dump = hostileDump();
      const { url, close } = await serveDump(dump);
      after(close);
      await using opened = await openPage({ url });
      await opened.page.getByText("recorded", { exact: true }).waitFor();
      await exported(opened.page, "hostile.html");
      const html = await readFile(folder.at("hostile.html"), "utf8");
      assert.deepEqual(dumpIn(html), JSON.parse(JSON.stringify(dump)));
      for (const text of [markup, "<img src=x", "<!--]]>"]) assert.ok(!html.includes(text), text);
      await using file = await openFile("hostile.html", { width: 390, scheme: "dark" });
      const { page } = file;
      const dialogs = await watch(file);
      for (const hash of [
        "#/overview",
        "#/lineage?show=table",
        "#/best?program=shown",
        "#/events",
        "#/runs",
      ]) {
        await show(page, hash);
        await page.locator("main h1, main h2").first().waitFor();
        await assertHarmless(page);
      }
      await show(page, "#/runs");
      await said(page, /<script>executed=1<\/script>/);
      assert.deepEqual([dialogs, file.asked], [[], []]);
      file.assertQuiet();
    },
  );
});
