// Servers of this user on this machine as commands find them: the first of several, then the next, and none that is not trusted.
import assert from "node:assert/strict";
import { chmodSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import { Cli } from "./cli-program.ts";
import { startServing, type Serving } from "./serving.ts";

interface Report {
  readonly checks: readonly { readonly name: string; readonly verdict: string; readonly found: string }[];
}

test("commands use the server that was started first, then the next one, and doctor says which", async () => {
  using folder = new Folder();
  const cli = new Cli(folder);
  const used = async (server: Serving): Promise<void> => {
    const { code, stderr } = await cli.run(["ps"]);
    assert.deepEqual([code, stderr], [0, `No sandboxes in ${server.url}.\n`]);
    const { checks } = await cli.json<Report>(["doctor"]);
    const local = checks.filter(({ name }) => name === "Local server");
    assert.deepEqual(
      local.map(({ verdict, found }) => [verdict, found.split(",")[0]]),
      [["ok", server.url]],
    );
  };
  const first = await startServing({ env: cli.env });
  await using second = await startServing({ env: cli.env });
  try {
    await used(first);
  } finally {
    await first[Symbol.asyncDispose]();
  }
  await used(second);

  const runtime = folder.at("runtime/vivarium");
  const [name = "", ...others] = readdirSync(runtime);
  assert.deepEqual(others, []);
  chmodSync(`${runtime}/${name}`, 0o644);
  const { detail } = await cli.problem(2, "ps");
  assert.ok(
    detail.includes(`${runtime}/${name} is not used: other users have rights to it`),
    `${detail} names it`,
  );
  const { checks } = await cli.json<Report>(["doctor"]);
  assert.equal(checks.find(({ name }) => name === "Local server")?.verdict, "warn");
});
