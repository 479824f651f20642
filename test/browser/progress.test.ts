// How far a run is, in a real browser: of its budget, at the end of a document, and at a time before.
import assert from "node:assert/strict";
import { after, suite } from "node:test";
import type { Page } from "playwright-core";
import { assertUsable, browserTest, openPage } from "./support/browser.ts";
import { serveDump, serveLive } from "./support/served.ts";
import { sampleDump } from "./support/sample-dump.ts";
import { said } from "./support/shop.ts";

/** One of the figures at the top, whole. */
const figure = (page: Page, name: string) =>
  page
    .getByRole("region", { name: "Figures", exact: true })
    .locator(".card")
    .filter({ has: page.getByRole("heading", { name, exact: true }) });

suite("the progress of a run", () => {
  browserTest("with the time left is that of the newest run, unknown, and done", async () => {
    const live = await serveLive({ generations: 1 });
    const tell = (run: object): Promise<void> => live.runtime.documents.write("runs", new Map([["r", run]]));
    await using opened = await openPage({ url: live.linkOf("reader") });
    const { page } = opened;
    await figure(page, "Progress").getByRole("link", { name: "run" }).waitFor();
    const about = "a goal in a sentence";
    const run = { title: "one run", about, unit: "% excess", state: "running", evaluations: 25 };
    await tell({ ...run, evaluationsMax: 100, durationMs: 10_000 });
    await page.getByRole("heading", { level: 1, name: "one run" }).waitFor();
    await said(page, about);
    const progress = figure(page, "Progress");
    await progress.getByText("25 %", { exact: true }).first().waitFor();
    assert.equal(await progress.getByRole("progressbar").getAttribute("value"), "0.25");
    await progress.getByText("25 of 100 evaluations").waitFor();
    await progress.getByText("about 30.0 s").waitFor();
    await figure(page, "Best score").getByRole("link", { name: "50 % excess", exact: true }).waitFor();
    await tell({ ...run, updatedAt: Date.now() - 3_600_000 });
    await page.reload();
    await progress.getByText("no budget known").waitFor();
    await progress.getByText("Time left: unknown").waitFor();
    await progress.getByText(/^It last said something 1 h 0 min ago\.$/).waitFor();
    assert.equal(await progress.getByRole("progressbar").count(), 0);
    await tell({ ...run, state: "done", evaluations: 100, evaluationsMax: 100 });
    await live.runtime.documents.write("runs", new Map([["z-older", { title: "older", updatedAt: null }]]));
    await page.reload();
    await progress.getByText("✓ done").waitFor();
    assert.equal(await progress.getByText("Time left").count(), 0);
    await page.getByText("The newest of 2").waitFor();
    await assertUsable(page);
    opened.assertQuiet();
  });
});

suite("a recorded document", () => {
  browserTest("at a time before is its share of what the run counts itself", async () => {
    const dump = sampleDump({ individuals: 200 });
    const budget = { state: "done", evaluations: 160, evaluationsMax: 160 } as const;
    const served = await serveDump({ ...dump, runs: dump.runs.map((run) => ({ ...run, ...budget })) });
    after(served.close);
    await using opened = await openPage({ url: served.url });
    const { page } = opened;
    const progress = figure(page, "Progress");
    await progress.getByText("✓ done").waitFor();
    await progress.getByText("160 of 160 evaluations", { exact: true }).waitFor();
    const slider = page.getByRole("slider", { name: "Time" });
    await slider.fill("500");
    const times = dump.events.map(({ at }) => at);
    const [from, to] = [Math.min(...times), Math.max(...times)];
    const known = dump.events.filter(({ name, at }) => name === "fitness.computed" && at <= (from + to) / 2);
    const done = Math.round((160 * known.length) / dump.individuals.length);
    assert.ok(done > 40 && done < 120, `${done}`);
    await progress.getByText(`about ${done} of 160 evaluations`, { exact: true }).waitFor();
    await progress.getByText("Time left then").waitFor();
    await slider.press("End");
    await progress.getByText("✓ done").waitFor();
    opened.assertQuiet();
  });
});
