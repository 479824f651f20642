// Sandboxes from files that import the runtime's own modules: servers, state that survives a reload, capabilities.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unwrap, type Sandbox } from "../../src/index.ts";
import { Folder } from "../support/folders.ts";
import { ask, refusalOf, runtimeForTests } from "../support/reloading.ts";
import { until } from "../support/waiting.ts";

const prices: Readonly<Record<string, number>> = { tea: 3, milk: 2 };
const runtime = runtimeForTests({
  npmImports: ["vivarium", "helper"],
  capabilities: { price: { run: ([name]) => prices[String(name)] ?? 0 } },
});

const till = (greeting: string): string => `
  import { server, supervisor } from "vivarium/guest";
  import { price } from "vivarium/capabilities";
  import { say } from "./words/say.ts";
  export const Till = server({
    init: () => ({ sold: 0 }),
    async handleCall(item: string, state: { sold: number }) {
      const sold = state.sold + (await price(item));
      return { reply: say("${greeting}", sold), state: { sold } };
    },
  });
  const root = supervisor({ children: [{ id: "till", name: "till", start: Till }] });
  export { root as supervisor };`;
const files = {
  "shop.ts": till("sold"),
  "words/say.ts": "export const say = (word: string, n: number): string => `${word} ${n}`;",
};
const spec = { supervisor: "shop", capabilities: ["price"] };
const sell = async (sandbox: Sandbox, item: string): Promise<unknown> =>
  unwrap(await sandbox.ask("till", item));

test("a file with a server and a capability is loaded by its path, and its state survives changes of the file", async () => {
  using folder = new Folder(files);
  await using sandbox = await runtime.current.create({
    path: folder.at("shop.ts"),
    autoReload: true,
    ...spec,
  });
  assert.equal(await sell(sandbox, "tea"), "sold 3");
  folder.write({ "shop.ts": till("took") });
  await until(
    "its code is the new one",
    async () => ((await sandbox.info()).modules["shop"]?.version ?? 0) === 2,
  );
  assert.equal(await sell(sandbox, "milk"), "took 5");
  folder.write({ "words/say.ts": "export const say = (word: string, n: number) => `${n} ${word}`;" });
  await until("its code is the new one", async () => (await sandbox.info()).revision === 3);
  assert.equal(await sell(sandbox, "milk"), "7 took");
});

test("a folder is compiled with what it imports from the runtime, and what comes of it can be created", async () => {
  using folder = new Folder({ ...files, "package.json": { main: "shop.ts" } });
  const { entry, modules } = await runtime.current.compile.directory(folder.path);
  assert.deepEqual([entry, Object.keys(modules).toSorted()], ["shop", ["shop", "words/say"]]);
  await using sandbox = await runtime.current.create({ modules, ...spec });
  assert.equal(await sell(sandbox, "tea"), "sold 3");
});

test("a package of the sandbox may import the runtime's modules too, which are never bundled", async () => {
  using folder = new Folder({
    "index.js": `export { priceOf } from "helper"; export { self } from "vivarium/guest";`,
    "node_modules/helper/package.json": { type: "module", exports: "./helper.js" },
    "node_modules/helper/helper.js": `import { price } from "vivarium/capabilities"; export const priceOf = (name) => price(name);`,
    "node_modules/vivarium/package.json": {
      type: "module",
      exports: { "./guest": "./fake.js", "./capabilities": "./fake.js" },
    },
    "node_modules/vivarium/fake.js": "export const price = () => -1; export const self = null;",
  });
  await using sandbox = await runtime.current.create({ path: folder.path, capabilities: ["price"] });
  assert.equal(await ask(sandbox, "index.priceOf", "tea"), 3);
  assert.deepEqual(Object.keys((await sandbox.info()).modules).toSorted(), ["helper", "index"]);
});

test("a module of the runtime's name that it does not have is named", async () => {
  using folder = new Folder({ "index.js": `import "vivarium/nothing"; import "vivarium";` });
  const { message } = await refusalOf(runtime.current.create({ path: folder.path }), "LOAD_FAILED");
  const rule = `the runtime has only vivarium/guest and vivarium/capabilities`;
  assert.equal(message, `Cannot import "vivarium/nothing" into "index" as ${rule}`);
});

test("a file that begins to import vivarium/guest while it is followed is told to be created anew", async () => {
  using folder = new Folder({ "index.js": "export const f = () => 1;" });
  await using sandbox = await runtime.current.create({ path: folder.path, autoReload: true });
  const told: string[] = [];
  using _stop = {
    [Symbol.dispose]: runtime.current.events.on(
      "sandbox.unfollowed",
      ({ message }) => void told.push(message),
    ),
  };
  folder.write({
    "index.js": `import { server } from "vivarium/guest"; export const f = () => typeof server;`,
  });
  const [message] = await until("it is told", () => told.length > 0 && told);
  assert.equal(
    message,
    'Cannot import "vivarium/guest" by a reload as the sandbox must have had processes from its creation: it was created without; destroy it and create it again with the new code',
  );
  assert.equal((await sandbox.info()).lastError?.message, message);
  assert.equal(await ask(sandbox, "index.f"), 1);
});
