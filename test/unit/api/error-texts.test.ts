// What a newcomer's mistakes are answered with: the rule, and what to write instead.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { suite, test } from "node:test";
import { createRuntime, type Outcome } from "../../../src/index.ts";
import { Folder } from "../../support/folders.ts";
import { mistakeOf } from "../../support/errors.ts";
import { failureOf } from "../../support/outcomes.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { until } from "../../support/waiting.ts";

const runtime = await startRuntime();
const offering = await startRuntime({ capabilities: { price: () => 1 } });
const modules = { main: "export const f = () => 1;" };

/** The message, without the list of all options at its end. */
async function messageOf(act: () => unknown): Promise<string> {
  const { message } = await mistakeOf(act, "INVALID_OPTIONS");
  return message.replace(/ \(here: .*\)$/, "");
}

/** The message of a run whose target does not exist. */
function notFound(outcome: Outcome): string {
  const { kind, message } = failureOf(outcome);
  assert.equal(kind, "not-found", message);
  return message;
}

/** Options as one who does not know their types gives them. */
const wrong = (options: unknown): never => options as never;

suite("an option that is not known where it is given", () => {
  const inLimits = "it must stand in limits: write { limits: { timeoutMs: … } }";
  const rows: Readonly<Record<string, readonly [() => unknown, string]>> = {
    "a limit among the options of createRuntime": [
      () => createRuntime(wrong({ timeoutMs: 5 })),
      `Cannot use option "timeoutMs" in options as ${inLimits}`,
    ],
    "an option of cells among those of createRuntime": [
      () => createRuntime(wrong({ spare: 1 })),
      'Cannot use option "spare" in options as it must stand in cells: write { cells: { spare: … } }',
    ],
    "a limit in a spec": [
      () => runtime.create(wrong({ modules, timeoutMs: 5 })),
      `Cannot use option "timeoutMs" in spec as ${inLimits}`,
    ],
    "a limit in the spec of a session": [
      () => runtime.session(wrong({ timeoutMs: 5 })),
      `Cannot use option "timeoutMs" in spec as ${inLimits}`,
    ],
    "a tenant outside of its placement": [
      () => runtime.create(wrong({ modules, tenant: "a" })),
      'Cannot use option "tenant" in spec as it must stand in placement: write { placement: { tenant: … } }',
    ],
    "an option of the runtime in a spec": [
      () => runtime.create(wrong({ modules, cells: {} })),
      'Cannot use option "cells" in spec as it must be given to createRuntime(): it is not known here',
    ],
    "modules given to once": [
      () => runtime.once("export default () => 1;", wrong({ modules })),
      'Cannot use option "modules" in options as it must be given to create() or fork(): it is not known here',
    ],
    "a misspelt option": [
      () => createRuntime(wrong({ celz: {} })),
      'Cannot use option "celz" in options as its name must be a known one: did you mean cells?',
    ],
    "an option without its unit": [
      () => runtime.batch.call(["a"], "main.f", wrong({ timeout: 1 })),
      'Cannot use option "timeout" in options as its name must be a known one: did you mean timeoutMs?',
    ],
    "a deadline given to a call": [
      async () => (await runtime.create({ modules })).call("main.f", wrong({ deadlineMs: 5 })),
      'Cannot use option "deadlineMs" in options as its name must be timeoutMs here: write { timeoutMs: … }',
    ],
    "the time limit of a run given to a reload": [
      async () => (await runtime.create({ modules })).hotReload({}, wrong({ timeoutMs: 5 })),
      'Cannot use option "timeoutMs" in options as its name must be deadlineMs here: write { deadlineMs: … }',
    ],
    "a list instead of options": [
      async () => (await runtime.create({ modules })).call("main.f", wrong([1])),
      "Cannot use options as it must be an object, as in { args: [ … ] }: got an array of 1",
    ],
    "limits of a call": [
      async () => (await runtime.create({ modules })).call("main.f", wrong({ limits: {} })),
      'Cannot use option "limits" in options as it must be given to createRuntime(), create() or once(): a single run takes { timeoutMs, cpuMs, fuel } directly',
    ],
    "limits of a reload": [
      async () => (await runtime.create({ modules })).hotReload(modules, wrong({ limits: {} })),
      'Cannot use option "limits" in options as it must be given to createRuntime(), create() or once(): it is not known here',
    ],
    "a source in a spec": [
      () => runtime.create(wrong({ source: modules.main })),
      'Cannot use option "source" in spec as its name must be modules: write { modules: { main: … } }',
    ],
    "code in a spec": [
      () => runtime.create(wrong({ code: modules.main })),
      'Cannot use option "code" in spec as its name must be modules: write { modules: { main: … } }',
    ],
  };
  for (const [name, [act, message]] of Object.entries(rows))
    test(`${name} is answered with its right place or name`, async () => {
      assert.equal(await messageOf(act), message);
    });

  test("what is like no option is answered with those that there are", async () => {
    const { message } = await mistakeOf(() => createRuntime(wrong({ bogus: 1 })), "INVALID_OPTIONS");
    assert.match(message, /^Cannot use options as its options must be among limits, .*: got "bogus"$/);
  });

  test("a misspelt limit is answered with the one that was meant", async () => {
    const { message } = await mistakeOf(
      () => createRuntime({ limits: wrong({ timeout: 5 }) }),
      "INVALID_LIMITS",
    );
    assert.match(message, /: got an unknown name, did you mean timeoutMs\?$/);
  });
});

suite("a fitness", () => {
  const evaluate = (fitness: unknown) => (): unknown => runtime.batch.evaluate(["a"], wrong(fitness));
  test("in no known form shows the forms, and the names that it has", async () => {
    const forms = "a function, { tests }, { questions, scorer }, or { stages }";
    assert.equal(
      await messageOf(evaluate({ test: [], points: 1 })),
      `Cannot use fitness as it must be ${forms}: got { test, points }`,
    );
    assert.equal(await messageOf(evaluate(7)), `Cannot use fitness as it must be ${forms}: got 7`);
  });

  test("with a test that says not what to call names that test", async () => {
    const tests = [{ name: "one", args: [1], expected: 1 }];
    assert.equal(
      await messageOf(evaluate({ tests })),
      'Cannot use fitness.tests[0].call as it must be "module.export", as in "main.f": got undefined',
    );
  });
});

test("a source given to hotReload() without its module's name is answered with how it is given", async () => {
  await using sandbox = await runtime.create({ modules });
  assert.equal(
    await messageOf(() => sandbox.hotReload(wrong("export const f = 2;"))),
    'Cannot reload as there must be at least one module, as in { main: "export const f = () => 1;" }: got "export const f = 2;"',
  );
});

test("modules given to hotReload() as in a spec are answered with where they stand", async () => {
  await using sandbox = await runtime.create({ modules });
  assert.equal(
    await messageOf(() => sandbox.hotReload(wrong({ modules }))),
    "Cannot reload as modules must be the first argument themselves, as in { main: … }: got { modules: { … } }",
  );
  await sandbox.hotReload({ modules: "export const f = () => 2;" });
  assert.deepEqual(Object.keys((await sandbox.info()).modules), ["main", "modules"]);
});

suite("a capability that is granted in no known form is answered with the forms", () => {
  const granting = (grant: unknown) => (): unknown =>
    offering.create({ modules, capabilities: wrong({ price: grant }) });
  const rule = "Cannot use capabilities.price as it must be true or a quota, as in { calls: 5 }";
  test("where it is a number", async () => assert.equal(await messageOf(granting(5)), `${rule}: got 5`));
  test("where it is a function, which a runtime takes", async () => {
    const message = `${rule}: got a function, which is for createRuntime({ capabilities })`;
    assert.equal(await messageOf(granting(() => 1)), message);
  });
});

test("what is no module's name is answered with the place where one must stand", async () => {
  await using sandbox = await runtime.create({ modules });
  const message = async (act: () => unknown): Promise<string> => (await mistakeOf(act, "INVALID_ID")).message;
  assert.equal(
    await message(() => runtime.create({ modules, supervisor: wrong(true) })),
    "Cannot use supervisor as it must be a text, the name of a module: got true",
  );
  assert.equal(
    await message(() => sandbox.rollback(wrong(1), wrong(undefined))),
    "Cannot use the first argument of rollback() as it must be a text, the name of a module: got 1",
  );
});

test("a checkpoint in no known form is answered with both", async () => {
  assert.equal(
    await messageOf(() => runtime.create({ modules, supervisor: "main", checkpoint: wrong(true) })),
    'Cannot use checkpoint as it must be "message" or { everyMs }: got true',
  );
});

suite("a path", () => {
  const creating = (path: unknown) => (): unknown => runtime.create(wrong({ path }));
  const rule = "it must be one of the file system, as import.meta.dirname or fileURLToPath(url)";
  test("that is a URL is answered with what makes a path of it", async () => {
    const url = new URL(import.meta.url);
    assert.equal(await messageOf(creating(url)), `Cannot use path as ${rule}: got a URL`);
    assert.equal(await messageOf(creating("file:///a")), `Cannot use path as ${rule}: got "file:///a"`);
  });

  test("that is relative and leads nowhere is answered with where it was looked for", async () => {
    assert.equal(
      await messageOf(creating("./nowhere")),
      `Cannot read modules as the path must exist: got "./nowhere", which is "${resolve("nowhere")}"`,
    );
    assert.equal(
      await messageOf(creating("/nowhere")),
      'Cannot read modules as the path must exist: got "/nowhere"',
    );
  });
});

suite("a spec", () => {
  const form = 'as in { main: "export const f = () => 1;" }';
  test("without any module says what modules look like", async () => {
    assert.equal(
      await messageOf(() => runtime.create({ modules: {} })),
      `Cannot use modules as they must be an object of at least one name and its source, ${form}: got an empty object`,
    );
    assert.equal(
      await messageOf(() => runtime.create({})),
      "Cannot use spec as it must have modules, or a path to read them from: it has neither",
    );
    assert.equal(
      await messageOf(() => runtime.create(wrong("export const f = 1;"))),
      'Cannot use spec as it must be an object, as in { modules: { main: … } }: got "export const f = 1;"',
    );
  });

  test("whose supervisor is none of its modules names them, of texts and of files alike", async () => {
    const message = (names: string): string =>
      `Cannot use supervisor as it must be one of the modules, ${names}: got "nope"`;
    const texts = { ...modules, other: "export const g = 2;" };
    assert.equal(
      await messageOf(() => runtime.create({ modules: texts, supervisor: "nope" })),
      message("main, other"),
    );
    using folder = new Folder({ "index.ts": "export const f = () => 1;" });
    const { path } = folder;
    assert.equal(await messageOf(() => runtime.create({ path, supervisor: "nope" })), message("index"));
  });

  test("whose supervisor module exports none names the module", async () => {
    const creating = () => runtime.create({ modules, supervisor: "main" });
    const { message } = await mistakeOf(creating, "LOAD_FAILED");
    assert.match(
      message,
      /module "main" must export a supervisor or a server, as default or as `supervisor`/,
    );
  });
});

test("a call of what is exported and is no function says what it is", async () => {
  const main = `export const c = 5; export const text = ""; export const object = {}; export const list = [];
    export const nothing = null; export let later; export default 7n;`;
  const sandbox = await runtime.create({ modules: { main } });
  const types = {
    c: "a number",
    text: "a text",
    object: "an object",
    list: "an object",
    nothing: "null",
    later: "undefined",
    default: "a bigint",
  };
  for (const [name, type] of Object.entries(types)) {
    const message = notFound(await sandbox.call(`main.${name}`));
    assert.equal(message, `Cannot call "${name}" of module "main" as it must be a function: it is ${type}`);
  }
  const message = notFound(await sandbox.call("main.nope"));
  assert.match(message, /^Cannot find function "nope" in module "main": it exports c, default/);
});

test("a message to a name that no process has is answered with those that there are", async () => {
  const main = `import { server, spawn } from "vivarium/guest";
    export const Echo = server({ init: () => 0, handleCall: (message, state) => ({ reply: message, state }) });
    export const start = () => void spawn(() => new Promise(() => {}), { name: "walker" });
    export default Echo;`;
  const sandbox = await runtime.create({ modules: { main }, supervisor: "main" });
  const ask = async (): Promise<string> => notFound(await sandbox.ask("nope", 1));
  assert.equal(await ask(), 'Cannot get an answer from "nope": those that have a name are root');
  await sandbox.call("main.start");
  assert.equal(await ask(), 'Cannot get an answer from "nope": those that have a name are root, walker');
  const message = notFound(await sandbox.send("nope", 1));
  assert.match(message, /those that have a name are root, walker$/);
});

test("health() says starting while the first cells come up, then ok, and degraded once one is lost", async () => {
  const own = await startRuntime({ cells: { count: 2, spare: 0 } });
  const status = async (): Promise<string> => (await own.health()).status;
  assert.equal(await status(), "starting");
  await until("all cells are up", async () => (await status()) === "ok");
  const [cell] = (await own.metrics()).cells;
  process.kill(cell?.pid ?? 0, "SIGKILL");
  await until("it is missed", async () => (await status()) === "degraded");
  await until("another one is up", async () => (await status()) === "ok");
});
