// Attempts to escape, each in a real sandbox, where it reaches nothing, and in a host made weak, where it succeeds.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import {
  createRuntime,
  fetchCapability,
  filesCapability,
  LoadError,
  type Capability,
  type Outcome,
  type Runtime,
  type Sandbox,
} from "../../src/index.ts";
import { show } from "../../src/model/show.ts";
import { offers, scarceCalls } from "./offers.ts";
import { asks, prelude, reached, type Escape } from "./programs/escape.ts";
import { escapes } from "./programs/index.ts";
import { openStage, type Places, type Setup } from "./setup.ts";
import { tryInWeakHost } from "./weak-host.ts";

const attemptsMin = 200;
const all = Object.values(escapes).flat();
const makeGiven = () => ({
  list: [1, 2],
  map: new Map([["a", 1]]),
  date: new Date(0),
  bytes: new Uint8Array([1, 2]),
  error: new Error("given"),
  name: "given",
});
const usual = { concurrent: 256 };
const grants = {
  ...Object.fromEntries([...Object.keys(offers), "places", "files", "fetch"].map((name) => [name, usual])),
  scarce: { ...usual, calls: scarceCalls },
};
const unhandled = "Unhandled rejection: ";
const strays: unknown[] = [];
const noteStray = (error: unknown): unknown => strays.push(error);
let setup: Setup;
let runtime: Runtime;
let neighbour: Sandbox;

before(async () => {
  process.on("unhandledRejection", noteStray);
  process.on("uncaughtException", noteStray);
  setup = await openStage();
  runtime = await createRuntime({
    cells: { count: 1, spare: 0, warm: 4 },
    limits: { timeoutMs: 3_000 },
    capabilities: capabilitiesAt(setup.places),
  });
  neighbour = await runtime.create("neighbour", { modules: { main: moduleOf("return 42;") } });
});

after(async () => {
  await setup[Symbol.asyncDispose]();
  await runtime.close();
  process.off("unhandledRejection", noteStray);
  process.off("uncaughtException", noteStray);
});

test(`there are at least ${attemptsMin} attempts, each with a name of its own`, () => {
  assert.ok(all.length >= attemptsMin, `there are ${all.length}`);
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  assert.equal(new Set(all.map(({ body }) => body)).size, all.length);
});

for (const [technique, list] of Object.entries(escapes)) {
  suite(`escaping by ${technique}`, () => {
    for (const each of list) {
      test(`${each.id} reaches nothing, and something where the host is weak: ${each.how}`, async () => {
        assert.deepEqual(await tryInSandbox(each), []);
        assert.notDeepEqual(await tryInWeakHost(each, setup.places), [], "it must be able to succeed");
      });
    }
  });
}

// The closed server may be used by its name, but its address is private: only a check of addresses prevents it.
function capabilitiesAt(places: Places): Record<string, Capability> {
  const { open, closed } = places;
  const { port } = new URL(`http://${closed}`);
  const hosts = [closed, `localhost:${port}`, `[::ffff:7f00:1]:${port}`];
  const origins = [open, ...hosts.map((host) => `http://${host}`)];
  return {
    ...offers,
    places: { run: () => places },
    files: filesCapability({ "a.txt": "a page" }),
    fetch: fetchCapability({ origins, privateOrigins: [open] }),
  };
}

/** What an attempt reaches in a sandbox beside a neighbour. */
async function tryInSandbox(each: Escape): Promise<string[]> {
  const given = makeGiven();
  const prototypes = [
    Object.prototype,
    Array.prototype,
    Function.prototype,
    Map.prototype,
    Promise.prototype,
  ];
  const keysBefore = prototypes.map((each) => Reflect.ownKeys(each));
  const found: string[] = [];
  const outcomes = await attempt(each, given);
  // An attempt that makes a request must get as far as the request.
  if (asks(each.body)) assert.ok(outcomes.length > 0 && outcomes.every(({ ok }) => ok), show(outcomes));
  for (const outcome of outcomes) {
    // What nobody handled inside is told there by the runtime; what reaches the host's own handler is stray.
    const lines = outcome.logs.map(({ text }) => text).filter((text) => !text.startsWith(unhandled));
    const told = [...lines, ...textsOf(outcome)];
    found.push(...told.filter((text) => text.includes(reached)));
    if (outcome.ok && hasCode(outcome.value)) found.push(`code of the guest's: ${show(outcome.value)}`);
  }
  if (!isDeepStrictEqual(given, makeGiven()) || Object.isFrozen(given)) found.push("what the host passed");
  prototypes.forEach((each, index) => {
    if (!isDeepStrictEqual(Reflect.ownKeys(each), keysBefore[index])) found.push("the host's prototypes");
  });
  found.push(...strays.splice(0).map((error) => `something stray: ${String(error)}`));
  if (each.witness !== undefined) {
    await using other = await runtime.create({ modules: { main: moduleOf(each.witness) } });
    found.push(...textsOf(await other.call("main.attempt", { args: [given] })).filter((text) => text !== ""));
  }
  const alive = await neighbour.call("main.attempt", { args: [given] });
  if (!alive.ok || alive.value !== 42) found.push("the neighbour");
  return found;
}

// Code that is refused before it runs has reached nothing; there is no outcome then.
async function attempt({ id, body, later }: Escape, given: object): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  try {
    await using sandbox = await runtime.create(id, {
      modules: { main: moduleOf(body) },
      capabilities: grants,
    });
    outcomes.push(await sandbox.call("main.attempt", { args: [given] }));
    if (later !== undefined) {
      await sandbox.hotReload({ main: moduleOf(later) });
      outcomes.push(await sandbox.call("main.attempt", { args: [given] }));
    }
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
  }
  return outcomes;
}

function moduleOf(body: string): string {
  const imports = [
    body.includes("guest") ? `import * as guest from "vivarium/guest";\n` : "",
    asks(body) ? `import * as can from "vivarium/capabilities";\n` : "",
  ];
  return `${imports.join("")}${prelude}\nexport function attempt(given) {${body}\n}`;
}

function textsOf(outcome: Outcome): string[] {
  if (!outcome.ok) return [JSON.stringify(outcome.error)];
  return [typeof outcome.value === "string" ? outcome.value : (JSON.stringify(outcome.value) ?? "")];
}

/** Whether a value that arrived can run, or can change by itself. */
function hasCode(value: unknown): boolean {
  if (typeof value === "function" || value instanceof SharedArrayBuffer) return true;
  if (value instanceof ArrayBuffer) return value.resizable;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).some(
    (each) => each.get !== undefined || hasCode(each.value),
  );
}
