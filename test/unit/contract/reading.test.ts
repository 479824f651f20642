// How requests are read by the contract's schemas, and what is said of those that are wrong.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { OperationId } from "../../../src/contract/operations.ts";
import { readBody, readPathParameter, readQuery } from "../../../src/contract/reading.ts";
import { InvalidLimitsError, InvalidOptionsError, VivariumError } from "../../../src/model/errors.ts";

function refused(act: () => unknown): VivariumError {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof VivariumError, String(error));
    return error;
  }
  return assert.fail("it was not refused");
}
const body = (id: OperationId, given: unknown): VivariumError => refused(() => readBody(id, given));
const query = (id: OperationId, text: string): VivariumError =>
  refused(() => readQuery(id, new URLSearchParams(text)));

suite("readBody()", () => {
  test("gives what is right as it came, with no name of its own", () => {
    const given = { id: "a", modules: { main: "x" }, limits: { timeoutMs: 5, cpuMs: null }, deadlineMs: 1 };
    assert.deepEqual(readBody("createSandbox", given), given);
    assert.deepEqual(readBody("restartSandbox", undefined), {});
  });

  test("names place, rule and value of a limit out of its bounds", () => {
    const error = body("createSandbox", { modules: {}, limits: { timeoutMs: -5 } });
    assert.ok(error instanceof InvalidLimitsError);
    assert.equal(error.limit, "timeoutMs");
    assert.equal(error.message, "Cannot use body.limits.timeoutMs as it must be 1–3600000: got -5");
    assert.equal(body("call", { target: "m.f", timeoutMs: "5" }).code, "INVALID_LIMITS");
  });

  test("names the option that a misspelt one was probably meant to be", () => {
    const error = body("call", { target: "m.f", timeoutms: 5 });
    assert.ok(error instanceof InvalidOptionsError);
    assert.equal(error.option, "body.timeoutms");
    assert.match(error.message, /did you mean timeoutMs\?/);
    assert.match(body("createSandbox", { limits: { timeout: 5 } }).message, /did you mean timeoutMs\?/);
  });

  test("has no name for a path, a signal or files to follow, in one spec or many", () => {
    for (const name of ["path", "autoReload", "signal"]) {
      const spec = { modules: { main: "" }, [name]: "/etc/passwd" };
      for (const error of [
        body("createSandbox", spec),
        body("openSession", spec),
        body("batchCreate", { specs: [spec] }),
        body("batchCall", { targets: ["a", spec], target: "m.f" }),
        body("forkSandbox", { ...spec, parentIds: ["a"] }),
      ]) {
        assert.equal(error.code, name === "signal" ? "INVALID_OPTIONS" : "NOT_REMOTE");
        assert.ok(error.message.includes(name), error.message);
      }
    }
  });

  test("refuses ids and names of modules that have not their form as INVALID_ID", () => {
    assert.equal(body("createSandbox", { id: "../a" }).code, "INVALID_ID");
    assert.equal(body("createSandbox", { modules: { "a b": "" } }).code, "INVALID_ID");
    assert.equal(body("forkSandbox", { parentIds: ["a", "b/c"] }).code, "INVALID_ID");
    assert.equal(body("forkSandbox", { parentIds: [] }).code, "INVALID_OPTIONS");
    assert.equal(refused(() => readPathParameter("id", "a b")).code, "INVALID_ID");
  });

  test("leaves values of single items of a batch to their results", () => {
    const specs = [{ id: "not an id", modules: { "a b": "" }, limits: { timeoutMs: -5 } }];
    assert.deepEqual(readBody("batchCreate", { specs }), { specs });
    assert.deepEqual(readBody("batchDestroy", { ids: ["../x"] }), { ids: ["../x"] });
  });

  test("speaks of the nearest form of several", () => {
    assert.match(body("run", { source: 1 }).message, /^Cannot use body\.source /);
    assert.match(body("rollback", { module: "m", version: 0 }).message, /^Cannot use body\.version /);
    const test = { name: "a", call: "m.f", expected: 1, points: -1 };
    const stages = [{ name: "s", fitness: { tests: [test] } }];
    const error = body("batchEvaluate", { targets: ["a"], fitness: { stages } });
    assert.match(error.message, /^Cannot use body\.fitness\.stages\[0\]\.fitness\.tests\[0\]\.points /);
    assert.match(body("createSandbox", { capabilities: 5 }).message, /a list of at most 1000, or an object/);
  });

  test("refuses what says one thing twice", () => {
    assert.match(body("call", { target: "m.f", args: [], argsEncoded: "V" }).message, /not both/);
    assert.match(body("batchReload", { ids: [] }).message, /either modules or modulesOfEach/);
    const tests = [{ name: "a", call: "m.f" }];
    assert.match(body("batchEvaluate", { targets: [], fitness: { tests } }).message, /either expected or/);
  });

  test("does not lose a name that would be that of a prototype", () => {
    const given = JSON.parse('{"modules":{"__proto__":"x"}}') as unknown;
    assert.match(body("createSandbox", given).message, /without the name __proto__/);
    assert.equal(body("call", JSON.parse('{"target":"m.f","__proto__":{}}')).code, "INVALID_OPTIONS");
    const named = { modules: { constructor: "", toString: "" } };
    assert.deepEqual(readBody("createSandbox", named), named);
    assert.match(body("createSandbox", { toString: 1, constructor: 2 }).message, /option "toString"/);
  });

  test("neither walks through what is free nor changes it", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 200_000; depth++) deep = [deep];
    const args = [deep];
    const read = readBody("call", { target: "m.f", args });
    assert.equal(read.args?.[0], deep);
    const individual = { checksum: "x", deep, extra: 1 };
    const { individual: same } = readBody("importSandbox", { individual });
    assert.equal(same, individual);
  });

  test("says little of much: one line of at most 1,000 characters", () => {
    const long = "x\n\u001b[2J".repeat(100_000);
    for (const error of [
      body("call", { target: long }),
      body("call", { [long]: 1 }),
      body("createSandbox", { labels: { [long]: 1 } }),
      body("createSandbox", { modules: { [long]: "" } }),
      body("createSandbox", { id: long }),
      body("createSandbox", { limits: { [long]: 1 } }),
      body("batchDestroy", { ids: Array.from({ length: 1_000_000 }, () => 1) }),
      body("batchDestroy", { ids: Array.from({ length: 100_000 }, () => 1) }),
      body("batchCall", { target: "m.f", targets: Array.from({ length: 100_000 }, () => 1) }),
    ]) {
      assert.ok(error.message.length <= 1_000, String(error.message.length));
      assert.ok(!error.message.includes("\n") && !error.message.includes("\u001b"));
      const { option = "" } = error as { readonly option?: string };
      assert.ok(option.length <= 300 && !option.includes("\n"));
    }
  });
});

suite("readQuery()", () => {
  test("reads numbers, truth and lists from their texts", () => {
    const list = new URLSearchParams("status=running&status=failed&limit=5");
    assert.deepEqual(readQuery("listSandboxes", list), { status: ["running", "failed"], limit: 5 });
    assert.deepEqual(readQuery("getSandbox", new URLSearchParams("living=true")), { living: true });
    assert.deepEqual(readQuery("getLogs", new URLSearchParams()), {});
  });

  test("refuses other spellings, repetitions and what is not known", () => {
    for (const text of ["limit=0x5", "limit=5&limit=6", "limit=", "limit=1e3", "limit=-1", "limit=1.5"])
      assert.match(
        query("listSandboxes", text).message,
        /^Cannot use query\.limit as it must be 1–1000000: got /,
      );
    assert.equal(query("getSandbox", "living=yes").code, "INVALID_OPTIONS");
    assert.equal(query("getLogs", "x=1").code, "INVALID_OPTIONS");
    assert.equal(query("getLogs", "__proto__=1").code, "INVALID_OPTIONS");
    assert.equal(query("events", "name=no.event").code, "INVALID_OPTIONS");
    assert.equal(query("getSource", "module=a%20b").code, "INVALID_ID");
  });
});
