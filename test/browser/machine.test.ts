// The view of the machine in a real browser: what a whole runtime says of itself, what a tenant is told, and what is unknown.
import assert from "node:assert/strict";
import { assertAccessible, assertUsable, browserTest, openPage } from "./support/browser.ts";
import { serveLive, serveRecorded } from "./support/served.ts";

const live = await serveLive({ generations: 1 });
const recorded = await serveRecorded({ individuals: 50 });

browserTest("it says how cells, the jail, runs and the store are", async () => {
  await using opened = await openPage({ url: live.linkOf("reader") });
  const { page } = opened;
  await page.getByText("● live").waitFor();
  await page.getByRole("link", { name: "Machine", exact: true }).click();
  const { cells, killed } = await live.runtime.metrics();
  const { jail } = await live.runtime.health();
  const card = (name: string) => page.getByRole("region", { name, exact: true });
  await card("Cells")
    .getByRole("cell", { name: String(cells[0]?.pid), exact: true })
    .waitFor();
  for (const layer of jail.layers)
    await card("Layers of the jail").getByText(layer, { exact: true }).waitFor();
  assert.equal(await card("Layers of the jail").getByText("▲ off").count(), jail.missing.length);
  const kills = card("What enforcement ended");
  for (const reason of Object.keys(killed))
    await kills.getByRole("cell", { name: reason, exact: true }).waitFor();
  await card("Runs")
    .getByText(/^How long they took/)
    .waitFor();
  // A cell that was started before the page was opened, and what nobody measures.
  await card("Cells").getByText("unknown").first().waitFor();
  await kills.getByText("unknown").waitFor();
  opened.assertQuiet();
});

browserTest("a tenant is told that the figures are not for it", async () => {
  await using opened = await openPage({ url: live.linkOf("red") });
  const { page } = opened;
  await page.getByText("● live").waitFor();
  await page.getByRole("link", { name: "Machine", exact: true }).click();
  await page.getByText(/^The token is a tenant's/).waitFor();
  await page.getByRole("region", { name: "Layers of the jail" }).getByText("● on").first().waitFor();
  await page.getByRole("region", { name: "Runs", exact: true }).getByText("unknown").waitFor();
  await assertAccessible(page);
  opened.assertQuiet();
});

browserTest(
  "of a recorded document it says what events tell, and that there is no machine to ask",
  async () => {
    await using opened = await openPage({ url: `${recorded.url}/#/machine` });
    const { page } = opened;
    await page.getByText(/^What is shown was recorded/).waitFor();
    await page.getByText(/cell 1 \(process 4001\) by/).waitFor();
    await assertAccessible(page);
    opened.assertQuiet();
  },
);

browserTest("everybody can use it, wide and narrow, light and dark", async () => {
  await using opened = await openPage({ url: live.linkOf("reader") });
  const { page } = opened;
  await page.getByText("● live").waitFor();
  await page.getByRole("link", { name: "Machine", exact: true }).click();
  await page.getByRole("region", { name: "Cells", exact: true }).waitFor();
  await assertUsable(page);
  opened.assertQuiet();
});
