// The client as it is published works where there is nothing of Node's: it imports nothing and uses only what browsers have.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type * as Client from "../../src/client/index.ts";
import type * as Entry from "../../src/index.ts";
import { hear, tokens } from "../support/listening.ts";
import { root, runNode } from "./program.ts";

const file = join(root, "dist/client/index.js");

test("the file imports nothing", () => {
  const text = readFileSync(file, "utf8");
  assert.doesNotMatch(text, /^\s*(?:import|export)\b[^;]*\bfrom\b/m);
  assert.doesNotMatch(text, /\brequire\(|["']node:/);
  assert.doesNotMatch(text, /\b(?:setImmediate|__dirname|Buffer)\b/);
});

const program = `
// The fetch of Node itself uses these while it is loaded, and Buffer always: that the client does not, its text shows.
await (await fetch(URL_OF_SERVER + "/healthz")).text();
for (const name of ["process", "global"]) delete globalThis[name];
const { connect, SandboxNotFoundError } = await import(${JSON.stringify(file)});
const runtime = await connect(URL_OF_SERVER, { token: TOKEN });
const told = [];
const heard = new Promise((resolve) => runtime.events.on("sandbox.destroy.stop", ({ sandboxId }) => resolve(sandboxId)));
const sandbox = await runtime.create("far", {
  modules: { main: "export const f = (n) => new Map([[n, n * 2n]]); export function* parts() { yield 1; yield 2; }" },
});
const outcome = await sandbox.call("main.f", { args: [21n] });
told.push(outcome.ok && outcome.value instanceof Map && outcome.value.get(21n) === 42n);
for await (const part of sandbox.stream("main.parts")) told.push(part);
for await (const result of runtime.batch.call(["far"], "main.f", { args: [1n] })) told.push(result.ok);
told.push(await runtime.get("nobody").catch((error) => error instanceof SandboxNotFoundError));
told.push(await runtime.create({ path: "/tmp" }).catch((error) => error.code));
await sandbox.destroy();
told.push(await heard);
await runtime.close();
console.log(JSON.stringify(told));
`;

test("it creates, calls, streams, iterates and listens without anything of Node's", async () => {
  const { url } = await hear();
  const text = program
    .replaceAll("URL_OF_SERVER", JSON.stringify(url))
    .replace("TOKEN", JSON.stringify(tokens.admin.token));
  const { code, stdout, stderr } = await runNode(["--input-type=module", "-e", text]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), [true, 1, 2, true, true, "NOT_REMOTE", "far"]);
});

test("its errors are instances of the classes of the package's entry", async () => {
  const entry = (await import(join(root, "dist/index.js"))) as typeof Entry;
  const client = (await import(file)) as typeof Client;
  const error = new client.SandboxNotFoundError("far");
  assert.ok(error instanceof entry.VivariumError);
  assert.ok(error instanceof entry.SandboxNotFoundError);
  assert.ok(!(error instanceof entry.SandboxExistsError));
  assert.ok(!(new TypeError("x") instanceof entry.VivariumError));
  class Own extends entry.VivariumError {}
  assert.ok(!(error instanceof Own));
});
