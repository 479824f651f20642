// A data folder in a real browser, replayed and served: what was bred in another process is there, with its code and its runs.
import { after, suite } from "node:test";
import type { Page } from "playwright-core";
import { openTracker } from "../../src/evolution/index.ts";
import { createRuntime, unwrap, type FitnessFunction } from "../../src/index.ts";
import { startServing } from "../e2e/serving.ts";
import { Folder } from "../support/folders.ts";
import { assertUsable, browserTest, openPage } from "./support/browser.ts";
import { linkForm, startCommand } from "./support/commands.ts";

const folder = new Folder();
after(() => folder[Symbol.dispose]());
const data = folder.at("data");
const sourceOf = (factor: number): string =>
  `// It multiplies.\nexport function f(x: number): number {\n  return x * ${factor};\n}\n`;

const fitness: FitnessFunction = async (candidate) =>
  unwrap(await candidate.call<number>("main.f", { args: [10] }));

/** A seed on each island, and two generations of the better one, of which the first is gone. */
async function breed(): Promise<void> {
  await using runtime = await createRuntime({ data, cells: { count: 1, spare: 0, warm: 1 } });
  await using tracker = await openTracker(runtime, { direction: "maximise" });
  const evaluate = async (ids: readonly string[], population: string): Promise<void> => {
    tracker.populations.add(population, ids);
    for await (const _ of runtime.batch.evaluate(ids, fitness, { population }));
  };
  for (const island of ["north", "south"]) tracker.populations.register(island, []);
  await runtime.create("seed-a", { modules: { main: sourceOf(1) } });
  await runtime.create("seed-b", { modules: { main: sourceOf(2) } });
  await evaluate(["seed-a"], "north");
  await evaluate(["seed-b"], "south");
  await runtime.fork("seed-b", { id: "child", modules: { main: sourceOf(3) }, mutation: "a note" });
  await evaluate(["child"], "south");
  await runtime.fork("child", { id: "grandchild", modules: { main: sourceOf(4) }, mutation: "another" });
  await evaluate(["grandchild"], "south");
  await runtime.destroy("seed-b");
  const run = {
    title: "a small run",
    seed: 5,
    state: "done",
    direction: "maximise",
    evaluations: 4,
    best: 40,
  };
  await runtime.documents.write("runs", new Map([["small", run]]));
}
await breed();

async function go(page: Page, view: string): Promise<void> {
  const link = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view, exact: true });
  await link.click();
  // The view that opens takes the focus, and keys go where that is.
  await link.and(page.locator("[aria-current=page]")).waitFor();
}

/** All that is known of the run, in every view. */
async function assertKnown(page: Page): Promise<void> {
  await go(page, "Overview");
  await page.getByRole("heading", { level: 1, name: "a small run" }).waitFor();
  await page.getByText("grandchild, 40, generation 2, 2 steps from a seed").waitFor();
  await page.getByText("return x * 4;").waitFor();
  await page.getByText("✓ done").waitFor();
  await go(page, "Lineage");
  await page.getByText("4 individuals,").waitFor();
  for (const island of ["north", "south"]) await page.getByRole("checkbox", { name: island }).waitFor();
  await page.getByLabel("Find by id").fill("child");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  const panel = page.getByRole("region", { name: "Picked individual" });
  // Of the parent, which is gone, the code is known.
  await panel.getByText("1 line added, 1 removed").waitFor();
  await panel.getByRole("link", { name: "seed-b", exact: true }).first().click();
  await panel.getByText("dead", { exact: true }).waitFor();
  await panel.getByText("return x * 2;").first().waitFor();
  await go(page, "Best");
  await page.getByText("Step 3 of 3", { exact: true }).waitFor();
  await page.getByText(/^Score 30 → 40 \(higher is better\)/).waitFor();
  await page.getByText("1 line added, 1 removed").waitFor();
  await page.getByText("another").first().waitFor();
  await assertUsable(page);
  await go(page, "Runs");
  await page.getByRole("button", { name: "a small run" }).waitFor();
  await page.getByRole("row").getByText("✓ done").waitFor();
}

suite("a data folder", () => {
  browserTest("replayed, its run is known with its code, at the end and before", async () => {
    await using replay = startCommand(["replay", data]);
    const [url] = await replay.until(linkForm);
    await using opened = await openPage({ url });
    const { page } = opened;
    await page.getByText("recorded", { exact: true }).waitFor();
    await assertKnown(page);
    await go(page, "Events");
    await page.getByRole("row").filter({ hasText: "fitness.computed" }).first().waitFor();
    await go(page, "Overview");
    await page.getByRole("slider", { name: "Time" }).press("Home");
    await page.getByText("grandchild, 40").waitFor({ state: "detached" });
    opened.assertQuiet();
  });

  browserTest("served, its run is known with its code, and its sandboxes can be used", async () => {
    await using serving = await startServing({ args: ["--data", data] });
    await using opened = await openPage({
      url: `${serving.url}/#token=${encodeURIComponent(serving.token)}`,
    });
    const { page } = opened;
    await page.getByText("● live").waitFor();
    await assertKnown(page);
    await go(page, "Sandboxes");
    await page.getByRole("gridcell", { name: "grandchild", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "grandchild" }).waitFor();
    await page.getByRole("tab", { name: "Call" }).click();
    await page.getByLabel("Arguments, as a list in JSON").fill("[11]");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("region", { name: "Value" }).getByText("44").waitFor();
    await go(page, "Machine");
    await page.getByRole("region", { name: "Cells", exact: true }).waitFor();
    opened.assertQuiet();
  });
});
