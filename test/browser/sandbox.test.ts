// A sandbox in a real browser: all that can be seen of one and done to it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { suite } from "node:test";
import { unwrap } from "../../src/index.ts";
import { until } from "../support/waiting.ts";
import { assertUsable, browserTest, openPage } from "./support/browser.ts";
import { serveLive } from "./support/served.ts";
import { makeShop, openAt, press, said, show } from "./support/shop.ts";

const counter = `import { server, supervisor } from "vivarium/guest";
export const Counter = server({
  init: (start: number) => start,
  handleCall(message: { add: number }, state: number) {
    if (!Number.isFinite(message.add)) throw new TypeError("not a number");
    return { reply: state + message.add, state: state + message.add };
  },
});
export default supervisor({ children: [{ id: "counter", start: Counter, args: 100 }] });`;

const live = await serveLive({ generations: 0 });
const { runtime } = live;

suite("a sandbox", () => {
  browserTest(
    "a call is made once it is valid, its stack leads to the source, and it can be cancelled",
    async () => {
      await makeShop(runtime, "called");
      await using opened = await openAt(live, "evaluator", {
        hash: "#/sandboxes/called?tab=call&call=main.total",
      });
      const { page } = opened;
      const args = page.getByLabel("Arguments, as a list in JSON");
      await args.fill('{"price": 1}');
      await said(page, /must be a list/);
      assert.equal(await page.getByRole("button", { name: "Call", exact: true }).isDisabled(), true);
      await args.fill('[[{"price": 1}, {"price": 2}]]');
      await press(page, "Call");
      await page.getByRole("region", { name: "Value" }).getByText("3").waitFor();
      await args.fill("[[{}]]");
      await press(page, "Call");
      const frame = page.getByRole("button", { name: /at priceOf \(main:6:/ });
      await frame.waitFor();
      await page.getByLabel("Function").selectOption("main.wait");
      await press(page, "Call");
      await page.getByRole("button", { name: /^Cancel call/ }).click();
      await page.getByRole("article", { name: "Call 3" }).getByText("cancelled").first().waitFor();
      await page.getByRole("row", { name: /main\.total.*crashed/ }).waitFor();
      await frame.click();
      await said(page, "TypeError: no price");
      assert.match(page.url(), /tab=code&module=main&line=6&/);
      opened.assertQuiet();
    },
  );

  browserTest("code is checked, reloaded, compared and rolled back, and what is typed stays", async () => {
    const sandbox = await makeShop(runtime, "edited");
    await using opened = await openAt(live, "evaluator", { hash: "#/sandboxes/edited?tab=code&edit=1" });
    const { page } = opened;
    const editor = page.getByRole("textbox", { name: /^Source of main/ });
    await editor.click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("const x = ;\n");
    await press(page, "Check (dry run)");
    await said(page, /^main:1:/);
    await editor.getByText("const x = ;").waitFor();
    await editor.getByText("▲").first().waitFor();
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("export const total = () => 5;");
    await press(page, "Check (dry run)");
    await said(page, "✓ It compiles and links.");
    assert.equal(await sandbox.version("main"), 1);
    await page.getByLabel("What is changed").fill("it is five");
    await page.getByRole("button", { name: "Reload", exact: true }).dblclick();
    await said(page, "edited runs revision 2.");
    assert.equal(await sandbox.source("main"), "export const total = () => 5;");
    await said(page, /it is five/);
    await page.getByRole("button", { name: /^Compare version 1/ }).click();
    await said(page, /1 line added, \d+ removed/);
    await page.getByRole("button", { name: /^Roll back… to version 1/ }).click();
    await press(page, "Roll back");
    await said(page, "edited was rolled back: it is at revision 3.");
    assert.equal(await sandbox.version("main"), 1);
    opened.assertQuiet({ except: [/422/] });
  });

  browserTest(
    "who types goes on typing when the editor comes, and when it is said what is wrong",
    async () => {
      await makeShop(runtime, "typed");
      await using opened = await openPage({ url: live.linkOf("evaluator") });
      const { page } = opened;
      await page.getByText("● live").waitFor();
      const held: { readonly continue: () => Promise<void> }[] = [];
      await page.route(/assets\/editor-.*\.js$|\/reloads$/, (route) => void held.push(route));
      const release = async (what: string): Promise<void> => {
        await until(what, () => held.length > 0);
        for (const route of held.splice(0)) await route.continue();
      };
      await show(page, "#/sandboxes/typed?tab=code&edit=1");
      const editor = page.getByRole("textbox", { name: /^Source of main/ });
      await editor.click();
      await page.keyboard.press("Control+a");
      await page.keyboard.type("const one = 1");
      await release("the editor is asked for");
      await page.locator(".cm-editor").waitFor();
      await page.keyboard.type("2;\nconst x = ;");
      await editor.getByText("const one = 12;").waitFor();
      await press(page, "Check (dry run)");
      await until("a check is asked for", () => held.length > 0);
      await editor.click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type("\nconst y");
      await release("a check is asked for");
      await editor.getByText("▲").first().waitFor();
      await page.keyboard.type(" = 345;");
      await editor.getByText("const y = 345;").waitFor();
      // What was typed before the check can still be undone.
      for (let undone = 0; undone < 20; undone++) await page.keyboard.press("Control+z");
      await editor.getByText("const x").waitFor({ state: "detached" });
      opened.assertQuiet({ except: [/422/] });
    },
  );

  browserTest("processes are shown as a tree, and asked", async () => {
    await runtime.create("counters", { modules: { main: counter }, supervisor: "main" });
    await using opened = await openAt(live, "evaluator", { hash: "#/sandboxes/counters?tab=processes" });
    const { page } = opened;
    await page.getByRole("row", { name: /level 2: .*counter server idle/ }).waitFor();
    const message = page.getByLabel("Message, as JSON");
    await message.fill('{"add": 5}');
    await press(page, "Ask");
    await page.getByRole("region", { name: "Value" }).getByText("105").waitFor();
    await message.fill('{"add": "x"}');
    await press(page, "Ask");
    await said(page, /not a number/);
    await page.getByRole("cell", { name: "↻ 1" }).waitFor();
    opened.assertQuiet();
  });

  browserTest(
    "it is suspended, resumed, limited, saved, restarted and destroyed, and then shown as gone",
    async () => {
      await makeShop(runtime, "handled");
      await using opened = await openAt(live, "evaluator", { hash: "#/sandboxes/handled" });
      const { page } = opened;
      await press(page, "Suspend");
      await said(page, "handled is suspended.");
      await press(page, "Resume");
      await said(page, "handled goes on.");
      await press(page, "Limits…");
      await page.getByLabel(/^timeoutMs /).fill("0");
      await said(page, "Cannot set timeoutMs as it must be 1–3600000: got 0");
      await page.getByLabel(/^timeoutMs /).fill("1234");
      await press(page, "Change one limit");
      await said(page, "The limits of handled are changed.");
      assert.equal((await runtime.info("handled")).limits.timeoutMs, 1_234);
      const saving = page.waitForEvent("download");
      await press(page, "Export as JSON");
      const saved = JSON.parse(await readFile(await (await saving).path(), "utf8")) as {
        readonly id: string;
      };
      assert.equal(saved.id, "handled");
      await press(page, "Restart…");
      await press(page, "Restart");
      await said(page, "handled began anew.");
      await press(page, "Destroy…");
      await page.getByRole("dialog", { name: "Destroy handled?" }).waitFor();
      assert.equal(await page.evaluate("document.activeElement.textContent"), "Cancel");
      await page.getByRole("button", { name: "Destroy", exact: true }).dblclick();
      await said(page, "This sandbox is gone.");
      assert.equal(await runtime.has("handled"), false);
      assert.equal(await page.getByRole("group", { name: "Actions" }).count(), 0);
      opened.assertQuiet();
    },
  );

  browserTest("one that vanishes under an action says so, and an unknown id leads on", async () => {
    await makeShop(runtime, "vanishing");
    await using opened = await openAt(live, "evaluator", { hash: "#/sandboxes/vanishing" });
    const { page } = opened;
    await press(page, "Restart…");
    await runtime.destroy("vanishing");
    await press(page, "Restart");
    await said(page, /Cannot find sandbox "vanishing": it is gone by now\./);
    await said(page, "This sandbox is gone.");
    await show(page, "#/sandboxes/never-was");
    await said(page, "No sandbox of this id is known.");
    await page.getByRole("link", { name: "All sandboxes", exact: true }).click();
    await page.getByRole("grid", { name: "Sandboxes" }).waitFor();
    opened.assertQuiet({ except: [/404/] });
  });

  browserTest("logs are text, filtered, and cut where a line is long", async () => {
    await (await makeShop(runtime, "talking")).call("main.talk");
    await using opened = await openAt(live, "reader", { hash: "#/sandboxes/talking?tab=logs" });
    const { page } = opened;
    await said(page, "<img src=x onerror=alert(1)>\\u202e");
    await page.getByRole("button", { name: /^more \(/ }).click();
    await page.getByRole("searchbox").fill("WORD");
    await said(page, "1 of 3 lines");
    opened.assertQuiet();
  });
});

suite("what else is done to a sandbox", () => {
  browserTest("all modules go back to a revision, versions are shown, and an edit is left", async () => {
    const sandbox = await runtime.create("two", {
      modules: { main: "export const one = () => 1;", other: "export const two = () => 2;" },
    });
    await sandbox.hotReload({ main: "export const one = () => 11;" });
    await sandbox.hotReload({ other: "export const two = () => 22;" });
    await using opened = await openAt(live, "evaluator", { hash: "#/sandboxes/two?tab=code" });
    const { page } = opened;
    await page.getByLabel("Module", { exact: false }).first().selectOption("other");
    await page.getByRole("button", { name: /^Show version 1/ }).click();
    await page.getByRole("textbox", { name: "Source of other, version 1" }).getByText("=> 2;").waitFor();
    assert.match(page.url(), /module=other.*version=1/);
    await press(page, "Edit…");
    await page.getByLabel("show what differs").check();
    await page.getByRole("textbox", { name: /^Source of other/ }).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" // more");
    await said(page, /1 line added, 1 removed/);
    await press(page, "Leave the editor");
    await page.getByLabel("All modules to revision").fill("9");
    const rollBack = page.locator("form").getByRole("button", { name: "Roll back…" });
    assert.equal(await rollBack.isDisabled(), true);
    await page.getByLabel("All modules to revision").fill("1");
    await rollBack.click();
    await press(page, "Cancel");
    assert.equal((await runtime.info("two")).revision, 3);
    await rollBack.click();
    await press(page, "Roll back");
    await said(page, "two was rolled back: it is at revision 4.");
    assert.equal((await runtime.info("two")).revision, 4);
    assert.equal(unwrap(await sandbox.call("main.one")), 1);
    assert.deepEqual([await sandbox.version("main"), await sandbox.version("other")], [1, 1]);
    opened.assertQuiet();
  });

  browserTest("states are written down, a message is sent, and a form of limits is closed", async () => {
    await runtime.create("kept", { modules: { main: counter }, supervisor: "main" });
    await using opened = await openAt(live, "evaluator", { hash: "#/sandboxes/kept?tab=processes" });
    const { page } = opened;
    const { limits } = await runtime.info("kept");
    await press(page, "Checkpoint");
    await said(page, "The states of 1 servers of kept are written down.");
    await page.getByLabel("To", { exact: false }).first().waitFor();
    await page.getByLabel("Message, as JSON").fill('{"add": "x"}');
    await press(page, "Send");
    // What is sent is answered by nobody; that it arrived is seen by what became of the process.
    await page.getByRole("cell", { name: "↻ 1" }).waitFor();
    await page.getByLabel("Message, as JSON").fill("{");
    await page.getByRole("alert").getByText(/^✕/).waitFor();
    assert.equal(await page.getByRole("button", { name: "Send", exact: true }).isDisabled(), true);
    await press(page, "Limits…");
    await page.getByLabel(/^timeoutMs /).fill("77");
    await page.locator("form").getByRole("button", { name: "Close", exact: true }).click();
    await page.getByLabel(/^timeoutMs /).waitFor({ state: "detached" });
    assert.deepEqual((await runtime.info("kept")).limits, limits);
    opened.assertQuiet();
  });

  browserTest("logs are followed, held still, read again and filtered by their level", async () => {
    const sandbox = await makeShop(runtime, "followed");
    await using opened = await openAt(live, "reader", { hash: "#/sandboxes/followed?tab=logs" });
    const { page } = opened;
    await said(page, "It wrote nothing to its console.");
    await sandbox.call("main.talk");
    await said(page, "3 of 3 lines");
    await page.getByLabel("follow").uncheck();
    await page.waitForURL(/follow=0/);
    await sandbox.call("main.talk");
    await press(page, "Read again");
    await said(page, "6 of 6 lines");
    await page.getByLabel("At least").selectOption("warn");
    await said(page, "2 of 6 lines");
    assert.match(page.url(), /level=warn/);
    await assertUsable(page);
    opened.assertQuiet();
  });

  browserTest("the audit log leads to the place in the code", async () => {
    const main = "export const f = () => 1;\nexport const g = () => 2;";
    const sandbox = await runtime.create("audited", { modules: { main }, profile: "high" });
    await assert.rejects(sandbox.hotReload({ main: main.replace("2;", "eval('2');") }));
    await using opened = await openAt(live, "reader", { hash: "#/sandboxes/audited?tab=audit" });
    const { page } = opened;
    await said(page, "It may ask nothing of the host.");
    await page.getByRole("cell", { name: "✕ rejected" }).first().waitFor();
    await page
      .getByRole("button", { name: /^main:2$/ })
      .first()
      .click();
    await page.waitForURL(/tab=code&module=main&line=2/);
    opened.assertQuiet();
  });
});
