// A sandbox to look at in a browser, and a page of the dashboard that is opened where it is to be looked at.
import type { Page } from "playwright-core";
import type { Runtime, Sandbox } from "../../../src/index.ts";
import { openPage, type Opened, type OpenOptions } from "./browser.ts";
import type { Live, tokens } from "./served.ts";

const hostile = "<img src=x onerror=alert(1)>\u202e";
const shop = `interface Item { readonly price: number }
export function total(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + priceOf(item), 0);
}
function priceOf(item: Item): number {
  if (typeof item.price !== "number") throw new TypeError("no price");
  return item.price;
}
export const wait = () => new Promise((go) => setTimeout(go, 1e6));
export function talk(): number {
  console.log("a word");
  console.warn(${JSON.stringify(hostile)});
  console.log("x".repeat(900_000));
  return 7;
}`;
/** A sandbox that calculates, fails, waits and talks; what it says, and its label, are hostile to pages. */
export const makeShop = (runtime: Runtime, id: string): Promise<Sandbox> =>
  runtime.create(id, { modules: { main: shop }, labels: { "<b>": hostile } });

/** The page at an address of its own, connected. */
export async function openAt(
  live: Live,
  who: keyof typeof tokens,
  { hash, ...options }: Omit<OpenOptions, "url"> & { readonly hash: string },
): Promise<Opened> {
  const opened = await openPage({ url: live.linkOf(who), ...options });
  await opened.page.getByText("● live").waitFor();
  await show(opened.page, hash);
  return opened;
}

export const show = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole("button", { name, exact: true }).click();
/** Waits until it is said. */
export const said = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor();
