// Takes pictures of pages: each at two widths, light and dark, as WebP, and none that tells anything of this machine.
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir, hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { chromiumAdvice, chromiumArguments, findChromium } from "../test/chromium.ts";

export interface Picture {
  readonly name: string;
  /** The address, with the token where it needs one. */
  readonly url: string;
  /** The view, as it stands behind the `#`. */
  readonly hash?: string;
  /** Brings the page to what is to be seen. */
  readonly before?: (page: Page) => Promise<unknown>;
}

interface Shape {
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
}

/** The first of these that makes a picture small is taken; 1 is without loss, which is small where there is much of one colour. */
const qualities = [1, 0.85, 0.75, 0.65];
const bytesWanted = 60 * 1024;
const settleMs = 1_500;
const shapes: readonly Shape[] = (["light", "dark"] as const).flatMap((scheme) => [
  { width: 1_440, height: 900, scheme },
  { width: 390, height: 844, scheme },
]);

export class Camera implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #folder: string;
  readonly #pngFolder: string | undefined;

  private constructor(browser: Browser, folder: string, pngFolder: string | undefined) {
    this.#browser = browser;
    this.#folder = folder;
    this.#pngFolder = pngFolder;
  }

  static async open(folder: string, pngFolder: string | undefined): Promise<Camera> {
    const executablePath = findChromium();
    if (executablePath === null)
      throw new Error(`Cannot take pictures as there must be a browser: ${chromiumAdvice}`);
    for (const made of [folder, pngFolder]) if (made !== undefined) mkdirSync(made, { recursive: true });
    const browser = await chromium.launch({ executablePath, args: [...chromiumArguments] });
    return new Camera(browser, folder, pngFolder);
  }

  async take(picture: Picture): Promise<void> {
    for (const shape of shapes) await this.#takeAs(picture, shape);
  }

  async #takeAs({ name, url, hash = "", before }: Picture, shape: Shape): Promise<void> {
    const { width, height, scheme } = shape;
    await using context = await this.#browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
    });
    const page = await context.newPage();
    await page.goto(url);
    await page.locator("header nav, main form").first().waitFor();
    if (hash !== "") await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.waitForTimeout(settleMs);
    await before?.(page);
    await page.waitForTimeout(settleMs / 3);
    const text = await page.locator("body").innerText();
    const told = secretsOf(url).find((secret) => text.includes(secret));
    if (told !== undefined)
      throw new Error(`Cannot take ${name} as it must tell nothing of here: it has ${told}`);
    const png = await page.screenshot();
    const bytes = await webpOf(context.newPage(), png);
    const file = `${name}-${width}-${scheme}`;
    writeFileSync(join(this.#folder, `${file}.webp`), bytes);
    if (this.#pngFolder !== undefined) writeFileSync(join(this.#pngFolder, `${file}.png`), png);
    console.log(`${file}.webp  ${(bytes.length / 1024).toFixed(0)} kB`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/** Tokens, and what only this machine is called. */
function secretsOf(url: string): readonly string[] {
  const token = /#token=(.+)/.exec(url)?.[1];
  return [token, homedir(), hostname(), `${tmpdir()}/`, process.cwd()].filter(
    (text): text is string => text !== undefined && text.length > 3,
  );
}

/** The browser itself has what makes WebP of a picture. */
async function webpOf(opening: Promise<Page>, png: Buffer): Promise<Buffer> {
  const page = await opening;
  const made: readonly string[] = await page.evaluate(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png.toString("base64")}";
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return ${JSON.stringify(qualities)}.map((quality) => canvas.toDataURL("image/webp", quality));
  })()`);
  const encoded = made.map((url) => Buffer.from(url.replace(/^.*,/, ""), "base64"));
  return (
    encoded.find(({ length }) => length <= bytesWanted) ??
    encoded.reduce((least, other) => (other.length < least.length ? other : least))
  );
}
