// Sandboxes over HTTP: made, listed, looked at, changed and ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../support/served.ts";

const served = await serve();
const { give, refuse, ask } = served;
const main = "export const double = (n: number) => 2 * n; export const map = () => new Map([[1, NaN]]);";

test("a sandbox is created with 201, called, listed, looked at and destroyed with 204", async () => {
  const created = await ask("POST /v1/sandboxes", { body: { id: "one", modules: { main } } });
  assert.equal(created.status, 201);
  const outcome = await give("POST /v1/sandboxes/one/calls", { body: { target: "main.double", args: [21] } });
  assert.equal(outcome["value"], 42);
  const { sandboxes } = await give<{ sandboxes: { id: string }[] }>("GET /v1/sandboxes?status=running");
  assert.deepEqual(
    sandboxes.map(({ id }) => id),
    ["one"],
  );
  assert.equal((await give("GET /v1/sandboxes/one"))["status"], "running");
  assert.equal((await ask("DELETE /v1/sandboxes/one")).status, 204);
  assert.equal((await give("GET /v1/sandboxes/one"))["status"], "stopped");
  const problem = await refuse("GET /v1/sandboxes/one?living=true", "SANDBOX_NOT_FOUND");
  assert.equal(problem.sandboxId, "one");
});

test("a value that JSON cannot say has the codec's text beside what JSON can say of it", async () => {
  await give("POST /v1/sandboxes", { body: { id: "values", modules: { main } } });
  const outcome = await give("POST /v1/sandboxes/values/calls", { body: { target: "main.map" } });
  assert.deepEqual(outcome["value"], [[1, "NaN"]]);
  assert.match(String(outcome["encoded"]), /^V/);
});

test("what is no operation is refused with the status that says why", async () => {
  assert.equal((await refuse("GET /v1/none", "REQUEST_REFUSED")).status, 404);
  const wrong = await ask("PUT /v1/sandboxes");
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.get("allow"), "POST, GET");
  const plain = { body: "{}", headers: { "content-type": "text/plain" } };
  assert.equal((await refuse("POST /v1/sandboxes", "REQUEST_REFUSED", plain)).status, 415);
});
