// Mistakes: the same class, code, fields and words, wherever the runtime is.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { VivariumError, type Runtime, type Sandbox } from "../../../src/index.ts";
import { newId, type Tried } from "./subject.ts";

const main = "export const f = (n) => n;";

interface Setup {
  readonly runtime: Runtime;
  readonly sandbox: Sandbox;
  readonly suspended: Sandbox;
}

type Act = (setup: Setup) => unknown;

/** What a caller can do wrong. Each is done here and on the host, and must be answered alike. */
const mistakes: Readonly<Record<string, Act>> = {
  "an id that is none": ({ runtime }) => runtime.get("not an id"),
  "an id of nobody": ({ runtime }) => runtime.get("nobody"),
  "an id of nobody to describe": ({ runtime }) => runtime.info("nobody"),
  "an id of nobody to destroy": ({ runtime }) => runtime.destroy("nobody"),
  "an id that is taken": ({ runtime, sandbox }) => runtime.create(sandbox.id, { modules: { main } }),
  "no modules": ({ runtime }) => runtime.create({}),
  "modules that are empty": ({ runtime }) => runtime.create({ modules: {} }),
  "a module of a name that is none": ({ runtime }) => runtime.create({ modules: { "../up": main } }),
  "an option that is none": ({ runtime }) => runtime.create({ modules: { main }, colour: "red" } as never),
  "a limit that is none": ({ runtime }) =>
    runtime.create({ modules: { main }, limits: { speed: 1 } as never }),
  "a limit out of bounds": ({ runtime }) => runtime.create({ modules: { main }, limits: { timeoutMs: -5 } }),
  "a profile that is none": ({ runtime }) => runtime.create({ modules: { main }, profile: "none" }),
  "a capability that is none": ({ runtime }) => runtime.create({ modules: { main }, capabilities: ["none"] }),
  "a deadline that is none": ({ sandbox }) => sandbox.restart({ deadlineMs: 0 }),
  "a signal that is none": ({ sandbox }) => sandbox.call("main.f", { signal: "no" as never }),
  "an option of a call that is none": ({ sandbox }) => sandbox.call("main.f", { timeout: 5 } as never),
  "a limit of a call out of bounds": ({ sandbox }) => sandbox.call("main.f", { timeoutMs: 10 ** 9 }),
  "a target that is none": ({ sandbox }) => sandbox.call("f" as never),
  "arguments that are no data": ({ sandbox }) => sandbox.call("main.f", { args: [{ deep: [() => 1] }] }),
  "a recording of what is not deterministic": ({ sandbox }) => sandbox.call("main.f", { record: true }),
  "a source that does not parse": ({ runtime }) => runtime.compile.source("export const = 1;"),
  "a source that is too long": ({ runtime }) => runtime.compile.source("1;".repeat(2e6)),
  "a source that does not link": ({ sandbox }) => sandbox.hotReload({ main: 'import { g } from "./none";' }),
  "code that the gate refuses": ({ sandbox }) => sandbox.hotReload({ main: 'import "node:fs";' }),
  "a module that throws": ({ sandbox }) => sandbox.hotReload({ main: "throw new RangeError('at load');" }),
  "a reload of nothing": ({ sandbox }) => sandbox.hotReload({}),
  "a module that is not there": ({ sandbox }) => sandbox.source("none"),
  "a version that is not there": ({ sandbox }) => sandbox.rollback("main", 99),
  "a revision that is not there": ({ sandbox }) => sandbox.rollbackTo(99),
  "a reload of what is suspended": ({ suspended }) => suspended.hotReload({ main }),
  "processes of a sandbox that has none": ({ sandbox }) => sandbox.ask("nobody", 1),
  "an individual that is none": ({ runtime }) => runtime.import({} as never),
  "a fork of nobody": ({ runtime }) => runtime.fork("nobody"),
  "limits that are none": ({ sandbox }) => sandbox.updateLimits({ timeoutMs: "long" as never }),
  "a filter that is none": ({ runtime }) => runtime.list({ status: "asleep" as never }),
  "a collection of the runtime's own": ({ runtime }) => runtime.documents.read("vivarium.own"),
  "a batch of no list": ({ runtime }) => runtime.batch.destroy("all" as never),
  "a batch with an option that is none": ({ runtime }) => runtime.batch.destroy([], { speed: 1 } as never),
};

export function describeMistakes(tried: Tried): void {
  suite("mistakes", () => {
    let own: Setup | undefined;
    let there: Setup | undefined;
    before(async () => {
      const sandbox = await tried.runtime.create(newId(), { modules: { main } });
      const suspended = await tried.runtime.create(newId(), { modules: { main } });
      await suspended.suspend();
      own = { runtime: tried.runtime, sandbox, suspended };
      const [sandboxThere, suspendedThere] = [
        await tried.host.get(sandbox.id),
        await tried.host.get(suspended.id),
      ];
      there = { runtime: tried.host, sandbox: sandboxThere, suspended: suspendedThere };
    });
    after(async () => {
      await own?.sandbox.destroy();
      await own?.suspended.destroy();
    });

    for (const [what, act] of Object.entries(mistakes))
      test(`${what}: the same error as on the host`, async () => {
        const error = await thrownBy(() => act(own ?? assert.fail()));
        const wanted = await thrownBy(() => act(there ?? assert.fail()));
        assert.deepEqual(told(error), told(wanted));
        assert.equal(error.constructor, wanted.constructor);
      });
  });
}

async function thrownBy(act: () => unknown): Promise<VivariumError> {
  try {
    await act();
  } catch (error) {
    assert.ok(error instanceof VivariumError, String(error));
    return error;
  }
  return assert.fail("it was no mistake");
}

// Ids that were made up differ, and so does a stack.
function told(error: VivariumError): object {
  const { sandboxId: _, ...fields } = Object.fromEntries(Object.entries(error));
  const message = error.message.replaceAll(/sandbox-[\w.-]+/g, "sandbox-…");
  const cause = error.cause instanceof Error ? [error.cause.name, error.cause.message] : error.cause;
  return { ...fields, code: error.code, name: error.name, message, cause };
}
