// A supervised counter that is upgraded while it is being used: from +1 to +10, without losing its count.
import { readFile } from "node:fs/promises";
import { createRuntime, unwrap } from "vivarium";
import type { Counter } from "./guest/plus-one.ts";

const sourceOf = (name: string): Promise<string> =>
  readFile(new URL(`guest/${name}.ts`, import.meta.url), "utf8");

await using runtime = await createRuntime();
await using sandbox = await runtime.create("counter", {
  modules: { counter: await sourceOf("plus-one") },
  supervisor: "counter",
  checkpoint: "message",
});

// Typed by the server itself: its messages and its replies.
const ask = async (message: "count" | "read"): Promise<number> =>
  unwrap(await sandbox.ask<typeof Counter>("counter", message));
async function count(times: number): Promise<number> {
  for (let done = 0; done < times; done++) await ask("count");
  return ask("read");
}
const show = (what: string, value: unknown): void => console.log(`${what.padEnd(36)}${String(value)}`);

show("counted ten times by one", await count(10));

const upgrade = { counter: await sourceOf("plus-ten") };
const tried = await sandbox.hotReload(upgrade, { dryRun: true });
show(
  "the upgrade, tried on a copy",
  tried.states?.map(({ versions }) => versions.join(" → ")),
);

await sandbox.hotReload(upgrade);
show("upgraded to +10, its count kept", await ask("read"));
show("counted three times by ten", await count(3));

await sandbox.restart();
show("restarted, its count kept", await ask("read"));

// Messages that arrive during the upgrade wait, and are answered by the code that is current then.
const [, ...answers] = await Promise.all([
  sandbox.rollback("counter", 1),
  ...Array.from({ length: 5 }, () => ask("count")),
]);
show("rolled back to +1 under load", answers.every((answer) => answer > 40) ? "all answered" : "lost count");
const last = await ask("read");
show("counted once more, by", (await count(1)) - last);
