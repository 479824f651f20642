// Every event of the catalogue, caused by a real action and received through the public API with all documented fields. An
// event that is added without an action here does not compile; one that nothing causes fails.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { Tracker } from "../../src/evolution/index.ts";
import { createRuntime, type EventMap, type EventName, type Runtime } from "../../src/index.ts";
import { eventNames } from "../../src/observability/catalogue.ts";
import { fromMarkdown, sectionsIn } from "../../tools/docs/markdown.ts";
import { startBreakable, type Breakable } from "../support/breakable.ts";
import { FlakyStore } from "../support/flaky-store.ts";
import { Folder } from "../support/folders.ts";
import { fulfilled } from "../support/waiting.ts";

const plain = `
  export const f = (n) => n;
  export const spin = () => { for (;;); };
  export const crash = () => Array.prototype.toSorted.call({ length: 2 ** 27 + 1 });`;
const counting = (version: number): string => `
  import { cast, server, supervisor } from "vivarium/guest";
  const Counter = server({ name: "counter", init: () => ({ count: 0 }),
    handleCast: () => { throw new Error("broken"); },
    schema: { version: ${version}, fields: {} }, migrations: [{ from: 1, to: 2, up: (state) => ({ ...state, steps: 1 }) }] });
  export const f = () => cast("counter", "break");
  export default supervisor({ children: [{ id: "counter", start: Counter }] });`;
const asking = `import { double } from "vivarium/capabilities"; export const f = (n) => double(n);`;

interface Setup {
  readonly broken: Breakable;
  readonly runtime: Runtime;
  readonly store: FlakyStore;
  readonly folder: Folder;
}

type Act = (setup: Setup) => Promise<unknown>;

const fail = (): never => {
  throw new RangeError("the disk is full");
};
const create: Act = ({ runtime }) => runtime.create({ modules: { main: plain } });
const call: Act = async ({ runtime }) => (await runtime.create({ modules: { main: plain } })).call("main.f");
const reload: Act = async ({ runtime }) =>
  (await runtime.create({ modules: { main: plain } })).hotReload({ main: `${plain} // anew` });
const restart: Act = async ({ runtime }) => (await runtime.create({ modules: { main: plain } })).restart();
const destroy: Act = async ({ runtime }) => (await runtime.create({ modules: { main: plain } })).destroy();
const evaluate: Act = async ({ runtime }) => {
  const { id } = await runtime.create({ modules: { main: plain } });
  return runtime.batch.evaluate([id], async () => 1);
};
const batch: Act = async ({ runtime }) => {
  const { id } = await runtime.create({ modules: { main: plain } });
  return runtime.batch.call([id], "main.f");
};
const crash: Act = async ({ runtime }) =>
  (await runtime.create({ modules: { main: `${plain} // ${Math.random()}` } })).call("main.crash");
const supervise: Act = ({ runtime }) =>
  runtime.create({ modules: { main: counting(1) }, supervisor: "main" });
const breakProcess: Act = async ({ runtime }) =>
  (await runtime.create({ modules: { main: counting(1) }, supervisor: "main" })).call("main.f");
const useCapability: Act = async ({ runtime }) =>
  (
    await runtime.create({ modules: { main: asking }, capabilities: { double: {} }, profile: "watched" })
  ).call("main.f", { args: [1] });
const follow: Act = async ({ runtime, folder }) => {
  folder.write({ "index.ts": plain });
  return runtime.create({ path: folder.path, autoReload: true });
};

const acts: Readonly<Record<EventName, Act>> = {
  "sandbox.create.start": create,
  "sandbox.create.stop": create,
  "sandbox.create.exception": (setup) => {
    setup.store.beforeNextSave = fail;
    return create(setup);
  },
  "sandbox.run.start": call,
  "sandbox.run.stop": call,
  "sandbox.run.exception": async ({ runtime }) => {
    const sandbox = await runtime.create({ modules: { main: plain } });
    return sandbox.call("main.f", { timeoutMs: -1 });
  },
  "sandbox.hotReload.start": reload,
  "sandbox.hotReload.stop": reload,
  "sandbox.hotReload.exception": async ({ runtime, store }) => {
    const sandbox = await runtime.create({ modules: { main: plain } });
    store.beforeNextSave = fail;
    return sandbox.hotReload({ main: `${plain} // anew` });
  },
  "sandbox.followed": async (setup) => {
    await follow(setup);
    setup.folder.write({ "index.ts": `${plain} // changed` });
  },
  "sandbox.unfollowed": async (setup) => {
    await follow(setup);
    setup.folder.write({ "index.ts": "export const = ;" });
  },
  "version.rolledBack": async ({ runtime }) => {
    const sandbox = await runtime.create({ modules: { main: plain } });
    await sandbox.hotReload({ main: `${plain} // anew` });
    return sandbox.rollback("main", 1);
  },
  "sandbox.restart.start": restart,
  "sandbox.restart.stop": restart,
  "sandbox.restart.exception": async ({ runtime }) => {
    const sandbox = await runtime.create({ modules: { main: plain } });
    const again = sandbox.restart();
    await sandbox.destroy();
    return again;
  },
  "sandbox.destroy.start": destroy,
  "sandbox.destroy.stop": destroy,
  "sandbox.destroy.exception": (setup) => {
    setup.store.beforeNextRemove = fail;
    return destroy(setup);
  },
  "lineage.born": create,
  "lineage.mutated": reload,
  "sandbox.evaluate.start": evaluate,
  "sandbox.evaluate.stop": evaluate,
  "sandbox.evaluate.exception": async ({ runtime }) => {
    const { id } = await runtime.create({ modules: { main: plain } });
    return runtime.batch.evaluate([id], () => Promise.reject(new Error("no scores today")));
  },
  "sandbox.limited": async ({ runtime }) => {
    const raised = { memoryBytes: 2 ** 30 };
    const sandbox = await runtime.create({ modules: { main: plain }, limits: raised });
    await runtime.import(await sandbox.export(), { id: "limited" });
  },
  "fitness.computed": evaluate,
  "fitness.adjusted": async ({ runtime }) => {
    const tracker = new Tracker();
    tracker.follow(runtime.events);
    const { id } = await runtime.create({ modules: { main: plain } });
    await runtime.batch.evaluate([id], async () => 1);
    tracker.fitness.adjust(id, -1, "it was slow");
  },
  "sandbox.batch.start": batch,
  "sandbox.batch.stop": batch,
  "sandbox.batch.exception": async ({ runtime }) =>
    runtime.batch.call(["nobody"], "main.f", { concurrency: -1 }),
  "sandbox.killed": async ({ runtime }) =>
    (await runtime.create({ modules: { main: plain } })).call("main.spin", { timeoutMs: 50 }),
  "sandbox.rebuilt": crash,
  "sandbox.failed": ({ runtime }) => runtime.create({ modules: { main: "throw new Error()" } }),
  "process.started": supervise,
  "process.exited": breakProcess,
  "process.restarted": breakProcess,
  "state.migrated": async ({ runtime }) => {
    const sandbox = await runtime.create({ modules: { main: counting(1) }, supervisor: "main" });
    return sandbox.hotReload({ main: counting(2) });
  },
  "capability.called": useCapability,
  "security.rejected": ({ runtime }) =>
    runtime.create({ modules: { main: `import "node:fs";` }, profile: "watched" }),
  "security.warned": ({ runtime }) =>
    runtime.create({ modules: { main: `export const f = () => globalThis.process;` }, profile: "low" }),
  "security.admitted": ({ runtime }) => runtime.create({ modules: { main: plain }, profile: "watched" }),
  "security.denied": async ({ runtime }) =>
    (await runtime.create({ modules: { main: asking } })).call("main.f", { args: [1] }),
  "security.called": useCapability,
  "cell.started": crash,
  "cell.exited": crash,
  "cell.quarantined": crash,
  "cell.breaker": async ({ broken, runtime }) => {
    broken.isBroken = true;
    await broken.signal("SIGKILL");
    await heard(runtime, "cell.breaker");
    broken.isBroken = false;
  },
  "gc.collected": ({ runtime }) => runtime.collect(),
  "store.recovered": () => Promise.resolve(),
  "store.degraded": async ({ store }) => store.tell({ state: "degraded", reason: "the disk is full" }),
  "store.restored": async ({ store }) => store.tell({ state: "ok", reason: null }),
  "resource.sampled": () => Promise.resolve(),
};

// The next event of a name.
function heard<N extends EventName>(runtime: Runtime, name: N): Promise<EventMap[N]> {
  const { promise, resolve } = Promise.withResolvers<EventMap[N]>();
  const stop = runtime.events.on(name, (event) => {
    stop();
    resolve(event);
  });
  return fulfilled(name, promise);
}

// It is emitted once, right after the start.
async function recovery(): Promise<EventMap["store.recovered"]> {
  await using runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 0 } });
  return await heard(runtime, "store.recovered");
}

async function setUp(): Promise<Setup> {
  const store = new FlakyStore();
  const broken = await startBreakable({
    store,
    profiles: { watched: { base: "medium", audit: "everything", capabilities: "any" } },
    capabilities: { double: ([n]) => (n as number) * 2 },
    watchIntervalMs: 50,
  });
  return { broken, runtime: broken.runtime, store, folder: new Folder() };
}

suite("the catalogue of events", () => {
  let setup: Setup;

  before(async () => {
    setup = await setUp();
  });
  after(async () => {
    await setup.broken.runtime.close();
    setup.folder[Symbol.dispose]();
  });

  const document = readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8");
  const documented = new Map(
    fromMarkdown(sectionsIn(document).get("events") ?? "").map(([name = "", , fields = ""]) => [
      name.replaceAll("`", ""),
      fields.replaceAll(/[` ]/g, "").split(","),
    ]),
  );

  for (const name of eventNames) {
    test(`${name} is emitted, with all that the documents promise`, async () => {
      const telling = name === "store.recovered" ? recovery() : heard(setup.runtime, name);
      // Some operations are refused, which is what the event reports.
      const refusal = acts[name](setup).then(
        () => "it was done",
        (error: unknown) => String(error),
      );
      const event = await telling.catch(async () => assert.fail(`nothing was told: ${await refusal}`));
      await refusal;
      assert.deepEqual(Object.keys(event).toSorted(), documented.get(name)?.toSorted());
    });
  }
});
