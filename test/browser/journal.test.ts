// `vivarium replay` of a journal in a real browser: every view that is offered, at every time, and no code, as a journal has none.
import assert from "node:assert/strict";
import { after, suite } from "node:test";
import type { Page } from "playwright-core";
import { Journal } from "../../src/telemetry/index.ts";
import { Folder } from "../support/folders.ts";
import { until } from "../support/waiting.ts";
import { assertUsable, browserTest, openPage, type Opened } from "./support/browser.ts";
import { linkForm, startCommand } from "./support/commands.ts";
import { serveLive, tokens } from "./support/served.ts";

const folder = new Folder();
const live = await serveLive({ runtime: { data: folder.at("data") }, generations: 0 });
const journal = new Journal(live.runtime.events);
const generations = 4;
for (let generation = 0; generation < generations; generation++) await live.evolve();
const entries = journal.entries();
journal.close();
folder.write({ "run.jsonl": `${entries.map((entry) => JSON.stringify(entry)).join("\n")}\n` });
const replay = startCommand(["replay", folder.at("run.jsonl")]);
after(() => replay.interrupt());
// When nobody has it open any more.
after(() => folder[Symbol.dispose]());
const [link] = await replay.until(linkForm);

const individuals = generations * 8;
const openReplay = async (view: string): Promise<Opened> => {
  const opened = await openPage({ url: link });
  await opened.page.getByText("recorded", { exact: true }).waitFor();
  await go(opened.page, view);
  return opened;
};
const go = async (page: Page, view: string): Promise<void> =>
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: view, exact: true })
    .click();
const figureOf = async (page: Page, name: string): Promise<number> => {
  const text = await page
    .getByRole("region", { name: "Figures" })
    .locator(".card")
    .filter({ has: page.getByRole("heading", { name, exact: true }) })
    .locator(".figure")
    .textContent();
  return text === "unknown" ? -1 : Number(text);
};

suite("a journal", () => {
  browserTest("only views that it can fill are offered, and everybody can use each of them", async () => {
    await using opened = await openReplay("Overview");
    const { page } = opened;
    const views = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    assert.deepEqual(await views.allTextContents(), ["Overview", "Lineage", "Best", "Events", "Runs"]);
    for (const view of await views.all()) {
      await view.click();
      await assertUsable(page);
    }
    opened.assertQuiet();
  });

  browserTest("its figures are those of the run at the end, and smaller at a time before", async () => {
    await using opened = await openReplay("Overview");
    const { page } = opened;
    assert.equal(await figureOf(page, "Best score"), 350);
    assert.equal(await figureOf(page, "Generation"), generations - 1);
    assert.equal(await figureOf(page, "Individuals"), individuals);
    await page.getByText("Its program is not known any more.").waitFor();
    const slider = page.getByRole("slider", { name: "Time" });
    // The moment at which the first individual with a score of the second generation is known, as a place of the slider.
    const [from, to] = [entries[0]?.at ?? 0, entries.at(-1)?.at ?? 0];
    const moment = entries.filter(({ name }) => name === "lineage.born")[15]?.at ?? to;
    const place = Math.ceil(((moment - from) / (to - from)) * 1_000);
    const before = entries.filter(({ at }) => at <= from + (place / 1_000) * (to - from));
    const known = before.filter(({ name }) => name === "lineage.born").length;
    const scores = before.flatMap(({ name, event }) =>
      name === "fitness.computed" && event.score !== null ? [event.score] : [],
    );
    const bestThen = Math.max(...scores);
    assert.ok(known >= 16 && known < individuals && bestThen < 350, `${known} known, the best ${bestThen}`);
    await slider.fill(String(place));
    await until("fewer are known", async () => (await figureOf(page, "Individuals")) === known);
    await until("the best is an earlier one", async () => (await figureOf(page, "Best score")) === bestThen);
    await slider.press("Home");
    await slider.press("ArrowRight");
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    const began = Number(await slider.inputValue());
    await until("time moves on", async () => Number(await slider.inputValue()) > began + 20);
    await page.getByRole("button", { name: "Pause" }).click();
    await slider.press("End");
    await until("all are known", async () => (await figureOf(page, "Individuals")) === individuals);
    opened.assertQuiet();
  });

  browserTest("its lineage has parents and islands, and says that code is not known", async () => {
    await using opened = await openReplay("Lineage");
    const { page } = opened;
    await page.getByText(`${individuals} individuals,`).waitFor();
    await page.getByText(/to the best, g3-5:/).waitFor();
    for (const island of ["island-1", "island-2"])
      await page.getByRole("checkbox", { name: island }).waitFor();
    await page.getByLabel("Find by id").fill("g3-5");
    await page.getByRole("button", { name: "Find", exact: true }).click();
    const panel = page.getByRole("region", { name: "Picked individual" });
    await panel.getByText("The code is not known any more.").first().waitFor();
    await panel.getByRole("link", { name: "g2-5", exact: true }).first().click();
    await page.getByText("Picked: g2-5,").waitFor();
    opened.assertQuiet();
  });

  browserTest("the way to its best is told step by step without code, which is said", async () => {
    await using opened = await openReplay("Best");
    const { page } = opened;
    await page.getByText("Step 4 of 4", { exact: true }).waitFor();
    await page.getByText(/^Score 250 → 350 \(higher is better\)/).waitFor();
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await page.getByText(/^Score 150 → 250 /).waitFor();
    await page.getByRole("button", { name: "The whole program" }).click();
    // Of what changed, and of the program.
    await page.getByText("The code is not known any more.").nth(1).waitFor();
    assert.equal(await page.locator(".cm-editor").count(), 0);
    opened.assertQuiet();
  });

  browserTest("its events are there in their order, and its runs are unknown", async () => {
    await using opened = await openReplay("Events");
    const { page } = opened;
    const grid = page.getByRole("grid", { name: "Events, newest first" });
    await page.getByText(new RegExp(`^${entries.length} shown of`)).waitFor();
    await grid.focus();
    await grid.press("Home");
    await grid.press("Enter");
    const card = page.getByRole("region", { name: "One event" });
    await card.getByRole("heading", { name: entries.at(-1)?.name ?? "" }).waitFor();
    assert.equal(await card.getByRole("link", { name: "Sandbox", exact: true }).count(), 0);
    await go(page, "Runs");
    await page.getByRole("heading", { name: "No evolution has said anything about itself" }).waitFor();
    opened.assertQuiet();
  });
});

suite("what a server answers of its journal", () => {
  browserTest("it is replayed as it is, saved as a file", async () => {
    const headers = { authorization: `Bearer ${tokens.admin.token}` };
    const response = await fetch(`${live.url}/v1/journal`, { headers });
    assert.equal(response.status, 200);
    folder.write({ "answer.json": await response.text() });
    await using own = startCommand(["replay", folder.at("answer.json")]);
    const [url] = await own.until(linkForm);
    await using opened = await openPage({ url });
    const { page } = opened;
    await page.getByText("recorded", { exact: true }).waitFor();
    assert.equal(await figureOf(page, "Best score"), 350);
    opened.assertQuiet();
  });
});
