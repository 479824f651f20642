// Code that does not parse, link or load is a guest's failure: told in full, and kept as a record to look at.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LoadError } from "../../../src/index.ts";
import { errorOf } from "../../support/errors.ts";
import { assertFailed, valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();

async function loadErrorOf(
  act: () => unknown,
  code: "PARSE_FAILED" | "COMPILE_FAILED" | "SECURITY_REJECTED" | "LOAD_FAILED",
): Promise<LoadError> {
  const error = await errorOf(act, code);
  assert.ok(error instanceof LoadError);
  return error;
}

suite("source that does not parse", () => {
  const source =
    'const größe: number = 1;\nconst text = "😀";\nexport const f = (a: number => a;\nexport const g = 2;';
  const error = loadErrorOf(
    () => runtime.create("unparsed", { modules: { main: source }, labels: { kind: "odd" } }),
    "PARSE_FAILED",
  );

  test("is told with line, column and a frame that points at it", async () => {
    const { phase, diagnostics, message } = await error;
    assert.equal(phase, "parse");
    const [first] = diagnostics;
    assert.ok(first !== undefined);
    assert.deepEqual([first.severity, first.module, first.line], ["error", "main", 3]);
    const line = source.split("\n")[2] as string;
    assert.ok(first.column >= 18 && first.column <= line.length + 1, `column ${first.column}`);
    const rows = first.frame.split("\n");
    const at = rows.findIndex((row) => row.startsWith("> 3 | "));
    assert.equal(rows[at], `> 3 | ${line}`);
    assert.equal(rows[at + 1]?.indexOf("^"), "> 3 | ".length + first.column - 1);
    assert.match(message, /^Cannot compile module "main" as it must be a program: .+ \(main:3:\d+\)$/);
  });

  test("stays as a failed record with its diagnostics, labels and reason", async () => {
    const { diagnostics, message } = await error;
    const info = await runtime.info("unparsed");
    assert.deepEqual([info.status, info.reason, info.labels], ["failed", message, { kind: "odd" }]);
    assert.deepEqual([info.lastError?.code, info.lastError?.diagnostics], ["PARSE_FAILED", diagnostics]);
    assert.deepEqual(
      (await runtime.list({ status: "failed" })).map(({ id }) => id),
      ["unparsed"],
    );
    const sandbox = await runtime.get("unparsed");
    const outcome = await sandbox.call("main.g");
    assertFailed(outcome, "not-running");
    assert.match(outcome.error.message, /it is failed: Cannot compile module/);
  });

  test("cannot be restarted, as there is nothing to start, and can be destroyed", async () => {
    await error;
    await errorOf(() => runtime.restart("unparsed"), "SANDBOX_NOT_RUNNING");
    await runtime.destroy("unparsed");
    assert.equal(await runtime.has("unparsed"), false);
  });
});

for (const [how, modules, code] of [
  ["does not parse", { main: "export const = 1" }, "PARSE_FAILED"],
  ["does not link", { main: 'import "./nowhere"' }, "LOAD_FAILED"],
  ["throws when it is loaded", { main: "throw new Error('no')" }, "LOAD_FAILED"],
] as const) {
  test(`a sandbox without a given id whose code ${how} is told with the id it got, singly and in a batch`, async () => {
    const { sandboxId } = await loadErrorOf(() => runtime.create({ modules }), code);
    assert.ok(sandboxId !== undefined);
    assert.equal((await runtime.info(sandboxId)).status, "failed");
    const [result] = await runtime.batch.create([{ modules }]);
    assert.ok(result !== undefined && !result.ok && result.error instanceof LoadError);
    assert.equal(result.error.sandboxId, result.sandboxId);
    assert.equal((await runtime.info(result.sandboxId)).lastError?.code, code);
    await runtime.batch.destroy([sandboxId, result.sandboxId]);
  });
}

test("a reload that fails is told with the sandbox's id, and a mere compilation with none", async () => {
  await using sandbox = await createMain(runtime, "export const f = () => 1");
  for (const [main, code] of [
    ["export const = 1", "PARSE_FAILED"],
    ['import "./nowhere"', "LOAD_FAILED"],
    ["throw 1", "LOAD_FAILED"],
  ] as const) {
    const { sandboxId } = await loadErrorOf(() => sandbox.hotReload({ main }), code);
    assert.equal(sandboxId, sandbox.id);
  }
  const compiled = await loadErrorOf(() => runtime.compile.source("export const = 1"), "PARSE_FAILED");
  assert.equal(compiled.sandboxId, undefined);
});

test("a batch gives code that fails as a value, with the others created", async () => {
  const results = await runtime.batch.create([
    { id: "fine", modules: { main: "export const f = () => 1" } },
    { id: "unparsed-2", modules: { main: "export const = 1" } },
    { id: "unlinked", modules: { main: 'import "./nowhere"' } },
    { id: "thrown", modules: { main: "throw new Error('no')" } },
  ]);
  assert.deepEqual(
    results.map((result) => `${result.index} ${result.sandboxId} ${result.ok ? "ok" : result.error.code}`),
    ["0 fine ok", "1 unparsed-2 PARSE_FAILED", "2 unlinked LOAD_FAILED", "3 thrown LOAD_FAILED"],
  );
  for (const { id, status } of await runtime.list())
    assert.equal(status, id === "fine" ? "running" : "failed");
  await runtime.batch.destroy(results.map(({ sandboxId }) => sandboxId));
});

suite("modules that cannot be linked", () => {
  test("are told with what is missing, where, and what there is", async () => {
    const { phase, message } = await loadErrorOf(
      () =>
        runtime.create({
          modules: { main: 'import "./util"; import x from "lodash"; x();', other: "export {}" },
        }),
      "LOAD_FAILED",
    );
    assert.equal(phase, "link");
    for (const part of ['"./util" into "main"', '"lodash" into "main"', "main, other"])
      assert.ok(message.includes(part), message);
  });

  for (const specifier of [
    "node:fs",
    "fs",
    "../../.env",
    "/etc/passwd",
    "file:///etc/passwd",
    "data:text/javascript,1",
  ]) {
    test(`an import of ${specifier} finds nothing, also where the gate lets it pass`, async () => {
      const main = `import x from ${JSON.stringify(specifier)}; export const f = () => x;`;
      const isRelative = specifier.startsWith(".");
      const [code, expected] = isRelative
        ? (["LOAD_FAILED", "link"] as const)
        : (["SECURITY_REJECTED", "gate"] as const);
      const refused = await loadErrorOf(() => createMain(runtime, main), code);
      assert.equal(refused.phase, expected);
      const lost = await loadErrorOf(
        () => runtime.create({ modules: { main }, profile: "low" }),
        "LOAD_FAILED",
      );
      assert.equal(lost.phase, "link");
      for (const { message } of [refused, lost]) assert.ok(message.includes(specifier));
    });
  }

  test("a dynamic import of what is not there fails the run that makes it", async () => {
    await using sandbox = await createMain(runtime, 'export const f = () => import("./nowhere");');
    const outcome = await sandbox.call("main.f");
    assertFailed(outcome, "crashed");
    assert.match(outcome.error.message, /Cannot import "\.\/nowhere" into module "main"/);
  });
});

suite("a top level that throws", () => {
  test("is told with what was thrown, its stack in the source's own lines", async () => {
    const source =
      "type T = {\n  a: 1;\n};\nfunction fail(): T {\n  throw new RangeError('no luck');\n}\nfail();";
    const { phase, failure, message } = await loadErrorOf(
      () => runtime.create({ modules: { "lib/main.ts": source } }),
      "LOAD_FAILED",
    );
    assert.equal(phase, "evaluate");
    assert.equal(failure?.kind, "crashed");
    assert.deepEqual([failure?.thrown?.name, failure?.thrown?.message], ["RangeError", "no luck"]);
    assert.match(failure?.thrown?.stack ?? "", /at fail \(lib\/main\.ts:5:9\)[^]*at lib\/main\.ts:7:1$/);
    assert.match(message, /RangeError: no luck/);
  });

  test("leaves a record that can be restarted, and fails again", async () => {
    await errorOf(() => runtime.create("thrower", { modules: { main: "throw 1" } }), "LOAD_FAILED");
    await errorOf(() => runtime.restart("thrower"), "LOAD_FAILED");
    const { status, restarts } = await runtime.info("thrower");
    assert.deepEqual({ status, restarts }, { status: "failed", restarts: 1 });
    await runtime.destroy("thrower");
  });

  test("ends a rejected top-level await the same way", async () => {
    const { failure } = await loadErrorOf(
      () => createMain(runtime, "await Promise.reject(new TypeError('later')); export {};"),
      "LOAD_FAILED",
    );
    assert.equal(failure?.thrown?.name, "TypeError");
  });
});

suite("what is called and is not there", () => {
  test("a module that is missing is named with those that exist", async () => {
    await using sandbox = await runtime.create({ modules: { main: "export {}", util: "export {}" } });
    const outcome = await sandbox.call("mian.f");
    assertFailed(outcome, "not-found");
    assert.equal(outcome.error.message, 'Cannot find module "mian": the sandbox has main, util');
  });

  test("an export that is missing is named with those that exist", async () => {
    await using sandbox = await createMain(runtime, "export const score = () => 1; export default () => 2;");
    for (const name of ["scroe", "toString", "constructor", "__proto__", "hasOwnProperty"]) {
      const outcome = await sandbox.call(`main.${name}`);
      assertFailed(outcome, "not-found");
      assert.equal(
        outcome.error.message,
        `Cannot find function "${name}" in module "main": it exports default, score`,
      );
    }
  });

  test("an export that is no function is not found, and a module without exports says so", async () => {
    await using sandbox = await runtime.create({
      modules: { main: "export const n = 5", none: "export {}" },
    });
    assertFailed(await sandbox.call("main.n"), "not-found");
    const outcome = await sandbox.call("none.f");
    assertFailed(outcome, "not-found");
    assert.match(outcome.error.message, /it exports nothing/);
    valueOf(await sandbox.run((all) => Object.keys(all).length));
  });
});

test("names that belong to the compiler, and nesting without end, are refused with their place", async () => {
  for (const source of [
    "export const __vivarium_x = 1;",
    `export const f = ${"[".repeat(600)}${"]".repeat(600)};`,
  ]) {
    const { diagnostics } = await loadErrorOf(() => createMain(runtime, source), "PARSE_FAILED");
    assert.equal(diagnostics[0]?.line, 1);
  }
});
