// What takes long in a real browser: it is given up, ends when its time is over, or is tried again.
import assert from "node:assert/strict";
import { suite } from "node:test";
import { browserTest, openPage } from "./support/browser.ts";
import { serveLive } from "./support/served.ts";
import { makeShop, openAt, press, said, show } from "./support/shop.ts";

const live = await serveLive({ generations: 1 });
const { runtime } = live;

suite("what is under way", () => {
  browserTest("an action on a sandbox is given up, and the next one goes through", async () => {
    await makeShop(runtime, "patient");
    await using opened = await openAt(live, "evaluator", { hash: "#/sandboxes/patient" });
    const { page } = opened;
    await page.route(/\/patient\/suspen/, () => undefined);
    await press(page, "Suspend");
    await said(page, /^suspend…/);
    assert.equal(await page.getByRole("button", { name: "Restart…" }).isDisabled(), true);
    await press(page, "Give up");
    await said(page, "Given up: suspend");
    await page.unroute(/\/patient\/suspen/);
    await press(page, "Suspend");
    await said(page, "patient is suspended.");
    opened.assertQuiet();
  });

  browserTest("the end of chosen sandboxes is given up", async () => {
    for (const id of ["chosen-1", "chosen-2"]) await makeShop(runtime, id);
    await using opened = await openAt(live, "evaluator", { hash: "#/sandboxes?q=chosen" });
    const { page } = opened;
    await page.getByLabel("Choose chosen-1").check();
    await page.route(/\/v1\/batch|chosen-1/, () => undefined);
    await press(page, "Destroy selected…");
    await press(page, "Destroy 1");
    await press(page, "Give up");
    await said(page, /^Given up: destroy/);
    assert.equal(await runtime.has("chosen-1"), true);
    opened.assertQuiet();
  });

  browserTest("an export is cancelled, and can be begun again", async () => {
    await using opened = await openAt(live, "reader", { hash: "#/overview" });
    const { page } = opened;
    const individuals = /\/v1\/individuals/;
    await page.route(individuals, () => undefined);
    await page.getByText("Export", { exact: true }).click();
    await press(page, "As JSON");
    await said(page, /^Exporting/);
    await press(page, "Cancel");
    await said(page, "The export was ended.");
    await page.unroute(individuals);
    await page.getByText("Export", { exact: true }).click();
    const downloading = page.waitForEvent("download");
    await press(page, "As JSON");
    assert.match((await downloading).suggestedFilename(), /\.json$/);
    opened.assertQuiet();
  });

  browserTest("a call ends when the time that was given to it is over", async () => {
    await makeShop(runtime, "timed");
    await using opened = await openAt(live, "evaluator", {
      hash: "#/sandboxes/timed?tab=call&call=main.wait",
    });
    const { page } = opened;
    await page.getByLabel("At most").fill("50");
    await press(page, "Call");
    await page.getByRole("article", { name: "Call 1" }).getByText("timeout").first().waitFor();
    opened.assertQuiet();
  });
});

suite("what failed is asked again", () => {
  browserTest("the list of sandboxes is, once somebody wishes", async () => {
    await using opened = await openPage({ url: live.linkOf("reader") });
    const { page } = opened;
    await page.getByText("● live").waitFor();
    const listing = /\/v1\/sandboxes(\?|$)/;
    const refusal = { error: { code: "FORBIDDEN", message: "Cannot list sandboxes now." } };
    await page.route(listing, (route) => route.fulfill({ status: 403, json: refusal }));
    await show(page, "#/sandboxes");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.unroute(listing);
    await press(page, "Try again");
    await page.getByRole("gridcell", { name: "g0-7", exact: true }).waitFor();
    opened.assertQuiet({ except: [/403/] });
  });

  browserTest("a sandbox that is not there is looked for again, and is shown when it comes", async () => {
    await using opened = await openPage({ url: "about:blank" });
    const { page } = opened;
    await page.clock.install();
    await page.goto(live.linkOf("reader"));
    await page.getByText("● live").waitFor();
    await show(page, "#/sandboxes/later");
    await said(page, "No sandbox of this id is known.");
    // From now on nothing is asked by itself.
    await page.clock.pauseAt(Date.now() + 60_000);
    await Promise.all([page.waitForRequest(/\/sandboxes\/later/), press(page, "Look again")]);
    await makeShop(runtime, "later");
    await page.clock.resume();
    await page.getByRole("tab").first().waitFor();
    opened.assertQuiet({ except: [/404/] });
  });
});

browserTest("keys lead from one tab of a sandbox to the next, and round", async () => {
  await makeShop(runtime, "tabbed");
  await using opened = await openAt(live, "reader", { hash: "#/sandboxes/tabbed" });
  const { page } = opened;
  const chosen = (name: string) => page.getByRole("tab", { name, exact: true, selected: true });
  await chosen("Overview").focus();
  for (const [key, name] of [
    ["ArrowRight", "Code"],
    ["ArrowLeft", "Overview"],
    ["ArrowLeft", "Audit"],
    ["ArrowRight", "Overview"],
    ["End", "Audit"],
    ["Home", "Overview"],
  ] as const) {
    await page.keyboard.press(key);
    await chosen(name).waitFor();
    assert.equal(await page.evaluate("document.activeElement.textContent"), name);
  }
  opened.assertQuiet();
});

browserTest("the list is narrowed by a label, and says how one is written", async () => {
  await using opened = await openAt(live, "reader", { hash: "#/sandboxes" });
  const { page } = opened;
  const field = page.getByPlaceholder("label=value");
  await field.fill("island");
  await field.press("Enter");
  await said(page, "✕ A label is written as name=value.");
  await field.fill("island=island-2");
  await field.press("Enter");
  await page.getByRole("gridcell", { name: "g0-7", exact: true }).waitFor();
  await page.getByRole("gridcell", { name: "g0-6", exact: true }).waitFor({ state: "detached" });
  assert.match(page.url(), /label=island%3Disland-2/);
  opened.assertQuiet();
});
