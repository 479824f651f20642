// Tests in a real browser: one Chromium for each file, a fresh profile for each page, and all that a page complains of collected.
// Where there is no Chromium these tests are skipped, and the run says so where it ends; with `CI` they fail instead. This is the
// one place where tests may be skipped.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test, type TestContext } from "node:test";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { chromiumAdvice, chromiumArguments, findChromium } from "../../../tools/test/chromium.ts";

export interface OpenOptions {
  readonly url: string;
  readonly scheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
}

export interface QuietOptions {
  /** What the test itself brought about. */
  readonly except?: readonly RegExp[];
}

export interface Opened extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the console, scripts, requests and the page's policy complained of so far. */
  readonly complaints: readonly string[];
  assertQuiet(options?: QuietOptions): void;
}

/** One wait, as for an element, and one test as a whole; a busy machine needs a small part of it. */
const waitMs = 30_000;
const testMs = 240_000;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Criteria of WCAG, and what axe calls good practice. */
const axeTags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const program = findChromium();
const missing = `there is no Chromium: ${chromiumAdvice}`;
const isRequired = Boolean(process.env["CI"]) && process.env["CI"] !== "false";
let started: Promise<Browser> | undefined;

after(async () => await (await started)?.close());

/** A test that needs a browser. */
export function browserTest(name: string, body: (context: TestContext) => Promise<void>): void {
  const skip = program === null && !isRequired ? missing : false;
  void test(name, { skip, timeout: testMs }, body);
}

/** Opens an address in a profile of its own. */
export async function openPage({
  url,
  scheme = "light",
  width = 1_440,
  height = 900,
}: OpenOptions): Promise<Opened> {
  if (program === null) throw new Error(`Cannot open a page as a test needs a browser: ${missing}`);
  const browser = await (started ??= chromium.launch({
    executablePath: program,
    args: [...chromiumArguments],
    timeout: waitMs * 2,
  }));
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    acceptDownloads: true,
  });
  context.setDefaultTimeout(waitMs);
  const complaints: string[] = [];
  await context.exposeFunction("tellViolation", (text: string) => void complaints.push(`policy: ${text}`));
  await context.addInitScript(
    `addEventListener("securitypolicyviolation", (event) => tellViolation(event.violatedDirective + " " + event.blockedURI))`,
  );
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`script: ${error.stack ?? error.message}`));
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText ?? "";
    // What the page itself ended, as a stream of events that nobody listens to any more.
    if (why !== "net::ERR_ABORTED") complaints.push(`request: ${why} ${request.url()}`);
  });
  await page.goto(url);
  return {
    page,
    context,
    complaints,
    assertQuiet: ({ except = [] } = {}) => {
      const left = complaints.filter((text) => !except.some((pattern) => pattern.test(text)));
      assert.deepEqual(left, [], "the page complained");
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Fails where axe finds anything that keeps people from using the page as it looks now. */
export async function assertAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe);
  const options = JSON.stringify({ runOnly: axeTags, resultTypes: ["violations"] });
  const found: readonly Violation[] = await page.evaluate(
    `axe.run(document, ${options}).then((report) => report.violations)`,
  );
  const lines = found.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${id} (${help}) at ${target.flat().join(" ")}: ${failureSummary ?? ""}`,
    ),
  );
  assert.deepEqual(lines, [], `not everybody can use ${page.url()}`);
}

/** Fails where something keeps people from using what is shown, wide or narrow, light or dark. */
export async function assertUsable(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const width of [1_440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await assertNoSidewaysScrolling(page);
      await assertAccessible(page);
    }
  }
  await page.emulateMedia({ colorScheme: null });
  if (before !== null) await page.setViewportSize(before);
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly {
    readonly target: readonly (string | readonly string[])[];
    readonly failureSummary?: string;
  }[];
}

/** Fails where the page itself can be scrolled sideways. */
export async function assertNoSidewaysScrolling(page: Page): Promise<void> {
  const [wide, seen] = await page.evaluate<readonly [number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  assert.ok(wide <= seen, `${page.url()} is ${wide} px wide, of which ${seen} px are seen`);
}
