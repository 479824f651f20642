// The stream of events in a real browser: it is live, held still, filtered, opened and saved.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { suite } from "node:test";
import type { Page } from "playwright-core";
import { assertUsable, browserTest, openPage } from "./support/browser.ts";
import { serveLive, serveRecorded } from "./support/served.ts";

const live = await serveLive({ generations: 1 });
const recorded = await serveRecorded({ individuals: 200, hostile: "<img src=x onerror=alert(1)>\u202e" });

const rowsIn = (page: Page) => page.getByRole("grid", { name: "Events, newest first" }).getByRole("row");
const openEvents = async (page: Page): Promise<void> => {
  await page.getByRole("link", { name: "Events", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Events" }).waitFor();
};

suite("a server", () => {
  browserTest("what happens appears at once, and stands still while it is paused", async () => {
    await using opened = await openPage({ url: live.linkOf("reader") });
    const { page } = opened;
    await page.getByText("● live").waitFor();
    await openEvents(page);
    const first = String((await live.evolve()).at(-1));
    await rowsIn(page).filter({ hasText: first }).first().waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    const before = await rowsIn(page).nth(1).textContent();
    const second = String((await live.evolve()).at(-1));
    const more = page.getByRole("button", { name: /^[1-9]\d* new: show$/ });
    await more.waitFor();
    assert.equal(await rowsIn(page).nth(1).textContent(), before);
    assert.equal(await rowsIn(page).filter({ hasText: second }).count(), 0);
    await page.getByRole("button", { name: "Go on" }).click();
    await rowsIn(page).filter({ hasText: second }).first().waitFor();
    opened.assertQuiet();
  });

  browserTest("runs are told of only where somebody wants them", async () => {
    await using opened = await openPage({ url: live.linkOf("reader") });
    const { page } = opened;
    await page.getByText("● live").waitFor();
    await openEvents(page);
    await page.getByLabel("also runs and steps").check();
    // The stream that tells them is open when a run is told of.
    const runs = rowsIn(page).filter({ hasText: "sandbox.run.stop" });
    while ((await runs.count()) === 0) await live.evolve();
    assert.match(page.url(), /others=1/);
    opened.assertQuiet();
  });
});

suite("a recorded document", () => {
  browserTest(
    "events are filtered by name, sandbox and text, which the address says, and saved",
    async () => {
      await using opened = await openPage({ url: `${recorded.url}/#/events` });
      const { page } = opened;
      await page.getByText(/^Names: all/).click();
      await page.getByRole("checkbox", { name: /^killed/ }).check();
      await page.waitForURL(/names=sandbox\.killed/);
      const killed = recorded.dump.events.filter(({ name }) => name === "sandbox.killed");
      await page.getByText(new RegExp(`^${killed.length} shown of`)).waitFor();
      await page.getByLabel("Text").fill("timeout");
      const timeouts = killed.filter(({ event }) => "reason" in event && event.reason === "timeout");
      await page.getByText(new RegExp(`^${timeouts.length} shown of`)).waitFor();
      const downloading = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save as NDJSON" }).click();
      const lines = (await readFile(await (await downloading).path(), "utf8")).trimEnd().split("\n");
      assert.deepEqual(
        lines.map((line) => JSON.parse(line) as object),
        timeouts.map(({ name, event, at }) => ({ name, event, at })),
      );
      await page.reload();
      await page.getByText(new RegExp(`^${timeouts.length} shown of`)).waitFor();
      opened.assertQuiet();
    },
  );

  browserTest("one event is copied, leads to its individual, and to all that happened to it", async () => {
    await using opened = await openPage({ url: `${recorded.url}/#/events?names=lineage.born` });
    const { page, context } = opened;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByText(/^Names: 1 chosen/).click();
    await rowsIn(page).nth(1).click();
    const card = page.getByRole("region", { name: "One event" });
    await card.getByRole("button", { name: "Copy what the event carries" }).click();
    await page.getByText("Copied what the event carries.").waitFor();
    const text = await page.evaluate<string>("navigator.clipboard.readText()");
    const { sandboxId } = JSON.parse(text) as { readonly sandboxId: string };
    assert.equal(sandboxId, "i199");
    await page.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("Copied what the event carries.").waitFor({ state: "detached" });
    await card.getByRole("button", { name: "Only events of it" }).click();
    await page.getByText(/^1 shown of/).waitFor();
    await page.getByRole("button", { name: "Show all names" }).click();
    const own = recorded.dump.events.filter(
      ({ event }) => "sandboxId" in event && event.sandboxId === "i199",
    );
    assert.ok(own.length > 1);
    await page.getByText(new RegExp(`^${own.length} shown of`)).waitFor();
    assert.equal(await page.getByLabel("Sandbox", { exact: true }).inputValue(), "i199");
    await card.getByRole("link", { name: "Lineage of i199" }).click();
    await page.getByText("Picked: i199,").waitFor();
    opened.assertQuiet();
  });

  browserTest("an event opens by the keyboard as data, and stays open while the slider moves", async () => {
    await using opened = await openPage({ url: `${recorded.url}/#/events` });
    const { page } = opened;
    const grid = page.getByRole("grid", { name: "Events, newest first" });
    await grid.focus();
    await grid.press("End");
    await grid.press("Enter");
    const card = page.getByRole("region", { name: "One event" });
    await card.getByRole("heading", { name: "cell.started" }).waitFor();
    await card.getByText('"pid": 4001').waitFor();
    await page.getByRole("slider", { name: "Time" }).press("Home");
    await card.getByText('"pid": 4001').waitFor();
    await card.getByRole("button", { name: "Close" }).click();
    await card.waitFor({ state: "detached" });
    opened.assertQuiet();
  });

  browserTest("everybody can use it, wide and narrow, light and dark", async () => {
    await using opened = await openPage({ url: `${recorded.url}/#/events?event=e5` });
    const { page } = opened;
    await page.getByText(/^Names: all/).click();
    await page.getByRole("region", { name: "One event" }).waitFor();
    await assertUsable(page);
    opened.assertQuiet();
  });
});
