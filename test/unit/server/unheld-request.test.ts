// A request that its caller does not hold on to, as in `server.fetch(new Request(…))`: its signal ends it all the same, although a
// collection of garbage comes in between.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { serve } from "../../support/served.ts";
import { fulfilled, until } from "../../support/waiting.ts";

const main = "export const later = () => new Promise((done) => setTimeout(done, 1e6));";

test("a request whose answer comes in lines and that only the server holds is ended by its signal", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const served = await serve();
  const { runtime } = served;
  await runtime.create("busy", { modules: { main }, limits: { timeoutMs: 600_000, timeoutMsMax: 600_000 } });
  const closing = new AbortController();
  const { signal } = closing;
  // The answer is there at once, and its lines come later.
  const body = { targets: ["busy"], target: "main.later" };
  const answer = await served.ask("POST /v1/batches/call", { body, signal });
  const text = answer.text().catch(() => "broken off");
  await until("it runs", async () => (await runtime.metrics()).runsUnderway === 1);
  for (let round = 0; round < 5; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  closing.abort();
  await fulfilled("the answer", text);
  await until("nothing runs", async () => (await runtime.metrics()).runsUnderway === 0);
  assert.equal(served.server.load.requests, 0);
});
