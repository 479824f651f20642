// A plugin host: plugins are files that the host follows. They ask the host for what they are granted, an update of several
// files takes effect at once, a broken one is reported and changes nothing, and a till inside counts through all of it.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRuntime, unwrap, type EventMap, type Events } from "vivarium";
import type * as ShopModule from "./plugins/first/shop.ts";

type Shop = typeof ShopModule;

const rates: Readonly<Record<string, number>> = { units: 1, cents: 99.5 };
const show = (what: string, value: unknown): void => console.log(`${what.padEnd(14)}${String(value)}`);

// A copy of the plugins, as their authors edit them while the host runs.
const folder = mkdtempSync(join(tmpdir(), "plugin-host-"));
const edit = (state: string): void =>
  cpSync(fileURLToPath(new URL(`plugins/${state}`, import.meta.url)), folder, { recursive: true });
const next = <Name extends "sandbox.followed" | "sandbox.unfollowed">(
  events: Events,
  name: Name,
): Promise<EventMap[Name]> =>
  new Promise((resolve) => {
    const stop = events.on(name, (event) => {
      stop();
      resolve(event);
    });
  });

try {
  edit("first");
  await using runtime = await createRuntime({
    capabilities: { rateOf: { run: ([currency]) => rates[String(currency)] ?? 0 } },
  });
  await using plugins = await runtime.create("shop", {
    path: join(folder, "shop.ts"),
    autoReload: true,
    supervisor: "shop",
    capabilities: ["rateOf"],
  });
  const shop = plugins.module<Shop>("shop");
  const sell = async (item: string): Promise<string> => unwrap(await plugins.ask<Shop["Till"]>("till", item));

  show("loaded", unwrap(await shop.offer("Ada", "tea")));
  show("", await sell("tea"));

  const followed = next(runtime.events, "sandbox.followed");
  edit("second");
  const { modules, revision } = await followed;
  show("updated", `${modules.toSorted().join(" and ")}, revision ${revision}`);
  show("", unwrap(await shop.offer("Ada", "tea")));
  show("", await sell("tea"));

  const refused = next(runtime.events, "sandbox.unfollowed");
  edit("faulty");
  show("refused", (await refused).message);
  show("", unwrap(await shop.offer("Ada", "tea")));

  const back = await plugins.rollbackTo(1);
  show("rolled back", `to what was revision 1, now ${back.revision}`);
  show("", unwrap(await shop.offer("Ada", "tea")));
  show("", await sell("tea"));
} finally {
  rmSync(folder, { recursive: true });
}
