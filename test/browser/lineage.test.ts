// The lineage in a real browser: picking by mouse, keyboard and search, edges, switches, the table, the Pareto front, and time.
import assert from "node:assert/strict";
import { suite } from "node:test";
import type { Page } from "playwright-core";
import { assertUsable, browserTest, openPage, type Opened } from "./support/browser.ts";
import { centred, fit, margins, type Size } from "../../dashboard/src/plots/lineage/camera.ts";
import { gridOf, nearest } from "../../dashboard/src/plots/lineage/grid.ts";
import { layoutOf } from "../../dashboard/src/plots/lineage/layout.ts";
import { firstParent } from "../../dashboard/src/plots/lineage/moves.ts";
import { sceneOf } from "../../dashboard/src/plots/lineage/scene.ts";
import { Model } from "../../dashboard/src/model/model.ts";
import { serveLive, serveRecorded } from "./support/served.ts";

const recorded = await serveRecorded({ individuals: 400 });
const hostileText = `\u202e\u0007<img src=x onerror="document.title='taken'">`;
const hostile = await serveRecorded({
  individuals: 60,
  hostile: hostileText,
  components: [hostileText, `${hostileText} again`],
});
const best = recorded.dump.individuals
  .filter(({ score }) => score !== null)
  .reduce((one, other) => ((other.score ?? 0) < (one.score ?? 0) ? other : one));

const openLineage = (hash = "#/lineage"): Promise<Opened> => openPage({ url: `${recorded.url}/${hash}` });
const plot = (page: Page) => page.getByRole("application", { name: "Individuals by generation and score" });
const said = (page: Page) => page.locator("#lineage-said");
const hashOf = (page: Page): string => new URL(page.url()).hash;

suite("the lineage", () => {
  browserTest("the keyboard picks the best, goes to its parent and back, and opens its details", async () => {
    await using opened = await openLineage();
    const { page } = opened;
    await page.getByText(`to the best, ${best.id}:`).waitFor();
    await said(page).getByText("Nobody is picked.").waitFor();
    await plot(page).focus();
    await page.keyboard.press("Home");
    await said(page).getByText(`Picked: ${best.id},`).waitFor();
    await page.keyboard.press("Shift+ArrowLeft");
    await said(page).getByText(`Picked: ${best.parentIds[0]},`).waitFor();
    await page.keyboard.press("Shift+ArrowRight");
    await said(page).getByText(`Picked: ${best.id},`).waitFor();
    await page.keyboard.press("ArrowLeft");
    await said(page)
      .getByText(/^Picked: (?!i0,)/)
      .waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    assert.equal(
      await page.evaluate("document.activeElement.getAttribute('aria-label')"),
      "Picked individual",
    );
    await plot(page).focus();
    await page.keyboard.press("Escape");
    await said(page).getByText("Nobody is picked.").waitFor();
    assert.equal(hashOf(page), "#/lineage");
    opened.assertQuiet();
  });

  browserTest(
    "a click picks the nearest, a drag moves the plot, and a click on an edge shows its difference",
    async () => {
      await using opened = await openLineage(`#/lineage/${best.id}`);
      const { page } = opened;
      await said(page).getByText(`Picked: ${best.id},`).waitFor();
      const before = await picture(page);
      const box = await plot(page).boundingBox();
      assert.ok(box !== null);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.wheel(0, -300);
      await changed(page, before);
      const zoomed = await picture(page);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2 + 80, box.y + box.height / 2 + 40, { steps: 4 });
      await page.mouse.up();
      await changed(page, zoomed);
      assert.equal(hashOf(page), `#/lineage/${best.id}`, "a drag picks nobody");
      // What is picked goes to the middle, and one of its edges leads to the left from there.
      await page.getByRole("button", { name: "To best" }).click();
      await page.getByRole("button", { name: `parent ${best.parentIds[0]}` }).click();
      assert.equal(hashOf(page), `#/lineage/${best.id}?from=${best.parentIds[0]}`);
      const [width, height] = await page.evaluate<readonly [number, number]>(
        `(({ clientWidth, clientHeight }) => [clientWidth, clientHeight])(document.querySelector("[role=application]"))`,
      );
      const middle = { x: (width + margins.left) / 2, y: (height - margins.bottom) / 2 };
      await plot(page).locator("canvas").click({ position: middle });
      assert.equal(hashOf(page), `#/lineage/${best.id}`);
      await plot(page)
        .locator("canvas")
        .click({ position: onEdge({ width, height }) });
      assert.equal(hashOf(page), `#/lineage/${best.id}?from=${best.parentIds[0]}`);
      opened.assertQuiet();
    },
  );

  browserTest("an individual is found by its id, and an unknown id is said", async () => {
    await using opened = await openLineage();
    const { page } = opened;
    const field = page.getByLabel("Find by id");
    await field.fill("i123");
    await page.getByRole("button", { name: "Find", exact: true }).click();
    await said(page).getByText("Picked: i123,").waitFor();
    await field.fill("nobody");
    await page.getByRole("button", { name: "Find", exact: true }).click();
    await page.getByText("Nobody has the id nobody").waitFor();
    opened.assertQuiet();
  });

  browserTest("switches and the order of the table stand in the address", async () => {
    await using opened = await openLineage();
    const { page } = opened;
    await page.getByRole("checkbox", { name: "island-2" }).uncheck();
    await page.getByLabel("Edges").selectOption("migrations");
    await page.getByRole("checkbox", { name: "Failures" }).uncheck();
    await page.getByRole("button", { name: "Table" }).click();
    const table = page.getByRole("region", { name: "Individuals as a table" });
    await table.getByRole("button", { name: "Id" }).click();
    await table.getByRole("link", { name: "i0", exact: true }).first().waitFor();
    assert.equal(await table.getByText("island-2").count(), 0);
    assert.equal(await table.getByText("unknown").count(), 0);
    await page.reload();
    assert.equal(await page.getByRole("checkbox", { name: "island-2" }).isChecked(), false);
    await table.getByRole("link", { name: "i0", exact: true }).first().click();
    await said(page).getByText("Picked: i0,").waitFor();
    assert.match(hashOf(page), /^#\/lineage\/i0\?/);
    await page.evaluate(`document.querySelector("[aria-rowcount]").parentElement.scrollTo(0, 1e6)`);
    await table.getByRole("link", { name: "i399", exact: true }).waitFor();
    opened.assertQuiet();
  });

  browserTest("who is picked stays picked while the time moves, also where nobody is there yet", async () => {
    await using opened = await openLineage(`#/lineage/${best.id}`);
    const { page } = opened;
    await said(page).getByText(`Picked: ${best.id},`).waitFor();
    const slider = page.getByRole("slider", { name: "Time" });
    await slider.press("Home");
    await said(page).getByText(`${best.id} is not there at this time.`).waitFor();
    await slider.press("End");
    await said(page).getByText(`Picked: ${best.id},`).waitFor();
    opened.assertQuiet();
  });

  browserTest("the Pareto front follows what is chosen as better", async () => {
    await using opened = await openLineage();
    const { page } = opened;
    const panel = page.getByRole("region", { name: "Pareto front" });
    const first = panel.locator("ol a").first();
    await panel.getByText("without a known value of both are not drawn").waitFor();
    assert.equal(await first.textContent(), best.id);
    await panel.getByLabel("Better, across:").selectOption("more");
    await panel.locator("ol a").filter({ hasNotText: best.id }).first().waitFor();
    assert.equal(hashOf(page), "#/lineage?betterX=more");
    const id = await first.textContent();
    await first.click();
    await said(page).getByText(`Picked: ${id},`).waitFor();
    opened.assertQuiet();
  });

  browserTest("text of guests is text", async () => {
    await using opened = await openPage({ url: `${hostile.url}/#/lineage/i5` });
    const { page } = opened;
    await page.getByRole("heading", { name: "Pareto front" }).waitFor();
    await page.getByRole("button", { name: "Table" }).click();
    await page.getByRole("region", { name: "Individuals as a table" }).waitFor();
    assert.equal(await page.locator("main img[src], main img[onerror]").count(), 0);
    assert.equal(await page.title(), "Lineage – Vivarium");
    assert.ok((await page.locator("main").textContent())?.includes("\\u202e"));
    opened.assertQuiet();
  });

  browserTest("births are drawn as they come", async () => {
    const live = await serveLive({ generations: 1 });
    await using opened = await openPage({ url: live.linkOf("reader") });
    const { page } = opened;
    await page.getByRole("link", { name: "Lineage" }).click();
    await page.getByText("8 individuals,").waitFor();
    await plot(page).focus();
    await page.keyboard.press("Home");
    const before = await said(page).textContent();
    await live.evolve();
    await page.getByText("16 individuals,").waitFor();
    assert.equal((await said(page).textContent())?.split(",")[0], before?.split(",")[0]);
    opened.assertQuiet();
  });

  browserTest("who joins a population after its evaluation is shown as its member", async () => {
    const live = await serveLive({ generations: 1 });
    const fitness = { tests: [{ name: "t", call: "main.f", expected: 1 }] } as const;
    await live.runtime.create("late", { modules: { main: "export const f = () => 1;" } });
    for await (const _ of live.runtime.batch.evaluate(["late"], fitness));
    await using opened = await openPage({ url: live.linkOf("reader") });
    const { page } = opened;
    const legend = page.getByText("no population", { exact: true });
    await legend.waitFor();
    await page.getByRole("link", { name: "Lineage" }).click();
    const alone = page.getByRole("checkbox", { name: /^no population 1$/ });
    await alone.waitFor();
    live.tracker.populations.add("island-2", ["late"]);
    await alone.waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: /^island-2 5$/ }).waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("best so far", { exact: true }).waitFor();
    assert.equal(await legend.count(), 0);
    opened.assertQuiet();
  });

  browserTest("plot, table and front can be used by everybody, wide and narrow, light and dark", async () => {
    await using opened = await openLineage(`#/lineage/${best.id}?from=${best.parentIds[0]}`);
    const { page } = opened;
    await said(page).getByText(`Picked: ${best.id},`).waitFor();
    await assertUsable(page);
    await page.getByRole("button", { name: "Table" }).click();
    await page.getByRole("region", { name: "Individuals as a table" }).waitFor();
    await assertUsable(page);
    opened.assertQuiet();
  });

  browserTest("the plot is moved by keys and buttons, and its edges and range are switched", async () => {
    await using opened = await openLineage();
    const { page } = opened;
    await page.getByText(`to the best, ${best.id}:`).waitFor();
    await plot(page).focus();
    let before = await picture(page);
    for (const key of ["+", "-", "+", "0"]) {
      await page.keyboard.press(key);
      await changed(page, before);
      before = await picture(page);
    }
    await page.keyboard.press("+");
    await changed(page, before);
    before = await picture(page);
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    await changed(page, before);
    before = await picture(page);
    await page.getByLabel("Edges").selectOption("selected");
    await changed(page, before);
    assert.equal(hashOf(page), "#/lineage?edges=selected");
    await page.getByText("Keys", { exact: true }).click();
    await page.getByText(/^Arrows: the nearest on that side/).waitFor();
    const panel = page.getByRole("region", { name: "Pareto front" });
    const front = await panel.getByRole("img").getAttribute("aria-label");
    await panel.locator("select").first().selectOption({ index: 1 });
    await page.waitForURL(/edges=selected&x=/);
    assert.notEqual(await panel.getByRole("img").getAttribute("aria-label"), front);
    opened.assertQuiet();
  });
});

/** What is drawn, as a text. */
function picture(page: Page): Promise<string> {
  return page.evaluate<string>(`document.querySelector("[role=application] canvas").toDataURL()`);
}

/** Something else is drawn than before. */
async function changed(page: Page, before: string): Promise<void> {
  while ((await picture(page)) === before) await page.evaluate("new Promise(requestAnimationFrame)");
}

/** A place on the edge to its first parent, away from all individuals, when the best is in the middle. */
function onEdge({ width, height }: Size): { readonly x: number; readonly y: number } {
  const model = new Model();
  model.individuals.direction = recorded.dump.direction;
  model.addEntries(recorded.dump.individuals);
  const scene = sceneOf(model.individuals);
  const layout = layoutOf(scene);
  const whole = fit(layout, { width, height });
  const place = (row: number): { x: number; y: number } => ({ x: layout.x[row] ?? 0, y: layout.y[row] ?? 0 });
  const near = { ...whole, scaleX: whole.scaleX * 3, scaleY: whole.scaleY * 3 };
  const camera = centred(near, place(scene.best), { width, height });
  const [child, parent] = [place(scene.best), place(firstParent(scene, scene.best))];
  const [grid, shown] = [gridOf(layout), new Uint8Array(scene.size).fill(1)];
  for (let share = 0.1; share < 0.9; share += 0.02) {
    const x = (child.x + (parent.x - child.x) * share) * camera.scaleX + camera.left;
    const y = camera.top - (child.y + (parent.y - child.y) * share) * camera.scaleY;
    if (nearest({ layout, grid, camera }, { x, y, within: 14, shown }) < 0) return { x, y };
  }
  return assert.fail("somebody is near everywhere");
}
