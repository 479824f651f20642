// When a browser that was never here shows something, and when it shows the figures of a whole evolution.
import type { Browser } from "playwright-core";
import { medianOf, spreadText } from "./figures.ts";

export async function measurePaint(
  browser: Browser,
  link: string,
  rounds: number,
): Promise<readonly string[]> {
  const firsts: number[] = [];
  const wholes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
    const page = await context.newPage();
    await page.goto(link);
    // The heading of the overview comes with the first data; the connection says when all of it is read.
    await page.getByText("● live").waitFor();
    wholes.push(await page.evaluate(() => performance.now()));
    firsts.push(
      await page.evaluate(
        () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
      ),
    );
    await context.close();
  }
  return [
    `first paint: median ${medianOf(firsts).toFixed(0)} ms (${spreadText(firsts)})`,
    `all individuals read and shown: median ${medianOf(wholes).toFixed(0)} ms (${spreadText(wholes)})`,
  ];
}
