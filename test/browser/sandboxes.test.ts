// The list of sandboxes in a real browser, and who can use it and what it leads to.
import assert from "node:assert/strict";
import { suite } from "node:test";
import { assertUsable, browserTest, openPage } from "./support/browser.ts";
import { serveLive, serveRecorded } from "./support/served.ts";
import { makeShop, openAt, press, said, show } from "./support/shop.ts";

const live = await serveLive({ generations: 1 });
const { runtime } = live;
const recorded = await serveRecorded({ individuals: 20 });

suite("the list", () => {
  browserTest(
    "it is searched, filtered and sorted, which the address says, and moved through by keys",
    async () => {
      const spec = { modules: { main: "export const x = ;" }, labels: { island: "island-2" } };
      await assert.rejects(runtime.create("g0-broken", spec), { code: "PARSE_FAILED" });
      await using opened = await openAt(live, "reader", { hash: "#/sandboxes" });
      const { page } = opened;
      const grid = page.getByRole("grid", { name: "Sandboxes" });
      const ids = (): Promise<readonly string[]> =>
        grid
          .getByRole("gridcell")
          .filter({ hasText: /^g0-\d$/ })
          .allTextContents();
      await grid.getByText("g0-7").waitFor();
      await page.getByRole("searchbox").fill("g0- ISLAND-2");
      await said(page, /^4 of /);
      await press(page, "Id");
      await press(page, "Id");
      assert.deepEqual(await ids(), ["g0-7", "g0-5", "g0-3"]);
      assert.match(page.url(), /\?q=g0-\+ISLAND-2&sort=id&dir=down$/);
      await page.reload();
      await grid.getByText("g0-7").waitFor();
      assert.deepEqual(await ids(), ["g0-7", "g0-5", "g0-3"]);
      assert.equal(await grid.getAttribute("aria-rowcount"), "5");
      await page.getByRole("button", { name: /failed/ }).click();
      await said(page, /^1 of /);
      await grid.focus();
      await grid.press("End");
      await grid.press("Enter");
      await page.getByRole("heading", { level: 1, name: "g0-broken" }).waitFor();
      await said(page, "PARSE_FAILED");
      opened.assertQuiet();
    },
  );

  browserTest("those that are chosen are destroyed once that was confirmed", async () => {
    for (const id of ["many-1", "many-2", "many-3"]) await makeShop(runtime, id);
    await using opened = await openAt(live, "evaluator", { hash: "#/sandboxes?q=many" });
    const { page } = opened;
    await page.getByLabel("Choose many-1").check();
    await page.getByLabel("Choose many-3").check();
    await press(page, "Choose none");
    assert.equal(await page.getByLabel("Choose many-1").isChecked(), false);
    assert.equal(await page.getByRole("button", { name: "Destroy selected…" }).count(), 0);
    await page.getByLabel("Choose many-1").check();
    await page.getByLabel("Choose many-3").check();
    await press(page, "Destroy selected…");
    const dialog = page.getByRole("dialog");
    assert.deepEqual(await dialog.getByRole("listitem").allTextContents(), ["many-1", "many-3"]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await runtime.has("many-1"), true);
    await press(page, "Destroy selected…");
    await press(page, "Destroy 2");
    await said(page, "2 sandboxes are destroyed.");
    assert.deepEqual(await Promise.all(["many-1", "many-2", "many-3"].map((id) => runtime.has(id))), [
      false,
      true,
      false,
    ]);
    await page.getByLabel("with those seen to go").check();
    await page.getByRole("gridcell", { name: "many-3", exact: true }).waitFor();
    opened.assertQuiet();
  });
});

suite("who may only read", () => {
  browserTest("sees no button that changes anything, in the list and in every tab", async () => {
    await makeShop(runtime, "seen");
    await using opened = await openAt(live, "reader", { hash: "#/sandboxes?q=seen" });
    const { page } = opened;
    await page.getByRole("gridcell", { name: "seen" }).waitFor();
    assert.equal(await page.getByRole("grid").getByRole("checkbox").count(), 0);
    await page.getByRole("gridcell", { name: "seen" }).click();
    await page.getByRole("tab").first().waitFor();
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await page.getByRole("tabpanel").waitFor();
      const names = await page.locator("main").getByRole("button").allTextContents();
      assert.doesNotMatch(
        names.join("\n"),
        /restart|suspend|limits|destroy|edit|reload|roll|^call$|ask|send|checkpoint/im,
      );
    }
    opened.assertQuiet();
  });
});

suite("a recorded document", () => {
  browserTest("says that it has no sandboxes", async () => {
    await using opened = await openPage({ url: `${recorded.url}/#/sandboxes/x` });
    await said(opened.page, /What is shown was recorded/);
    opened.assertQuiet();
  });
});

browserTest("everybody can use the list and every tab, wide and narrow, light and dark", async () => {
  await (await makeShop(runtime, "usable")).call("main.total", { args: [[{}]] });
  await using opened = await openAt(live, "evaluator", { hash: "#/sandboxes" });
  const { page } = opened;
  await page.getByRole("gridcell", { name: "usable", exact: true }).waitFor();
  await assertUsable(page);
  await show(page, "#/sandboxes/usable");
  await page.getByRole("tab").first().waitFor();
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    await assertUsable(page);
  }
  opened.assertQuiet();
});
