// Takes the pictures of the dashboard that the documents have, of an evolution that is run for them: `npm run screenshots`. Words
// choose pictures by their names; `--png FOLDER` writes them there as PNG as well, and `--stay` keeps the page open.
import { once } from "node:events";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { createRuntime } from "vivarium";
import { evolve, trackerOf, type EvolutionOptions } from "../examples/demo/evolution.ts";
import { servePage } from "../examples/demo/page.ts";
import { Camera, type Picture } from "./screenshots/camera.ts";
import { capabilities, openShop } from "./screenshots/shop.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { png: { type: "string" }, stay: { type: "boolean", default: false } },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "vivarium-screens-"));
const data = join(folder, "run-1");
const usual = { problem: "bin-packing", population: 200, islands: 4, seed: 1 } as const;
const options: EvolutionOptions = {
  ...{ problem: undefined, population: undefined, seed: undefined, minutes: undefined },
  ...{ usual, evaluations: 6_000, datasets: [], data, isFresh: false },
};
/** Pictures of what goes on are taken from here on. */
const enough = 600;

/** Those that are taken while programs are bred, those of what is there afterwards, and those of the folder alone. */
const whileBred: readonly Shot[] = [
  ["events", "#/events"],
  ["overview-live", "#/overview"],
  ["machine", "#/machine"],
  ["sandboxes", "#/sandboxes"],
];
const afterwards: readonly Shot[] = [
  ["overview", "#/overview"],
  ["lineage", "#/lineage", pickBest],
  ["best", "#/best"],
  ["runs", "#/runs"],
  ["sandbox-overview", "#/sandboxes/checkout"],
  ["sandbox-code", "#/sandboxes/checkout?tab=code&module=shop&version=2&against=1"],
  ["sandbox-processes", "#/sandboxes/warehouse?tab=processes"],
  ["sandbox-call", "#/sandboxes/checkout?tab=call&call=shop.total", callTwice],
  ["sandbox-logs", "#/sandboxes/checkout?tab=logs"],
  ["sandbox-audit", "#/sandboxes/checkout?tab=audit"],
];
const recorded: readonly Shot[] = [["replay", "#/overview", halfway]];

type Shot = readonly [name: string, hash: string, before?: (page: Page) => Promise<unknown>];

async function pickBest(page: Page): Promise<void> {
  await page.getByRole("button", { name: "To best" }).click();
  await page.getByRole("button", { name: "Fit", exact: true }).click();
}

async function callTwice(page: Page): Promise<void> {
  const args = page.getByLabel("Arguments, as a list in JSON");
  for (const name of ["pear", "melon"]) {
    await args.fill(`[[{"name": "apple", "count": 2}, {"name": "${name}", "count": 4}]]`);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.waitForTimeout(500);
  }
}

/** When half of it was done, which may be long before the last thing that is recorded. */
async function halfway(page: Page): Promise<void> {
  const slider = page.getByRole("slider").first();
  const progress = page.getByRole("progressbar", { name: "Share of the budget that is used" });
  const end = Number(await slider.getAttribute("max"));
  for (let share = 0.02; share < 1; share += 0.02) {
    await slider.fill(String(Math.round(end * share)));
    if (Number(await progress.getAttribute("value")) >= 0.5) return;
  }
}

async function takeAll(camera: Camera, url: string, shots: readonly Shot[]): Promise<void> {
  const wanted = shots.filter(
    ([name]) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
  );
  const pictures = wanted.map(([name, hash, before]): Picture => ({
    name,
    url,
    hash,
    ...(before && { before }),
  }));
  for (const picture of pictures) await camera.take(picture);
}

try {
  await using camera = await Camera.open(join(root, "docs/screens"), values.png);
  {
    await using runtime = await createRuntime({ data, capabilities });
    await using tracker = await trackerOf(runtime, options);
    await using page = await servePage(runtime, tracker);
    if (values.stay) console.log(page.link);
    await openShop(runtime);
    const ending = new AbortController();
    const bred = evolve(runtime, { ...options, tracker }, ending.signal);
    const isEnough = async (): Promise<boolean> => (await runtime.metrics()).created >= enough;
    const begun = Promise.withResolvers<void>();
    const watch = setInterval(() => void isEnough().then((is) => is && begun.resolve()), 200);
    await Promise.race([begun.promise, bred]);
    clearInterval(watch);
    await takeAll(camera, page.link, whileBred);
    await bred;
    await takeAll(camera, page.link, afterwards);
    if (values.stay) await once(process, "SIGINT");
  }
  const replay = spawn(process.execPath, [join(root, "dist/cli/main.js"), "replay", data], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  for await (const chunk of replay.stdout) {
    told += String(chunk);
    const link = /Dashboard: (\S+)/.exec(told)?.[1];
    if (link === undefined) continue;
    await takeAll(camera, link, recorded);
    replay.kill("SIGINT");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
