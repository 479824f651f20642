// Programs that never close their runtime, by the argument that names them. Each awaits what it names while nothing else keeps
// its process alive, and then ends by having nothing left to do. Started by natural-end.test.ts.
import { setTimeout as sleep } from "node:timers/promises";
import {
  createRuntime,
  type CancelledError,
  type Runtime,
  type RuntimeOptions,
  type Sandbox,
} from "../../src/index.ts";
import { openTracker } from "../../src/evolution/index.ts";
import { childrenOf } from "../support/processes.ts";

const [, , name = "", folder = ""] = process.argv;
const options: RuntimeOptions = { cells: { count: 1, spare: 0, warm: 2 } };
const main = `
  import { server } from "vivarium/guest";
  let count = 0;
  export const bump = () => ++count;
  export const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); return ms; };
  export const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms, ms));
  export default server({
    init: () => 0,
    handleCall: async (ms, state) => { await later(ms); return { reply: state, state: state + 1 }; },
    handleCast: (_, state) => ({ state: state + 1 }),
  });`;
const actor = { modules: { main }, supervisor: "main" } as const;
const slow = "await new Promise((resolve) => setTimeout(resolve, 200)); export const f = () => 1;";

const say = (what: unknown): void => console.log(JSON.stringify(what));

async function everyMethodOf(runtime: Runtime, sandbox: Sandbox): Promise<void> {
  say(await sandbox.call("main.spin", { args: [200] }));
  say(await sandbox.call("main.later", { args: [200] }));
  say(await sandbox.run(({ main }) => main?.["later"]?.(200)));
  say(await sandbox.module<{ later(ms: number): Promise<number> }>("main").later(100));
  say(await sandbox.ask("root", 100));
  say(await sandbox.send("root", 1));
  await sandbox.hotReload({ slow });
  await sandbox.hotReload({ slow: `${slow}//` }, { verify: () => sleep(10, true) });
  await sandbox.rollback("slow", 1);
  await sandbox.rollbackTo(1);
  await sandbox.checkpoint();
  await sandbox.restoreState(await sandbox.captureState());
  await sandbox.processes();
  await sandbox.suspend();
  await sandbox.resume();
  await sandbox.updateLimits({ memoryBytes: 200 * 2 ** 20 });
  await sandbox.usage();
  await sandbox.export();
  await sandbox.restart();
  await (await runtime.fork(sandbox.id, { state: true })).destroy();
  const deterministic = { seed: 1 };
  const recorder = await runtime.create({
    modules: { main: "export const f = Math.random;" },
    deterministic,
  });
  await recorder.replay((await recorder.call("main.f", { record: true })).recording);
}

async function everyMethodOfRuntime(runtime: Runtime): Promise<void> {
  say(await runtime.once("export default () => new Promise((resolve) => setTimeout(resolve, 200, 7));"));
  await runtime.compile.source("export const a = 1;");
  await runtime.compile.check("export const a: number = 2;");
  await runtime.compile.types({ a: "export const a: number = 2;" });
  const specs = Array.from({ length: 5 }, () => ({ modules: { main: slow } }));
  const made = await runtime.batch.create(specs);
  const ids = made.map(({ sandboxId }) => sandboxId);
  say((await runtime.batch.call(ids, "main.f")).length);
  for await (const { ok } of runtime.batch.run(ids, () => new Promise((resolve) => setTimeout(resolve, 50))))
    say(ok);
  say((await runtime.batch.evaluate(specs, async () => sleep(20, 1))).length);
  await runtime.batch.hotReload(ids, { main: slow });
  await runtime.batch.destroy(ids);
  await runtime.collect();
  await runtime.metrics();
  await runtime.documents.write("mine", new Map([["a", 1]]));
  await runtime.documents.read("mine");
  await runtime.journal.entries();
  await runtime.audit.query();
  if (runtime.data === null) return;
  await runtime.data.compact();
  await runtime.data.backup(`${folder}-copy`);
  const tracker = await openTracker(runtime);
  await runtime.create({ modules: { main: slow } });
  await tracker.saved();
}

const programs: Readonly<Record<string, () => Promise<void>>> = {
  async plain() {
    const runtime = await createRuntime();
    const sandbox = await runtime.create({ modules: { main: "export const f = () => 42;" } });
    say(await sandbox.call("main.f"));
  },
  // A deadline that is kept holds nothing, and one that passes is waited for.
  async deadline() {
    const runtime = await createRuntime(options);
    const sandbox = await runtime.create({ ...actor, deadlineMs: 86_400_000 });
    await sandbox.suspend({ deadlineMs: 86_400_000 });
    await sandbox.resume({ deadlineMs: 86_400_000 });
    const endless = { modules: { main: "for (;;);" }, limits: { loadMs: 60_000 }, deadlineMs: 300 };
    say(await runtime.create(endless).catch((error: unknown) => (error as CancelledError).deadlineMs));
  },
  async methods() {
    const runtime = await createRuntime(options);
    await everyMethodOf(runtime, await runtime.create(actor));
  },
  async runtime() {
    await everyMethodOfRuntime(await createRuntime({ ...options, data: folder }));
  },
  async unawaited() {
    const runtime = await createRuntime(options);
    const sandbox = await runtime.create({ modules: { main } });
    // Nobody awaits them, and the program says how they ended all the same.
    const later = "main.later";
    void sandbox.call(later, { args: [300] }).then((outcome) => say(["call", outcome.ok && outcome.value]));
    void runtime.batch
      .call([sandbox.id], later, { args: [400] })
      .then(([result]) => say(["batch", result?.ok === true && result.value]));
    void runtime.create({ modules: { main: slow } }).then(({ id }) => say(["create", id !== ""]));
  },
  async event() {
    const runtime = await createRuntime(options);
    const exited = new Promise((resolve) => {
      const end = runtime.events.on("process.exited", ({ name }) => {
        end();
        resolve(name);
      });
    });
    const source = `import { spawn } from "vivarium/guest";
      export const f = () => { spawn(() => new Promise((resolve) => setTimeout(resolve, 300)), { name: "walker" }); };`;
    const sandbox = await runtime.create({ modules: { main: source } });
    await sandbox.call("main.f");
    say(await exited);
  },
  async background() {
    const runtime = await createRuntime(options);
    runtime.events.on("sandbox.run.stop", ({ result }) => say(result), { background: true });
    const tracker = await openTracker(runtime);
    const source = "setTimeout(() => {}, 1_000_000); export const f = () => 1;";
    await (await runtime.create({ modules: { main: source } })).call("main.f");
    say(tracker.size().living);
  },
  async counted() {
    const runtime = await createRuntime({ ...options, data: folder });
    const known = await runtime.has("counter");
    const sandbox = known ? await runtime.get("counter") : await runtime.create("counter", actor);
    const asked = await sandbox.ask("root", 0);
    await sandbox.checkpoint();
    say({ known, count: asked.ok && asked.value, journal: (await runtime.journal.entries()).length > 0 });
  },
  async listening() {
    const runtime = await createRuntime(options);
    runtime.events.onAny(() => {});
  },
  async later() {
    const runtime = await createRuntime(options);
    const sandbox = await runtime.create({ modules: { main: "export const f = () => 5;" } });
    // Another part of the program that finds more to do at its end.
    process.once("beforeExit", () => void sandbox.call("main.f").then(say));
  },
};

await programs[name]?.();
process.stderr.write(JSON.stringify(childrenOf(process.pid)));
