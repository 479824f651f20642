// A plugin host: plugins are loaded, several of them are updated at once, a wrong update is undone before it takes effect,
// and all of it is rolled back, while a till inside continues to count.
import { readFile } from "node:fs/promises";
import { createRuntime, unwrap, VivariumError, type Sandbox } from "vivarium";
import type * as ShopModule from "./plugins/first/shop.ts";

type Shop = typeof ShopModule;

/** The sources of plugins, by their names, from one of the folders. */
async function pluginsOf(folder: string, ...names: readonly string[]): Promise<Record<string, string>> {
  const entries = names.map(async (name): Promise<[string, string]> => {
    const path = new URL(`plugins/${folder}/${name}.ts`, import.meta.url);
    return [name, await readFile(path, "utf8")];
  });
  return Object.fromEntries(await Promise.all(entries));
}

const show = (what: string, value: unknown): void => console.log(`${what.padEnd(14)}${String(value)}`);

/** A price must be a valid number: checked for every update before other calls can use it. */
async function isSound(sandbox: Sandbox): Promise<boolean> {
  const offered = await sandbox.module<Shop>("shop").offer("tester", "tea");
  return offered.ok && /is [1-9]/.test(offered.value);
}

await using runtime = await createRuntime();
await using plugins = await runtime.create("shop", {
  modules: await pluginsOf("first", "greeting", "pricing", "shop"),
  supervisor: "shop",
});
const shop = plugins.module<Shop>("shop");
const sell = async (item: string): Promise<string> => unwrap(await plugins.ask<Shop["Till"]>("till", item));

show("loaded", unwrap(await shop.offer("Ada", "tea")));
show("", await sell("tea"));

const updated = await plugins.hotReload(await pluginsOf("second", "greeting", "pricing"), {
  verify: isSound,
});
show("updated", `${Object.keys(updated.modules).join(" and ")}, revision ${updated.revision}`);
show("", unwrap(await shop.offer("Ada", "tea")));
show("", await sell("tea"));

try {
  await plugins.hotReload(await pluginsOf("faulty", "pricing"), { verify: isSound });
} catch (error) {
  show("refused", error instanceof VivariumError ? error.code : error);
}
show("", unwrap(await shop.offer("Ada", "tea")));

const back = await plugins.rollbackTo(1);
show("rolled back", `to what was revision 1, now ${back.revision}`);
show("", unwrap(await shop.offer("Ada", "tea")));
show("", await sell("tea"));
