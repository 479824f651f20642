// What a newcomer's mistakes in runs, processes, capabilities, events and evolutions are answered with: what to do instead.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Tracker } from "../../../src/evolution/index.ts";
import { createRuntime, unwrap } from "../../../src/index.ts";
import { errorOf, mistakeOf } from "../../support/errors.ts";
import { failureOf } from "../../support/outcomes.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();

/** Something as one who does not know its type gives it. */
const wrong = (given: unknown): never => given as never;

const loadError = async (main: string, more: object = {}): Promise<string> =>
  (await errorOf(() => runtime.create({ modules: { main }, ...more }), "LOAD_FAILED")).message;

const serverCode = `import { server } from "vivarium/guest";
  export default server({ init: () => 0, handleCall: (message, state) => ({ reply: state, state }) });`;

test("a message to a sandbox whose tree was never started is answered with the option that starts it", async () => {
  const modules = { main: serverCode };
  const why =
    "no process has a name, as the sandbox was created without the option supervisor, which names the module whose supervisor or server is started";
  await using without = await runtime.create({ modules });
  assert.equal(failureOf(await without.ask("root", 1)).message, `Cannot get an answer from "root": ${why}`);
  assert.match(failureOf(await without.send("root", 1)).message, /the option supervisor/);
  await using started = await runtime.create({ modules, supervisor: "main" });
  const { message } = failureOf(await started.ask("nope", 1));
  assert.equal(message, 'Cannot get an answer from "nope": those that have a name are root');
});

test("unwrap() of a call that was not awaited says so", async () => {
  await using sandbox = await runtime.create({ modules: { main: "export const f = () => 1;" } });
  const call = sandbox.call("main.f");
  const textOf = async (given: unknown): Promise<string> =>
    (await mistakeOf(() => unwrap(wrong(given)), "INVALID_OPTIONS")).message;
  assert.equal(await textOf(call), "Cannot unwrap as it must be an outcome: got a promise, await it");
  await call;
  assert.equal(await textOf(undefined), "Cannot unwrap as it must be an outcome: got undefined");
});

test("a call of a generator is answered with what reads it", async () => {
  const main = `export function* f() { yield 1; } export async function* g() { yield 1; }
    export const inside = () => ({ f: f() });`;
  await using sandbox = await runtime.create({ modules: { main } });
  const message = async (name: string): Promise<string> =>
    failureOf(await sandbox.call(`main.${name}`)).message;
  const rule = "Cannot return the result as it must be data: result";
  const advice = "sandbox.stream() reads what it yields";
  assert.equal(await message("f"), `${rule} is a generator: ${advice}`);
  assert.equal(await message("g"), `${rule} is an async generator: ${advice}`);
  assert.equal(await message("inside"), `${rule}.f is a generator`);
});

test("an outcome given as a score is answered with unwrap", async () => {
  await using sandbox = await runtime.create({ modules: { main: "export const f = () => 1;" } });
  const score = async (fitness: unknown): Promise<string | undefined> => {
    const [result] = await runtime.batch.evaluate([sandbox.id], wrong(fitness));
    return result?.ok === false ? result.error.message : undefined;
  };
  const rule = "Cannot use the score as it must be a finite number, with components that are";
  const called = await score((candidate: typeof sandbox) => candidate.call("main.f"));
  assert.equal(called, `${rule}: got an outcome, whose value unwrap(outcome) gives`);
  assert.equal(await score(() => ({ ok: true })), `${rule}: got an object`);
});

test("a server's state that is no data is answered with its place", async () => {
  const main = serverCode.replace("init: () => 0", "init: () => ({ f: () => 1 })");
  const message = await loadError(main, { supervisor: "main", checkpoint: "message" });
  assert.match(
    message,
    /Cannot capture the state of main#server as it must be data: state\.f is a function$/,
  );
});

suite("an import", () => {
  test("of what the process runtime does not export is answered with what it does", async () => {
    const message = await loadError('import { Server } from "vivarium/guest"; export const f = Server;');
    assert.match(
      message,
      /Cannot import "Server" from "vivarium\/guest" into "main" as that module exports /,
    );
    for (const name of ["server", "supervisor", "spawn"]) assert.match(message, new RegExp(`\\b${name}\\b`));
    assert.doesNotMatch(message, / more$/);
  });

  test("by a name that is only known when it runs is answered with what an npm package needs", async () => {
    const session = await runtime.session();
    const message = async (code: string): Promise<string> => failureOf(await session.run(code)).message;
    assert.match(
      await message('await import("left-pad")'),
      /"left-pad" into module "script-1" as the sandbox has no such module; an npm package must be among npmImports of createRuntime\(\), and its name written out in the import\(\)$/,
    );
    assert.match(await message('await import("./other")'), /as the sandbox has no such module$/);
    await session.close();
  });
});

test("a capability that is not granted is answered to the host with those that are, and not to the guest", async () => {
  await using own = await createRuntime({ capabilities: { price: () => 1, secret: () => 2 } });
  const told: (string | null)[] = [];
  own.events.on("capability.called", ({ message }) => void told.push(message), { background: true });
  const use = async (name: string): Promise<string> => {
    const source = `import { ${name} } from "vivarium/capabilities"; await ${name}();`;
    return failureOf(await own.once(source, { capabilities: ["price"] })).message;
  };
  assert.equal(await use("prise"), 'Cannot use "prise" as it must be granted: it is not');
  assert.equal(await use("secret"), 'Cannot use "secret" as it must be granted: it is not');
  const start = (name: string): string =>
    `Cannot use "${name}" as it must be granted: the sandbox is granted price`;
  assert.deepEqual(told, [
    `${start("prise")}; createRuntime({ capabilities }) registers none of this name`,
    `${start("secret")}; give create() { capabilities: ["secret"] }`,
  ]);
});

test("a misspelt event is answered with the one that was meant", async () => {
  const listening = (name: string) => (): unknown => runtime.events.on(wrong(name), () => {});
  const message = async (name: string): Promise<string> =>
    (await mistakeOf(listening(name), "INVALID_OPTIONS")).message;
  const rule = "as it must be the name of an event: got an unknown one";
  assert.equal(
    await message("sandbox.kill"),
    `Cannot listen to "sandbox.kill" ${rule}, did you mean sandbox.killed?`,
  );
  assert.equal(await message("weather"), `Cannot listen to "weather" ${rule}`);
});

test("a runtime given to a tracker is answered with what a tracker follows", async () => {
  const message = async (act: () => unknown): Promise<string> =>
    (await mistakeOf(act, "INVALID_OPTIONS")).message;
  assert.equal(
    await message(() => new Tracker(wrong(runtime))),
    "Cannot use options as they must be a tracker's, which is then given follow(runtime.events): got a runtime",
  );
  assert.equal(
    await message(() => new Tracker().follow(wrong(runtime))),
    "Cannot use events as they must be those of a runtime, as in follow(runtime.events): got a runtime",
  );
});

test("what was still under way when the runtime was closed is asked whether it was awaited", async () => {
  const own = await createRuntime();
  const creating = own.create("a", { modules: { main: "export const f = () => 1;" } });
  const failing = errorOf(() => creating, "RUNTIME_CLOSED");
  await own.close();
  const { message } = await failing;
  assert.match(message, /as the runtime must be open: it was closed; was something not awaited\?$/);
});
