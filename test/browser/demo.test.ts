// `vivarium demo --open` in a real browser, as a user starts it: while it breeds, when it is done, and when it is gone.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after } from "node:test";
import { Folder } from "../support/folders.ts";
import { until } from "../support/waiting.ts";
import { assertUsable, browserTest, openPage } from "./support/browser.ts";
import { fakeBrowser, linkForm, startCommand } from "./support/commands.ts";

const folder = new Folder();
after(() => folder[Symbol.dispose]());
const small = ["--population", "40", "--evaluations", "2000"] as const;

browserTest(
  "the demo is seen while it breeds, stays when it is done, and is kept when it is gone",
  async () => {
    const browser = fakeBrowser(folder);
    await using demo = startCommand(["demo", "--open", ...small], { BROWSER: browser });
    await until("the browser was asked", () => existsSync(folder.at("opened")));
    const link = readFileSync(folder.at("opened"), "utf8");
    assert.match(link, linkForm);
    await using opened = await openPage({ url: link });
    const { page } = opened;
    const figure = (name: string) =>
      page
        .getByRole("region", { name: "Figures" })
        .locator(".card")
        .filter({ has: page.getByRole("heading", { name, exact: true }) });
    const generation = async (): Promise<number> =>
      Number((await figure("Generation").locator(".figure").textContent())?.replaceAll(",", ""));
    // It rises while the page is open, which is nothing that the page could have read when it was opened.
    await figure("Best score")
      .getByText(/ % excess$/)
      .waitFor();
    await figure("Progress").getByText("of 2,000 evaluations").waitFor();
    await figure("Progress")
      .getByText(/^Time left: about /)
      .waitFor();
    const first = await generation();
    const at = await until("a later generation", async () => {
      const now = await generation();
      return now > first && now;
    });
    assert.equal(
      await figure("Progress").getByText("✓ done").count(),
      0,
      "it was done too early to see it breed",
    );

    await page.getByRole("link", { name: "Lineage", exact: true }).click();
    for (const island of [1, 2, 3, 4])
      await page.getByRole("checkbox", { name: `island ${island}` }).waitFor();
    await demo.until(/stays until Ctrl-C/);
    await page.getByText(/to the best, \S+:/).waitFor();
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await figure("Progress").getByText("✓ done").waitFor();
    assert.ok((await generation()) > at);
    await assertUsable(page);

    await page.getByRole("link", { name: "Best", exact: true }).click();
    await page.getByText(/^Score [\d.]+ → [\d.]+ \(lower is better\)/).waitFor();
    const [, count = "0"] =
      /Step (\d+) of \1/.exec((await page.getByText(/^Step \d+ of \d+$/).textContent()) ?? "") ?? [];
    assert.ok(Number(count) > 2, count);
    await page.locator(".cm-editor .cm-changedLine").first().waitFor();
    opened.assertQuiet();

    assert.equal(await demo.interrupt(), 130);
    await page.getByText("connection lost, trying again").waitFor();
    await page.getByText(`Step ${count} of ${count}`, { exact: true }).waitFor();
    await page.locator(".cm-editor .cm-changedLine").first().waitFor();
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await figure("Progress").getByText("✓ done").waitFor();
    assert.ok((await generation()) > at);
    opened.assertQuiet({
      except: [/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/],
    });
  },
);
