// A granted capability that a guest did not import: the host and the guest's author are told what to write.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Outcome } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { failureOf, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime({ capabilities: { search: () => 1, other: () => 2 } });
const main = `
  export const f = () => search("x");
  export const wrong = () => other("x");
  export const seen = () => { try { search("x"); } catch (error) { return error.message; } };
  export const renamed = () => { throw new ReferenceError("search was not found"); };
`;
const sandbox = await runtime.create({ modules: { main }, capabilities: ["search"] });
const hint = ' (it is a capability and must be imported: import { search } from "vivarium/capabilities")';

function messageOf(outcome: Outcome): string {
  return failureOf(outcome).message;
}

suite("a capability that is used and not imported", () => {
  test("is a crash whose message says how to import it", async () => {
    const outcome = await sandbox.call("main.f");
    assert.equal(messageOf(outcome), `ReferenceError: search is not defined${hint}`);
    assert.equal(failureOf(outcome).thrown?.message, "search is not defined");
  });

  test("is what it is everywhere to the guest itself", async () => {
    assert.equal(valueOf(await sandbox.call("main.seen")), "search is not defined");
  });

  test("is a failed creation that says it where a top level uses it", async () => {
    const spec = { modules: { main: "export const found = search('x');" }, capabilities: ["search"] };
    const { message } = await errorOf(() => runtime.create(spec), "LOAD_FAILED");
    assert.ok(message.includes(hint), message);
  });

  test("says nothing of a capability that is not granted, nor for another ReferenceError", async () => {
    assert.equal(messageOf(await sandbox.call("main.wrong")), "ReferenceError: other is not defined");
    assert.equal(messageOf(await sandbox.call("main.renamed")), "ReferenceError: search was not found");
  });
});
