// What a token may do has buttons and what it may not has none, whatever is looked at; the server refuses it all the same; and the
// token itself goes nowhere but to the server.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { suite, test } from "node:test";
import type { Page } from "playwright-core";
import { operationList, scopes } from "../../src/contract/operations.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { browserTest, openPage } from "./support/browser.ts";
import { serveLive, tokens } from "./support/served.ts";
import { makeShop, openAt, press, said, show } from "./support/shop.ts";

const ending = {
  name: "ending",
  token: "ending-0123456789abcdef",
  scope: "read",
  expiresAt: 60_000,
} as const;
const clock = new FakeClock();
const live = await serveLive({ generations: 1, others: [ending], clock });
const { runtime, url } = live;
await makeShop(runtime, "shop");
await makeShop(runtime, "red:shop");

const tabs = ["overview", "code", "processes", "call", "logs", "audit"];
const places = [
  ...["#/overview", "#/lineage/g0-1", "#/best", "#/sandboxes", "#/events", "#/machine", "#/runs"],
  ...tabs.map((tab) => `#/sandboxes/shop?tab=${tab}&edit=1&against=1&call=main.total`),
];
/** The names of all buttons that change something, as the views have them. */
const acting =
  /^(?:destroy|restart|suspend|resume|checkpoint|limits|call|ask|send|tell|edit|reload|check|roll back|change|choose|import|fork|collect|write)\b/i;

async function actionsAt(page: Page, hash: string): Promise<readonly string[]> {
  await show(page, hash);
  await page.locator("main h1").first().waitFor();
  if (hash.startsWith("#/sandboxes/")) await page.getByRole("tab", { selected: true }).waitFor();
  await page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))");
  const names = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll("button:not([role=tab]), input[type=checkbox], [contenteditable=true], textarea")].map((each) => (each.getAttribute("aria-label") ?? each.labels?.[0]?.innerText ?? each.innerText).trim())`,
  );
  return names.filter((name) => acting.test(name));
}

async function refused(
  who: string,
  wanted: (operation: (typeof operationList)[number][1]) => boolean,
): Promise<void> {
  for (const [id, operation] of operationList) {
    if (!wanted(operation)) continue;
    const path = operation.path.replaceAll(/\{\w+\}/g, "shop");
    const hasBody = operation.method !== "GET" && operation.method !== "DELETE";
    const response = await fetch(`${url}${path}`, {
      method: operation.method,
      headers: { authorization: `Bearer ${who}`, "content-type": "application/json" },
      ...(hasBody && { body: "{}" }),
    });
    assert.equal(response.status, 403, `${id}: ${await response.text()}`);
  }
}

const reach = (scope: (typeof scopes)[number]): number => scopes.indexOf(scope);

suite("what a token may not do", () => {
  browserTest("a token that reads has no button that changes anything", async () => {
    await using opened = await openAt(live, "reader", { hash: "#/overview" });
    const { page } = opened;
    for (const hash of places) assert.deepEqual(await actionsAt(page, hash), [], hash);
    await show(page, "#/sandboxes");
    const grid = page.getByRole("grid", { name: "Sandboxes" });
    await grid.focus();
    for (const key of ["End", "Space", "Delete", "Control+a"]) await grid.press(key);
    assert.equal(await page.getByRole("button", { name: /Destroy/ }).count(), 0);
    opened.assertQuiet();
  });

  browserTest("a token that evaluates has the buttons of sandboxes, and no others", async () => {
    await using opened = await openAt(live, "evaluator", { hash: "#/overview" });
    const { page } = opened;
    const found = new Map<string, readonly string[]>();
    for (const hash of places) found.set(hash, await actionsAt(page, hash));
    for (const hash of places.filter((each) => !each.startsWith("#/sandboxes")))
      assert.deepEqual(found.get(hash), [], hash);
    const all = new Set([...found.values()].flat());
    for (const name of ["Restart…", "Suspend", "Limits…", "Destroy…", "Call", "Reload", "Check (dry run)"])
      assert.ok(all.has(name), `${name} is not among ${[...all].join(", ")}`);
    await using other = await openAt(live, "admin", { hash: "#/overview" });
    for (const hash of places.filter((each) => !each.startsWith("#/sandboxes")))
      assert.deepEqual(await actionsAt(other.page, hash), [], hash);
    opened.assertQuiet();
  });

  test("is refused by the server, whoever made the request", async () => {
    await refused(tokens.reader.token, ({ scope }) => reach(scope) > reach("read"));
    await refused(tokens.evaluator.token, ({ scope }) => reach(scope) > reach("evaluate"));
    await refused(tokens.red.token, ({ wholeRuntime }) => wholeRuntime === true);
    assert.equal(await runtime.has("shop"), true);
  });
});

suite("a tenant", () => {
  browserTest(
    "sees its own, is told that the machine's figures are not for it, and finds no others",
    async () => {
      await using opened = await openAt(live, "red", { hash: "#/sandboxes" });
      const { page } = opened;
      await page.getByRole("grid", { name: "Sandboxes" }).getByText("red:shop").waitFor();
      for (const hash of [
        ...places.filter((each) => !each.includes("g0-1") && !each.includes("/shop")),
        "#/lineage?show=table",
      ]) {
        await show(page, hash);
        await page.locator("main h1").first().waitFor();
        assert.doesNotMatch(await page.locator("body").innerText(), /g0-\d/, hash);
      }
      await show(page, "#/machine");
      await said(page, /The token is a tenant's/);
      await show(page, "#/sandboxes/g0-0");
      await said(page, "No sandbox of this id is known.");
      await show(page, "#/lineage/g0-0");
      await said(page, /g0-0 is not there at this time/);
      opened.assertQuiet({ except: [/404/] });
    },
  );
});

suite("a token", () => {
  browserTest(
    "that ends while the page is open is asked for anew, and nothing stays that it showed",
    async () => {
      await using opened = await openPage({ url: `${url}/#token=${ending.token}` });
      const { page } = opened;
      await said(page, "● live");
      await show(page, "#/lineage/g0-1?show=table");
      await said(page, /^Picked: g0-1/);
      clock.advance(60_000);
      await page.getByRole("heading", { name: "Which token?" }).waitFor();
      await page.locator("p.bad", { hasText: "token" }).waitFor();
      assert.doesNotMatch(await page.locator("main").innerText(), /g0-\d/);
      assert.equal(await page.evaluate("sessionStorage.length"), 0);
      await page.getByLabel("Token").fill(tokens.reader.token);
      await press(page, "Connect");
      await said(page, "● live");
      await said(page, /^Picked: g0-1/);
      opened.assertQuiet({ except: [/401/] });
    },
  );

  browserTest("is in no address, history, log, file or request to elsewhere", async () => {
    const { token } = tokens.evaluator;
    const other = tokens.reader.token;
    await using opened = await openPage({ url: live.linkOf("evaluator") });
    const { page, context } = opened;
    const [lines, requests]: [string[], string[]] = [[], []];
    page.on("console", (message) => lines.push(message.text()));
    page.on("request", (request) => {
      requests.push(request.url());
      lines.push(request.headers()["referer"] ?? "", request.postData() ?? "");
    });
    await said(page, "● live");
    for (const hash of places) {
      await show(page, hash);
      await page.locator("main h1").first().waitFor();
      lines.push(page.url(), await page.content());
    }
    // The link of another token, followed while the page is there.
    await show(page, `#token=${other}`);
    await page.waitForURL(/#\/overview$/);
    await said(page, "● live");
    await page.getByText("Export", { exact: true }).click();
    for (const name of ["This run as one HTML file", "As JSON"]) {
      const saving = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      lines.push(await readFile(await (await saving).path(), "utf8"));
      if (name !== "As JSON") await page.getByText("Export", { exact: true }).click();
    }
    const session = await context.newCDPSession(page);
    const { entries } = await session.send("Page.getNavigationHistory");
    lines.push(...entries.map((entry) => entry.url), ...requests);
    lines.push(
      await page.evaluate<string>("JSON.stringify([localStorage, document.cookie, document.title])"),
    );
    for (const line of lines)
      for (const secret of [token, other]) assert.ok(!line.includes(secret), line.slice(0, 200));
    for (const address of requests) assert.match(address, new RegExp(`^(?:blob:)?${url}/|^data:`));
    assert.equal(await page.evaluate("sessionStorage.getItem('vivarium-token')"), other);
    opened.assertQuiet();
  });
});
