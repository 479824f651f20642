// What is long is shown in part in a real browser, and whole once somebody asks for it.
import assert from "node:assert/strict";
import { after, suite } from "node:test";
import type { DumpIndividual } from "../../src/contract/evolution-bodies.ts";
import { assertUsable, browserTest, openPage } from "./support/browser.ts";
import { sampleDump } from "./support/sample-dump.ts";
import { serveDump, serveLive } from "./support/served.ts";
import { openAt, press, said } from "./support/shop.ts";

const moduleNames = Array.from({ length: 30 }, (_, index) => `part-${String(index).padStart(2, "0")}`);
const childrenMax = 25;
const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `export const line${from + index} = ${from + index};\n`).join(
    "",
  );
/** Longer than an editor is made for, and with a line that is longer than a screen. */
const huge = `${lines(0, 8_000)}export const text = "${"x".repeat(20_000)}end";\n`;

/** A seed of many modules, its better child that changed all of them, and its many other children. */
function longDump() {
  const sample = sampleDump({ individuals: 60, components: ["fit"] });
  const texts: string[] = [];
  const programOf = (source: (place: number) => string): Record<string, number> =>
    Object.fromEntries(moduleNames.map((name, place) => [name, texts.push(source(place)) - 1]));
  const seedSources = programOf((place) => (place === 0 ? lines(0, 30) : `export const at = ${place};\n`));
  const bestSources = programOf((place) =>
    place === 0
      ? lines(0, 15) + "export const more = 1;\n" + lines(15, 15)
      : `export const at = -${place};\n`,
  );
  const hugeSources = { candidate: texts.push(huge) - 1 };
  const hugeChanged = { candidate: texts.push(huge.replaceAll(/(?<=00) = |(?<=text) = "/g, "$&-")) - 1 };
  const individuals = sample.individuals.map((individual, index): DumpIndividual => {
    const common = { ...individual, population: `island-${index}`, components: {}, parentSources: null };
    if (index === 0) return { ...common, score: 5, result: "ok", sources: seedSources };
    if (index === 1) {
      const components = Object.fromEntries(moduleNames.map((name, place) => [name, place]));
      return {
        ...common,
        parentIds: ["i0"],
        generation: 1,
        score: 1,
        result: "ok",
        components,
        sources: bestSources,
      };
    }
    if (index === 2)
      return { ...common, parentIds: ["i0"], generation: 1, score: 1e9, result: "ok", sources: hugeSources };
    if (index === 3)
      return { ...common, parentIds: ["i2"], generation: 2, score: 6, result: "ok", sources: hugeChanged };
    const parentIds = index < childrenMax + 2 ? ["i0"] : ["i3"];
    return { ...common, parentIds, generation: 2, score: 5 + index / 100, result: "ok", sources: null };
  });
  return { ...sample, texts, individuals, events: [] };
}

const served = await serveDump(longDump());
after(served.close);

suite("a program of many modules", () => {
  browserTest(
    "shows the first of what changed, and the rest of modules, components and lines when asked",
    async () => {
      await using opened = await openPage({ url: `${served.url}/#/best` });
      const { page } = opened;
      const modules = page.getByRole("region", { name: /^part-\d\d$/ });
      await page.getByRole("region", { name: "part-19" }).waitFor();
      assert.equal(await modules.count(), 20);
      await press(page, "Show 10 more modules");
      await page.getByRole("region", { name: "part-29" }).waitFor();
      assert.equal(await modules.count(), 30);
      const first = page.getByRole("region", { name: "part-00" });
      await first.getByText("export const more = 1;").waitFor();
      await first.locator(".cm-collapsedLines").first().waitFor();
      await first.getByLabel("unchanged lines too").check();
      await first.getByText("export const line0 = 0;").waitFor();
      assert.equal(await first.locator(".cm-collapsedLines").count(), 0);
      await press(page, "Show all 30 components");
      await page.getByRole("row", { name: /^part-29/ }).waitFor();
      await press(page, "The whole program");
      await page.getByRole("textbox", { name: "Code of part-19" }).waitFor();
      await press(page, "Show 10 more modules");
      await page.getByRole("textbox", { name: "Code of part-29" }).waitFor();
      opened.assertQuiet();
    },
  );

  browserTest("its children are listed in part, and all of them when asked", async () => {
    await using opened = await openPage({ url: `${served.url}/#/lineage/i0` });
    const { page } = opened;
    const panel = page.getByRole("region", { name: "Picked individual" });
    await press(page, `all ${childrenMax}`);
    await panel.getByRole("link", { name: `i${childrenMax + 1}`, exact: true }).waitFor();
    opened.assertQuiet();
  });
});

suite("a program that is too long for the editor", () => {
  browserTest("is compared in part, then line by line to its end", async () => {
    await using opened = await openPage({ url: `${served.url}/#/lineage/i3?from=i2` });
    const { page } = opened;
    const difference = page.getByRole("group", { name: /^From / });
    await difference.getByText("export const line100 = -100;").waitFor();
    assert.equal(await page.locator(".cm-editor").count(), 0);
    const count = async (): Promise<number> => await difference.locator("> div").count();
    const before = await count();
    await press(page, "Show more");
    assert.ok((await count()) > before);
    const cut = difference.getByText(/^export const text = "-?x+…$/);
    assert.equal(await cut.count(), 2);
    await press(page, "Show long lines whole");
    await difference.getByText(/^export const text = "-x+end";$/).waitFor();
    assert.equal(await cut.count(), 0);
    await assertUsable(page);
    opened.assertQuiet();
  });

  browserTest("is shown in part, then whole", async () => {
    await using opened = await openPage({ url: `${served.url}/#/best/i3?program=shown` });
    const { page } = opened;
    const code = page.getByRole("group", { name: "Code of candidate" });
    await said(page, /^Only a part of [\d,. ]+ characters is shown\.$/);
    assert.equal(await code.getByText("xend").count(), 0);
    await press(page, "Show all");
    await code.getByText(/xend";/).waitFor();
    opened.assertQuiet();
  });
});

browserTest("far scores and many populations are drawn and listed when asked", async () => {
  await using opened = await openPage({ url: `${served.url}/#/lineage` });
  const { page } = opened;
  const plot = page.getByRole("application", { name: "Individuals by generation and score" });
  await said(page, "1 far from all others: at the edge, with an arrow");
  await plot.waitFor();
  const whole = page.getByLabel("Whole range of scores");
  await whole.check();
  await page.getByText("far from all others").waitFor({ state: "detached" });
  await page.waitForURL(/range=whole/);
  await whole.uncheck();
  await said(page, "1 far from all others: at the edge, with an arrow");
  assert.equal(await page.getByRole("checkbox", { name: /^island-/ }).count(), 40);
  await press(page, "and 20 more");
  assert.equal(await page.getByRole("checkbox", { name: /^island-/ }).count(), 60);
  await press(page, "Table");
  await press(page, "Plot");
  await plot.waitFor();
  opened.assertQuiet();
});

browserTest("of many console lines the last are shown, and the earlier ones when asked", async () => {
  const live = await serveLive({ generations: 0 });
  const main = "export const talk = () => { for (let at = 0; at < 600; at++) console.log('word ' + at); };";
  const sandbox = await live.runtime.create("talker", { modules: { main } });
  await sandbox.call("main.talk");
  await using opened = await openAt(live, "reader", { hash: "#/sandboxes/talker?tab=logs" });
  const { page } = opened;
  await page.getByText("word 599", { exact: true }).waitFor();
  assert.equal(await page.getByText("word 0", { exact: true }).count(), 0);
  await press(page, "Show earlier lines (100)");
  await page.getByText("word 0", { exact: true }).waitFor();
  opened.assertQuiet();
});
