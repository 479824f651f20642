// The overview in a real browser: its figures as they change, progress, picking in the plot, ranges, outcomes, and what is empty.
import assert from "node:assert/strict";
import { after, suite } from "node:test";
import type { Page } from "playwright-core";
import { Model } from "../../dashboard/src/model/model.ts";
import { layoutFitness } from "../../dashboard/src/plots/fitness-layout.ts";
import { fitnessStatistics } from "../../dashboard/src/plots/fitness-statistics.ts";
import { assertAccessible, assertUsable, browserTest, openPage } from "./support/browser.ts";
import { sampleDump } from "./support/sample-dump.ts";
import { serveDump, serveLive, serveRecorded } from "./support/served.ts";
import { press, said } from "./support/shop.ts";

const recorded = await serveRecorded({ individuals: 200 });
const scored = recorded.dump.individuals.filter(({ score }) => score !== null);
const best = scored.reduce((one, other) => ((other.score ?? 0) < (one.score ?? 0) ? other : one));

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
/** One of the figures at the top, whole. */
const figure = (page: Page, name: string) =>
  card(page, "Figures")
    .locator(".card")
    .filter({ has: page.getByRole("heading", { name, exact: true }) });
const plot = (page: Page) => page.getByRole("application", { name: "Fitness over generations" });
const picked = (page: Page) => page.getByRole("complementary", { name: "The individual that is picked" });
/** What is drawn, as a text. */
const picture = (page: Page): Promise<string> =>
  page.evaluate<string>(`document.querySelector("[role=application] canvas").toDataURL()`);
const hashOf = (page: Page): string => new URL(page.url()).hash;
/** What a table counts, by its first two columns. */
const countsIn = async (page: Page, heading: string): Promise<ReadonlyMap<string, number>> => {
  const table = page.getByRole("table").filter({ has: page.getByText(heading, { exact: true }) });
  const kinds = await table.locator("td:first-child").allTextContents();
  const counts = await table.locator("td:nth-child(2)").allTextContents();
  return new Map(kinds.map((kind, index) => [kind.trim(), Number(counts[index])]));
};

suite("a server", () => {
  browserTest("what is evolved changes its figures, its plot and its table without a reload", async () => {
    const live = await serveLive({ generations: 0 });
    const results: string[] = [];
    live.runtime.events.on("fitness.computed", ({ result }) => void results.push(result));
    await using opened = await openPage({ url: live.linkOf("reader") });
    const { page } = opened;
    await page.getByRole("heading", { name: "There is no individual yet" }).waitFor();
    await card(page, "Cells and memory").waitFor();
    await assertUsable(page);
    await page.evaluate("window.isSame = true");
    await live.evolve();
    await figure(page, "Best score").getByRole("link", { name: "50", exact: true }).waitFor();
    await figure(page, "Best score").getByText("still 50, as the best of the first generation").waitFor();
    await figure(page, "Generation").getByText("0", { exact: true }).waitFor();
    await figure(page, "Individuals").getByText("4 with a score").waitFor();
    await figure(page, "Progress").getByText("unknown", { exact: true }).waitFor();
    await card(page, "The best program").getByText("g0-5, 50, generation 0, a seed").waitFor();
    await card(page, "The best program").getByText("return x * 5;").waitFor();
    const before = await picture(page);
    await live.evolve();
    await figure(page, "Best score").getByRole("link", { name: "150", exact: true }).waitFor();
    await figure(page, "Best score").getByText("200 % higher than the best of the first").waitFor();
    await figure(page, "Generation").getByText("1", { exact: true }).waitFor();
    await figure(page, "Individuals").getByText("8 with a score").waitFor();
    await figure(page, "Evaluations")
      .getByText(/ per second lately$/)
      .waitFor();
    await card(page, "The best program").getByText("g1-5, 150, generation 1, 1 step from a seed").waitFor();
    await card(page, "The best program").getByText("return x * 15;").waitFor();
    await card(page, "Distribution").getByText("4 scores: lowest 100, median 125, highest 150.").waitFor();
    assert.notEqual(await picture(page), before);
    await page.getByRole("row", { name: /^ok 8 / }).waitFor();
    assert.deepEqual(await countsIn(page, "Ended as"), counted(results));
    await page
      .getByRole("row", { name: /^timeout \d+ .* deadline\.$/ })
      .last()
      .waitFor();
    assert.equal(await page.evaluate("window.isSame"), true);
    await card(page, "Cells and memory").getByRole("link", { name: "More of the machine" }).click();
    await page.getByRole("heading", { level: 1, name: "Machine" }).waitFor();
    opened.assertQuiet();
  });

  browserTest(
    "a point is picked by the mouse, and its card leads to its parents and its lineage",
    async () => {
      await using opened = await openPage({ url: recorded.url });
      const { page } = opened;
      await card(page, "Fitness over generations")
        .getByText("Click a point, or use the arrow keys")
        .waitFor();
      const place = await placeOf(page, best.id);
      await plot(page).hover({ position: place });
      await plot(page).getByText(`${best.id} · `).waitFor();
      assert.equal(await picked(page).count(), 0);
      await plot(page).click({ position: place });
      await picked(page).getByText("★ best").waitFor();
      assert.equal(hashOf(page), `#/overview?pick=${best.id}`);
      await picked(page).getByText(String(best.population)).waitFor();
      await assertUsable(page);
      const [parent = ""] = best.parentIds;
      await picked(page).getByRole("link", { name: parent, exact: true }).click();
      await picked(page).getByRole("heading", { name: parent, exact: true }).waitFor();
      assert.equal(await picked(page).getByText("★ best").count(), 0);
      await page.goBack();
      await picked(page).getByText("★ best").waitFor();
      await picked(page).getByRole("link", { name: "How the best came about" }).click();
      await page.getByText(/^Step \d+ of \d+$/).waitFor();
      await page.goBack();
      await picked(page).getByRole("link", { name: "In the lineage" }).click();
      await page.getByText(`Picked: ${best.id},`).waitFor();
      await page.goBack();
      await press(page, "Close");
      await picked(page).waitFor({ state: "detached" });
      await plot(page).click({ position: place });
      // Nobody lies in the corner.
      await plot(page).click({ position: { x: 2, y: 2 } });
      await picked(page).waitFor({ state: "detached" });
      opened.assertQuiet();
    },
  );

  browserTest("the keyboard goes from point to point, picks one, and lets go of it", async () => {
    await using opened = await openPage({ url: recorded.url });
    const { page } = opened;
    await plot(page).focus();
    await page.keyboard.press("End");
    const last = recorded.dump.individuals.filter(({ generation }) => generation === 19);
    const order = last
      .filter(({ score }) => score !== null)
      .sort((one, other) => (one.score ?? 0) - (other.score ?? 0))
      .map(({ id }) => id);
    const live = page.locator("[aria-live=polite]");
    await live.getByText(`${order[0]} · `).waitFor({ state: "attached" });
    await page.keyboard.press("ArrowDown");
    await live.getByText(`${order[1]} · `).waitFor({ state: "attached" });
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowLeft");
    await live.getByText(/generation 18/).waitFor({ state: "attached" });
    await page.keyboard.press("ArrowRight");
    await live.getByText(/generation 19/).waitFor({ state: "attached" });
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await picked(page)
      .getByRole("heading", { name: order[0] ?? "", exact: true })
      .waitFor();
    assert.equal(hashOf(page), `#/overview?pick=${order[0]}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await picked(page).waitFor({ state: "detached" });
    assert.equal(hashOf(page), "#/overview");
    opened.assertQuiet();
  });

  browserTest("ranges and distributions are switched, which the address says", async () => {
    const dump = sampleDump({ individuals: 100 });
    const individuals = dump.individuals.map((each, index) => ({
      ...each,
      score: each.score !== null && index % 10 === 9 ? 1e6 + index : each.score,
    }));
    const far = individuals.filter(({ score }) => (score ?? 0) >= 1e6).length;
    const { url, close } = await serveDump({ ...dump, individuals, events: [] });
    after(close);
    await using opened = await openPage({ url });
    const { page } = opened;
    const outside = page.getByText(`${far} individuals lie outside of the scores that are shown`);
    await outside.waitFor();
    const near = await picture(page);
    await card(page, "Fitness over generations").getByLabel("Scores").selectOption("all");
    await outside.waitFor({ state: "detached" });
    assert.notEqual(await picture(page), near);
    const latest = individuals.filter(({ generation, score }) => generation === 19 && score !== null).length;
    await card(page, "Distribution")
      .getByText(new RegExp(`^${latest} scores: `))
      .waitFor();
    await card(page, "Distribution").getByRole("combobox").selectOption("all");
    const all = individuals.filter(({ score }) => score !== null).length;
    await card(page, "Distribution")
      .getByText(new RegExp(`^${all} scores: `))
      .waitFor();
    assert.equal(hashOf(page), "#/overview?range=all&of=all");
    await page.reload();
    await card(page, "Distribution")
      .getByText(new RegExp(`^${all} scores: `))
      .waitFor();
    assert.equal(await outside.count(), 0);
    await card(page, "Fitness over generations").getByLabel("Scores").selectOption("near");
    await outside.waitFor();
    opened.assertQuiet();
  });

  browserTest("outcomes and kills are counted by kind, and fewer at a time before", async () => {
    await using opened = await openPage({ url: recorded.url });
    const { page } = opened;
    const results = recorded.dump.individuals.map(({ result }) => result);
    assert.deepEqual(await countsIn(page, "Ended as"), counted(results));
    const kills = results.filter((result) => result === "timeout" || result === "memory");
    assert.deepEqual(await countsIn(page, "Reason"), counted(kills));
    await page.getByRole("slider", { name: "Time" }).press("PageDown");
    await page.getByRole("row", { name: new RegExp(`^ok ${scored.length} `) }).waitFor({ state: "detached" });
    const ok = (await countsIn(page, "Ended as")).get("ok") ?? 0;
    assert.ok(ok > 0 && ok < scored.length, String(ok));
    opened.assertQuiet();
  });

  browserTest("where nobody has a score, or nothing was evaluated, that is said", async () => {
    const dump = sampleDump({ individuals: 40 });
    const failed = dump.individuals.filter(({ score }) => score === null);
    const waiting = dump.individuals.map((each) => ({
      ...each,
      score: null,
      result: "none",
      evaluatedAt: null,
      mutation: null,
    }));
    for (const [individuals, texts] of [
      [
        failed,
        [
          "Nobody has a score yet: all evaluations failed",
          "The program with the best score will be shown here",
        ],
      ],
      [waiting, ["No fitness is known yet", "Nothing was evaluated yet"]],
    ] as const) {
      const { url, close } = await serveDump({ ...dump, individuals, events: [], runs: [] } as typeof dump);
      after(close);
      await using opened = await openPage({ url });
      const { page } = opened;
      for (const text of texts) await said(page, text);
      await figure(page, "Best score").getByText("unknown", { exact: true }).waitFor();
      await assertAccessible(page);
      opened.assertQuiet();
    }
  });
});

/** Kinds and how many there are of each. */
function counted(kinds: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Where an individual lies in the plot. */
async function placeOf(page: Page, id: string): Promise<{ readonly x: number; readonly y: number }> {
  const model = new Model();
  model.individuals.direction = recorded.dump.direction;
  model.addEntries(recorded.dump.individuals);
  const rows = model.individuals;
  const [width = 0, height = 0] = await page.evaluate<readonly number[]>(
    `(({ clientWidth, clientHeight }) => [clientWidth, clientHeight])(document.querySelector("[role=application]"))`,
  );
  const layout = layoutFitness(rows, fitnessStatistics(rows), { width, height, range: "near" });
  const point = layout.rows.indexOf(rows.find(id) ?? -1);
  return { x: layout.px[point] ?? 0, y: layout.py[point] ?? 0 };
}
