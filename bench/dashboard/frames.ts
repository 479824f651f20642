// How many frames a second the lineage has while it is dragged about.
import type { Browser } from "playwright-core";
import { medianOf, quantileOf, spreadText } from "./figures.ts";

const dragMs = 3_000;

export async function measureFrames(
  browser: Browser,
  link: string,
  rounds: number,
): Promise<readonly string[]> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByText("● live").waitFor();
  await page.getByRole("link", { name: "Lineage", exact: true }).click();
  const canvas = page.locator("canvas").first();
  await canvas.waitFor();
  const box = await canvas.boundingBox();
  if (box === null) throw new Error("Cannot pan the lineage as its canvas must be shown: it is not");
  const rates: number[] = [];
  const longest: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2, ms: dragMs };
    const gaps = (await page.evaluate(`(${drag})(${JSON.stringify(at)})`)) as number[];
    rates.push(1_000 / medianOf(gaps));
    longest.push(quantileOf(gaps, 0.95));
  }
  await context.close();
  return [
    `frames a second while the lineage is dragged: median ${medianOf(rates).toFixed(0)} (${spreadText(rates)}); ` +
      `19 of 20 frames within ${medianOf(longest).toFixed(0)} ms`,
  ];
}

// In the page: the pointer moves at every frame, as a hand would, and the time between frames is taken.
const drag = `({ x, y, ms }) => {
  const target = document.elementFromPoint(x, y);
  const send = (type, dx, dy) =>
    target.dispatchEvent(
      new PointerEvent(type, {
        bubbles: true,
        cancelable: true,
        pointerId: 1,
        isPrimary: true,
        button: type === "pointermove" ? -1 : 0,
        buttons: type === "pointerup" ? 0 : 1,
        clientX: x + dx,
        clientY: y + dy,
      }),
    );
  const gaps = [];
  const startedMs = performance.now();
  let lastMs = startedMs;
  send("pointerdown", 0, 0);
  return new Promise((resolve) => {
    const step = (nowMs) => {
      gaps.push(nowMs - lastMs);
      lastMs = nowMs;
      const turn = ((nowMs - startedMs) / 1_000) * Math.PI;
      send("pointermove", Math.sin(turn) * 250, Math.sin(turn * 2) * 80);
      if (nowMs - startedMs < ms) requestAnimationFrame(step);
      else {
        send("pointerup", 0, 0);
        resolve(gaps.slice(1));
      }
    };
    requestAnimationFrame(step);
  });
}`;
