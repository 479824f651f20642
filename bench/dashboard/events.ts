// How the page stands a flood of events about thousands of sandboxes: how fast they are shown, what is missed, what it takes.
import type { Browser, CDPSession, Page } from "playwright-core";
import type { ServedPage } from "./serving.ts";

const burst = 500;
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

export async function measureEvents(
  browser: Browser,
  served: ServedPage,
  count: number,
): Promise<readonly string[]> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  await page.goto(served.link);
  await page.getByText("● live").waitFor();
  const inspector = await context.newCDPSession(page);
  const before = await heapOf(inspector);
  await page.evaluate(countFrames);
  const startedMs = performance.now();
  await publish(served, count);
  const publishedMs = performance.now() - startedMs;
  // The last event of all is told apart by its reason, which the view of events shows.
  await page.goto(`${served.link.replace(/#.*/, "")}#/events`);
  await page.getByText("the last event").first().waitFor({ timeout: 120_000 });
  const shownMs = performance.now() - startedMs;
  const frames = Number(await page.evaluate("globalThis.frameCount"));
  const after = await heapOf(inspector);
  const missed = await missedOf(page);
  await context.close();
  const rate = (count / shownMs) * 1_000;
  return [
    `${count.toLocaleString("en-US")} events with ${served.sandboxIds.length.toLocaleString("en-US")} sandboxes: told in ` +
      `${(publishedMs / 1_000).toFixed(1)} s, all shown after ${(shownMs / 1_000).toFixed(1)} s: ${rate.toFixed(0)} a second, ${missed} missed`,
    `  meanwhile ${((frames / shownMs) * 1_000).toFixed(0)} frames a second; heap of the page ${mib(before)} → ${mib(after)}`,
  ];
}

// As fast as the server's readers take them: a burst, then a turn for others.
async function publish({ runtime, sandboxIds }: ServedPage, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const sandboxId = sandboxIds[number % sandboxIds.length] ?? "";
    const reason = number === count - 1 ? "the last event" : "load";
    runtime.events.publish("fitness.adjusted", { sandboxId, delta: 1, score: number, reason });
    if (number % burst === burst - 1) await new Promise((go) => setTimeout(go, 10));
  }
}

async function heapOf(inspector: CDPSession): Promise<number> {
  await inspector.send("HeapProfiler.collectGarbage");
  const { usedSize } = await inspector.send("Runtime.getHeapUsage");
  return usedSize;
}

async function missedOf(page: Page): Promise<string> {
  const said = page.getByText(/events missed/);
  return (await said.count()) === 0 ? "0" : ((await said.first().textContent()) ?? "");
}

const countFrames = `(() => {
  globalThis.frameCount = 0;
  const step = () => {
    globalThis.frameCount++;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})()`;
