// Attempts to escape, each in a real sandbox, where it reaches nothing, and in a host made weak, where it succeeds.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { createRuntime, LoadError, type Outcome, type Runtime, type Sandbox } from "../../src/index.ts";
import { show } from "../../src/model/show.ts";
import { prelude, reached, type Escape } from "./programs/escape.ts";
import { escapes } from "./programs/index.ts";
import { tryInWeakHost } from "./weak-host.ts";

const attemptsMin = 80;
const all = Object.values(escapes).flat();
const makeGiven = () => ({
  list: [1, 2],
  map: new Map([["a", 1]]),
  date: new Date(0),
  bytes: new Uint8Array([1, 2]),
  name: "given",
});
const strays: unknown[] = [];
const noteStray = (error: unknown): unknown => strays.push(error);
let runtime: Runtime;
let neighbour: Sandbox;

before(async () => {
  process.on("unhandledRejection", noteStray);
  process.on("uncaughtException", noteStray);
  runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 4 }, limits: { timeoutMs: 3_000 } });
  neighbour = await runtime.create("neighbour", { modules: { main: moduleOf("return 42;") } });
});

after(async () => {
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
        assert.notDeepEqual(await tryInWeakHost(each), [], "it must be able to succeed");
      });
    }
  });
}

/** What an attempt reaches in a sandbox beside a neighbour. */
async function tryInSandbox({ id, body, witness }: Escape): Promise<string[]> {
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
  const outcome = await attempt(id, body, given);
  if (outcome !== undefined) {
    const told = [...outcome.logs.map(({ text }) => text), ...textsOf(outcome)];
    found.push(...told.filter((text) => text.includes(reached)));
    if (outcome.ok && hasCode(outcome.value)) found.push(`code of the guest's: ${show(outcome.value)}`);
  }
  if (!isDeepStrictEqual(given, makeGiven()) || Object.isFrozen(given)) found.push("what the host passed");
  prototypes.forEach((each, index) => {
    if (!isDeepStrictEqual(Reflect.ownKeys(each), keysBefore[index])) found.push("the host's prototypes");
  });
  found.push(...strays.splice(0).map((error) => `something stray: ${String(error)}`));
  if (witness !== undefined) {
    await using other = await runtime.create({ modules: { main: moduleOf(witness) } });
    found.push(...textsOf(await other.call("main.attempt", { args: [given] })).filter((text) => text !== ""));
  }
  const alive = await neighbour.call("main.attempt", { args: [given] });
  if (!alive.ok || alive.value !== 42) found.push("the neighbour");
  return found;
}

// Code that is refused before it runs has reached nothing; there is no outcome then.
async function attempt(id: string, body: string, given: object): Promise<Outcome | undefined> {
  try {
    await using sandbox = await runtime.create(id, { modules: { main: moduleOf(body) } });
    return await sandbox.call("main.attempt", { args: [given] });
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    return undefined;
  }
}

function moduleOf(body: string): string {
  const library = body.includes("guest") ? `import * as guest from "vivarium/guest";\n` : "";
  return `${library}${prelude}\nexport function attempt(given) {${body}\n}`;
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
