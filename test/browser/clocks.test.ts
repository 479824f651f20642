// The clock of the machine that shows the page may be an hour off: ages are told by the clock of the server.
import assert from "node:assert/strict";
import { browserTest, openPage } from "./support/browser.ts";
import { serveLive } from "./support/served.ts";

const live = await serveLive({ generations: 1 });
const hourMs = 3_600_000;

for (const skewMs of [-hourMs, hourMs])
  browserTest(`ages are those of the server where the page's clock is ${skewMs} ms off`, async () => {
    await using opened = await openPage({ url: "about:blank" });
    const { page } = opened;
    await page.addInitScript(`{ const now = Date.now; Date.now = () => now() + ${skewMs}; }`);
    await page.goto(live.linkOf("reader"));
    await page.getByText("● live").waitFor();
    // A sandbox that lives for some seconds, and neither for none nor for an hour.
    await page.evaluate(`location.hash = "#/sandboxes/g0-5"`);
    await page.getByText(/\([\d.]+ (?:s|min) ago\)/).waitFor();
    await page.evaluate(`location.hash = "#/sandboxes"`);
    const cell = page.getByRole("row", { name: /g0-5/ });
    await cell.getByText(/^\d[\d.]* (?:s|min)( \d+ s)?$/).waitFor();
    assert.doesNotMatch(await page.locator("main").innerText(), /\b1 h 0 min|\b0 ms\b/);
    opened.assertQuiet();
  });
