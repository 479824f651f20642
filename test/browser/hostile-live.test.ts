// A server whose sandboxes say what would break a page that shows it: in labels, logs, errors, figures, runs and names.
import assert from "node:assert/strict";
import { suite } from "node:test";
import { browserTest } from "./support/browser.ts";
import {
  assertHarmless,
  hidden,
  markup,
  nested,
  prototypeNames,
  watch,
  withPrototypeNames,
} from "./support/hostile.ts";
import { serveLive } from "./support/served.ts";
import { openAt, press, said, show } from "./support/shop.ts";

// Labels, names and documents are whole texts.
const hostile = `${markup}${hidden}`.toWellFormed();
const talking = `// ${markup}
export function fail() { const error = new Error(${JSON.stringify(hostile)}); error.name = ${JSON.stringify(markup)}; throw error; }
export function give() { return JSON.parse(${JSON.stringify(JSON.stringify(withPrototypeNames(hostile)))}); }
export function talk() {
  console.log(${JSON.stringify(hostile)});
  console.error("y".repeat(1_000_000));
  for (let line = 0; line < 100_000; line++) console.log(${JSON.stringify(hidden)} + line);
  return 1;
}`;
const id = "constructor";
const live = await serveLive({ generations: 1 });
const { runtime } = live;
await runtime.create(id, {
  modules: { constructor: talking, toString: talking },
  labels: { ...withPrototypeNames(hostile), [markup]: hostile },
  limits: { outputBytes: 64 * 2 ** 20, timeoutMs: 20_000 },
  ancestry: {
    parentIds: ["g0-0"],
    generation: 1,
    mutation: { [hostile]: nested(50), ...withPrototypeNames(hostile) },
  },
});
for (const name of ["fail", "give", "talk"])
  await runtime.get(id).then((sandbox) => sandbox.call(`constructor.${name}`));
const scored = async () => ({
  score: 1e308,
  components: { ...Object.fromEntries(prototypeNames.slice(1).map((name) => [name, 5e-324])), [hostile]: -0 },
});
await runtime.batch.evaluate([id], scored, { population: "toString" });
const row = {
  title: hostile,
  about: hostile,
  unit: hostile,
  seed: -0,
  best: 1e308,
  updatedAt: 1e308,
  evaluationsMax: 5e-324,
};
await runtime.documents.write(
  "runs",
  new Map([
    ["__proto__", row],
    [markup.slice(0, 60), { ...row, updatedAt: 8.64e15 }],
  ]),
);

suite("a server of hostile programs", () => {
  for (const width of [1_440, 390])
    browserTest(`is text in every view and tab at ${width} px`, async () => {
      await using opened = await openAt(live, "evaluator", { hash: "#/overview", width });
      const { page } = opened;
      const dialogs = await watch(opened);
      const tabs = ["overview", "code", "processes", "call", "logs", "audit"];
      const places = [
        ...[
          "#/overview",
          `#/lineage/${id}`,
          "#/lineage?show=table",
          "#/best?program=shown",
          "#/sandboxes",
          "#/events",
        ],
        ...[
          "#/machine",
          "#/runs?run=__proto__",
          ...tabs.map((tab) => `#/sandboxes/${id}?tab=${tab}&module=toString`),
        ],
      ];
      for (const hash of places) {
        await show(page, hash);
        await page.locator("main h1, main h2").first().waitFor();
        await assertHarmless(page);
      }
      await show(page, `#/sandboxes/${id}?tab=call&call=constructor.fail`);
      await press(page, "Call");
      await page.getByRole("article", { name: "Call 1" }).getByText("crashed").first().waitFor();
      await assertHarmless(page);
      await show(page, `#/sandboxes/${id}?tab=logs`);
      await said(page, /\\u202e/);
      await show(page, `#/lineage/${id}`);
      await said(page, /^operator|1\.000e\+308/);
      await show(page, `#/sandboxes/${id}`);
      await press(page, "Destroy…");
      await page.getByRole("dialog").waitFor();
      await assertHarmless(page);
      await page.keyboard.press("Escape");
      assert.deepEqual(dialogs, []);
      opened.assertQuiet();
    });
});
