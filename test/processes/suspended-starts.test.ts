// Servers that start or end while a reload suspends their code: none of them is missed, and none is on the wrong code.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Migrate, Sandbox } from "../../src/index.ts";
import { valueOf } from "../support/outcomes.ts";
import { processImports } from "../support/process-guests.ts";
import { refusalOf } from "../support/reloading.ts";
import { startRuntime } from "../support/runtimes.ts";
import { fulfilled, until } from "../support/waiting.ts";

/** Something that a guest waits for until the test releases it. */
class Gate {
  #open = Promise.withResolvers<string>();
  #reached = Promise.withResolvers<void>();

  pass(): Promise<string> {
    this.#reached.resolve();
    return this.#open.promise;
  }

  /** Resolves when a guest is there. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  open(word = ""): void {
    this.#open.resolve(word);
  }
}

let order = new Gate();
let done = Promise.withResolvers<void>();
let ending = new Gate();
const runtime = await startRuntime({
  cells: { spare: 1 },
  capabilities: {
    next: { run: () => order.pass(), timeoutMs: 60_000 },
    done: { run: () => done.resolve() },
    lastWord: { run: () => ending.pass(), timeoutMs: 60_000 },
  },
});

// Old code cannot read new states, nor the other way round.
const kid = (n: number, more = ""): string => `${processImports}
import { lastWord } from "vivarium/capabilities";
export const Kid = server({ name: "kid", init: () => ({ v${n}: 0 }),
  handleCall(message, state) {
    if (message === "throw") throw new Error("broken");
    const count = state.v${n} + 1;
    return { reply: [${n}, count], state: { v${n}: count } };
  },
  async terminate(reason) { if (reason === "shutdown") await lastWord(); },
});
${more}`;

// Its code does not change; a helper does what the test wants.
const main = (strategy: string, more: string): string => `${processImports}
import { done, next } from "vivarium/capabilities";
import { Kid } from "kid";
const CommandHandler = supervisor({ name: "handler", strategy: "${strategy}", restartsMax: 20,
  children: [{ id: "a", start: Kid${more} }, { id: "b", start: Kid${more} }] });
const until = async (isSo) => { while (!isSo()) await pause(1); };
const deeds = {
  async start() {
    void startChild("handler", { id: "late", start: Kid }).catch(() => {});
    await until(() => whereis("late") !== null);
  },
  async kill() {
    const before = whereis("a");
    exit("a", "kill");
    await until(() => whereis("a") !== null && whereis("a") !== before);
  },
};
const helper = async () => {
  const deed = await next();
  if (deed !== "") await deeds[deed]();
  await done();
};
export const is = (name) => whereis(name) !== null;
export default supervisor({ name: "root", children: [{ id: "handler", start: CommandHandler }, { id: "helper", start: helper, restart: "temporary" }] });`;

async function create(strategy = "one-for-one", more = ""): Promise<Sandbox> {
  order = new Gate();
  done = Promise.withResolvers();
  ending = new Gate();
  return runtime.create({
    modules: { kid: kid(1), main: main(strategy, more) },
    supervisor: "main",
    capabilities: ["next", "done", "lastWord"],
  });
}

// Migrates, and has something happen before that.
function migrating(deed: string): { readonly called: string[]; readonly migrate: Migrate } {
  const called: string[] = [];
  const migrate: Migrate = async (state, { path }) => {
    called.push(String(path));
    order.open(deed);
    await fulfilled(`the guest did ${deed}`, done.promise);
    return { v2: (state as { v1: number }).v1 + 100 };
  };
  return { called, migrate };
}

const count = async (sandbox: Sandbox, name: string): Promise<unknown> => valueOf(await sandbox.ask(name, 1));

suite("while the host migrates", () => {
  test("a server that is started begins when the reload is over, with the new code", async () => {
    await using sandbox = await create();
    await count(sandbox, "a");
    const { called, migrate } = migrating("start");
    const report = await sandbox.hotReload({ kid: kid(2) }, { migrate });
    assert.deepEqual(called.toSorted(), ["handler/a", "handler/b"]);
    assert.deepEqual(
      report.states?.map(({ path, way }) => [path, way]),
      [
        ["handler/a", "host"],
        ["handler/b", "host"],
      ],
    );
    assert.deepEqual(await Promise.all(["a", "b", "late"].map((name) => count(sandbox, name))), [
      [2, 102],
      [2, 101],
      [2, 1],
    ]);
  });

  test("a server that is killed is restarted when the reload is over, with the code that is current then", async () => {
    for (const isGood of [true, false]) {
      await using sandbox = await create();
      await count(sandbox, "b");
      const { called, migrate } = migrating("kill");
      const reload = sandbox.hotReload({ kid: kid(2) }, { migrate, verify: () => isGood });
      if (isGood) await reload;
      else await refusalOf(reload, "VERIFY_FAILED");
      assert.deepEqual(called.toSorted(), ["handler/a", "handler/b"]);
      const answers = await Promise.all(["a", "b"].map((name) => count(sandbox, name)));
      assert.deepEqual(answers, isGood ? [[2, 1], [2, 102]] : [[1, 1], [1, 2]]); // prettier-ignore
    }
  });
});

suite("a server that begins from its last state and is killed in a reload", () => {
  for (const phase of ["while the host migrates", "while the caller verifies"] as const)
    for (const isGood of [true, false])
      test(`${phase}: ${isGood ? "new code begins with its own init" : "old code goes on from it"}`, async () => {
        await using sandbox = await create("one-for-one", `, restartFrom: "last"`);
        await count(sandbox, "a");
        await count(sandbox, "a");
        const isEarly = phase === "while the host migrates";
        const later: Migrate = (state) => ({ v2: (state as { v1: number }).v1 + 100 });
        const migrate = isEarly ? migrating("kill").migrate : later;
        const verify = async (): Promise<boolean> => {
          if (!isEarly) {
            order.open("kill");
            await fulfilled("the guest did kill", done.promise);
          }
          return isGood;
        };
        const reload = sandbox.hotReload({ kid: kid(2) }, { verify, migrate });
        if (isGood) await reload;
        else await refusalOf(reload, "VERIFY_FAILED");
        const answers = await Promise.all(["a", "b"].map((name) => count(sandbox, name)));
        assert.deepEqual(answers, isGood ? [[2, 1], [2, 101]] : [[1, 3], [1, 1]]); // prettier-ignore
      });
});

test("servers that a supervisor is starting again when a reload begins are waited for, and migrated", async () => {
  await using sandbox = await create("one-for-all");
  const called: string[] = [];
  const migrate: Migrate = (state, { path }) => {
    called.push(String(path));
    return { v2: (state as { v1: number }).v1 + 100 };
  };
  await sandbox.ask("a", "throw");
  // The supervisor has b stopped, and starts both again when it has.
  await fulfilled("b is about to end", ending.reached);
  const reloading = sandbox.hotReload({ kid: kid(2) }, { migrate });
  await until("the reload is under way", async () => (await sandbox.info()).status === "reloading");
  ending.open();
  const report = await reloading;
  assert.deepEqual(called.toSorted(), ["handler/a", "handler/b"]);
  assert.deepEqual(
    report.states?.map(({ way }) => way),
    ["host", "host"],
  );
  assert.deepEqual(
    [await count(sandbox, "a"), await count(sandbox, "b")],
    [
      [2, 101],
      [2, 101],
    ],
  );
});

test("a server that new code starts while it is evaluated does not outlive a reload that is undone", async () => {
  await using sandbox = await create();
  const early = kid(
    2,
    `const Extra = server({ name: "extra", init: () => 1 }); await start(Extra, null, { name: "extra" });`,
  );
  const migrate: Migrate = () => ({ v2: 0 });
  const isThere = async (inside: Sandbox): Promise<unknown> =>
    valueOf(await inside.call("main.is", { args: ["extra"] }));
  const seen: unknown[] = [];
  const verify = async (inside: Sandbox): Promise<boolean> => {
    seen.push(await isThere(inside));
    return seen.length > 1;
  };
  await refusalOf(sandbox.hotReload({ kid: early }, { migrate, verify }), "VERIFY_FAILED");
  assert.equal(await isThere(sandbox), false);
  await sandbox.hotReload({ kid: early }, { migrate, verify });
  assert.equal(await isThere(sandbox), true);
  assert.deepEqual(seen, [true, true]);
});
