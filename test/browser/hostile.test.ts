// Texts, figures and documents that were made to break the page, in every view: they are shown as texts, or refused with a sentence.
import assert from "node:assert/strict";
import { after, suite } from "node:test";
import type { Page } from "playwright-core";
import { writeRoute } from "../../dashboard/src/route.ts";
import { browserTest, openPage } from "./support/browser.ts";
import { assertHarmless, hostile, hostileDump, watch } from "./support/hostile.ts";
import { sampleDump } from "./support/sample-dump.ts";
import { serveDump } from "./support/served.ts";
import { said, show } from "./support/shop.ts";

/** A click answers within this, on a busy machine too. */
const answerMs = 8_000;

async function assertAnswers(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Runs", exact: true }).click({ timeout: answerMs });
  await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor({ timeout: answerMs });
}

const dump = hostileDump();
const idAt = (index: number): string => dump.individuals[index]?.id ?? "";
const lineage = (id: string, query: Readonly<Record<string, string>> = {}): string =>
  writeRoute({ view: "lineage", id, query });
const hashes = [
  "#/overview",
  writeRoute({ view: "overview", query: { pick: idAt(30) } }),
  lineage(idAt(30)),
  lineage(idAt(30), { show: "table", compare: idAt(31) }),
  lineage(idAt(5), { diff: "split", range: "whole" }),
  lineage(idAt(1)),
  lineage(idAt(89)),
  lineage(hostile),
  "#/best",
  "#/best?program=shown&step=1",
  "#/events",
  writeRoute({ view: "events", query: { q: "operator", id: "i3" } }),
  "#/runs?run=__proto__",
  `#/${encodeURIComponent(hostile.toWellFormed())}/constructor?__proto__=1&step=__proto__&sort=constructor`,
];

suite("a recorded document of hostile texts", () => {
  for (const width of [1_440, 390])
    browserTest(`is text in every view at ${width} px`, async () => {
      const { url, close } = await serveDump(dump);
      after(close);
      await using opened = await openPage({ url, width });
      const { page } = opened;
      const dialogs = await watch(opened);
      await page.getByText("recorded", { exact: true }).waitFor();
      for (const hash of hashes) {
        await show(page, hash);
        await page.locator("main h1, main h2").first().waitFor();
        await page.locator('main [aria-busy="true"]').first().waitFor({ state: "detached" });
        await assertHarmless(page);
      }
      await page.getByRole("slider", { name: "Time" }).press("Home");
      await assertHarmless(page);
      await page.getByRole("slider", { name: "Time" }).press("End");
      await assertAnswers(page);
      assert.deepEqual(dialogs, []);
      opened.assertQuiet();
    });

  browserTest("with ten thousand populations and kinds of failure the page still answers", async () => {
    const sample = sampleDump({ individuals: 10_000, islands: 4 });
    const individuals = sample.individuals.map((one, index) => ({
      ...one,
      population: `p${index}`,
      ...(index % 2 === 0 ? { score: null, result: `kind ${index}` } : {}),
    }));
    const { url, close } = await serveDump({ ...sample, individuals, events: [] });
    after(close);
    await using opened = await openPage({ url });
    const { page } = opened;
    await page.getByText("recorded", { exact: true }).waitFor();
    for (const hash of ["#/overview", "#/lineage", "#/lineage?show=table", "#/events", "#/best"]) {
      await show(page, hash);
      await page.locator("main h1, main h2").first().waitFor({ timeout: answerMs });
      await assertAnswers(page);
    }
    opened.assertQuiet();
  });
});

suite("a document that is none", () => {
  const sample = sampleDump({ individuals: 8 });
  const refused: readonly (readonly [name: string, text: string, reason: RegExp])[] = [
    ["is markup", markupOnly(), /must be JSON/],
    [
      "has half of its letters",
      JSON.stringify(sample).slice(0, 5_000),
      /must be JSON: it is not, or was cut/,
    ],
    ["is nested a million times", "[".repeat(1e6), /must be JSON/],
    [
      "has numbers for ids",
      JSON.stringify({ ...sample, individuals: [{ ...sample.individuals[0], id: 1 }] }),
      /individuals\[0\]\.id must be a text: got 1/,
    ],
    [
      "has hostile words for numbers",
      JSON.stringify({ ...sample, takenAt: hostile }),
      /takenAt must be a time in milliseconds: got <script>/,
    ],
    [
      "has fifty megabytes of nothing",
      `{"format":"vivarium-dump","formatVersion":1,"texts":["${"x".repeat(50e6)}"]}`,
      /must be/,
    ],
  ];

  for (const [name, text, reason] of refused)
    browserTest(`is refused where it ${name}`, async () => {
      const { url, close } = await serveDump(text);
      after(close);
      await using opened = await openPage({ url, width: 390 });
      const { page } = opened;
      await said(page, reason);
      await assertHarmless(page);
      await page.getByRole("button", { name: "Try again" }).click();
      await said(page, reason);
      opened.assertQuiet();
    });
});

function markupOnly(): string {
  return `<!doctype html><title>${hostile}</title>`;
}
