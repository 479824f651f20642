// The operations of one sandbox, two at a time: which waits for, ends or refuses which, for every pair; and what an end means.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { VivariumError } from "../../../../../src/index.ts";
import type {
  Operation,
  OperationName,
} from "../../../../../src/orchestration/sandboxes/operations/operation.ts";
import { meetings, Operations } from "../../../../../src/orchestration/sandboxes/operations/operations.ts";

const names = Object.keys(meetings) as OperationName[];
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Begun {
  readonly operation: Operation;
  readonly finish: () => void;
}

/** The operations of a sandbox that is there, with those that were begun, in order. */
function started(): {
  operations: Operations;
  begun: Begun[];
  idle: () => number;
  run: (name: OperationName, options?: Parameters<Operations["run"]>[2]) => { end: () => Promise<string> };
} {
  let idleCount = 0;
  const operations = new Operations({ id: "s", status: "running" }, () => void idleCount++);
  const begun: Begun[] = [];
  const run = (
    name: OperationName,
    options?: Parameters<Operations["run"]>[2],
  ): { end: () => Promise<string> } => {
    const act = (operation: Operation): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push({ operation, finish: resolve });
      return operation.until(promise);
    };
    const ended = operations.run(name, act, options).then(
      () => "done",
      (error: unknown) => (error instanceof VivariumError ? error.code : String(error)),
    );
    return { end: () => ended };
  };
  return { operations, begun, idle: () => idleCount, run };
}

suite("two operations of one sandbox", () => {
  for (const first of names)
    for (const second of names) {
      const meeting = meetings[second][first];
      test(`${second} meets ${first}: ${meeting}`, async () => {
        const { begun, run } = started();
        const before = run(first);
        const after = run(second);
        await turn();
        if (meeting === "refuse") {
          assert.equal(await after.end(), "SANDBOX_NOT_RUNNING");
          assert.equal(begun.length, 1);
        } else if (meeting === "end") {
          assert.equal(await before.end(), "CANCELLED");
          assert.deepEqual(
            begun.map(({ operation }) => [operation.name, operation.isEnded]),
            [
              [first, true],
              [second, false],
            ],
          );
        } else {
          assert.equal(begun.length, 1);
          begun[0]?.finish();
          await before.end();
          await turn();
          assert.equal(begun[1]?.operation.name, second);
        }
        begun.at(-1)?.finish();
        await turn();
      });
    }

  test("a destroy is met by nothing, and ends all but another destroy", () => {
    for (const name of names) {
      assert.equal(meetings[name].destroy, "refuse");
      assert.equal(meetings.destroy[name], name === "destroy" ? "refuse" : "end");
    }
  });
});

suite("operations of one sandbox", () => {
  test("begin in the order of asking, one at a time, also when one that waited gives up", async () => {
    const { begun, run, idle } = started();
    const controller = new AbortController();
    const [first, second, third] = [
      run("reload"),
      run("limits", { signal: controller.signal }),
      run("suspend"),
    ] as const;
    await turn();
    controller.abort();
    assert.equal(await second.end(), "CANCELLED");
    await turn();
    assert.equal(begun.length, 1, "the third waits for the first though the second is over");
    begun[0]?.finish();
    assert.equal(await first.end(), "done");
    await turn();
    assert.deepEqual(
      begun.map(({ operation }) => operation.name),
      ["reload", "suspend"],
    );
    assert.equal(idle(), 0);
    begun[1]?.finish();
    assert.equal(await third.end(), "done");
    await turn();
    assert.equal(idle(), 1);
  });

  test("that are asked for from within another, and would wait for it or end it, are refused; but not a destroy", async () => {
    const { operations, begun, run } = started();
    const outer = run("reload");
    await turn();
    const within = operations.current;
    for (const name of names.filter((each) => each !== "destroy"))
      assert.equal(await run(name, { within }).end(), "SANDBOX_NOT_RUNNING", name);
    const last = run("destroy", { within });
    assert.equal(await outer.end(), "CANCELLED");
    begun.at(-1)?.finish();
    assert.equal(await last.end(), "done");
  });

  test("of which one is given up undo what they did before the next one begins, and tell their caller at once", async () => {
    const operations = new Operations({ id: "s", status: "running" }, () => {});
    const controller = new AbortController();
    const log: string[] = [];
    const undone = Promise.withResolvers<void>();
    const first = operations.run(
      "reload",
      async (operation) => {
        try {
          await operation.until(new Promise(() => {}));
        } catch (error) {
          await operation.untilEnded(undone.promise);
          log.push("undone");
          throw error;
        }
      },
      { signal: controller.signal },
    );
    const second = operations.run("suspend", async () => void log.push("next"));
    controller.abort();
    await assert.rejects(first, { code: "CANCELLED" });
    await turn();
    assert.deepEqual(log, []);
    undone.resolve();
    await second;
    assert.deepEqual(log, ["undone", "next"]);
  });

  test("that are ended do not even undo: whoever ended them decides about the sandbox", async () => {
    const operations = new Operations({ id: "s", status: "running" }, () => {});
    const log: string[] = [];
    const first = operations.run("reload", async (operation) => {
      try {
        await operation.until(new Promise(() => {}));
      } catch (error) {
        await operation.untilEnded(Promise.resolve());
        log.push("undone");
        throw error;
      }
    });
    const destroyed = operations.run("destroy", async () => void log.push("destroyed"));
    await assert.rejects(first, { code: "CANCELLED" });
    await destroyed;
    await turn();
    assert.deepEqual(log, ["destroyed"]);
  });

  test("that were committed are told as done, whoever gives up or comes; before that they are taken back where they are ended", async () => {
    for (const isCommitted of [true, false]) {
      const operations = new Operations({ id: "s", status: "running" }, () => {});
      const controller = new AbortController();
      const log: string[] = [];
      const first = operations.run(
        "reload",
        async (operation) => {
          operation.onEnd(() => log.push("taken back"));
          if (isCommitted) operation.commit();
          await operation.untilEnded(new Promise(() => {})).catch(() => {});
          log.push("over");
        },
        { signal: controller.signal },
      );
      if (isCommitted) controller.abort();
      await operations.run("restart", async () => void log.push("restarted"));
      if (isCommitted) await first;
      else await assert.rejects(first, { code: "CANCELLED" });
      await turn();
      assert.deepEqual(
        log.toSorted(),
        isCommitted ? ["over", "restarted"] : ["over", "restarted", "taken back"],
      );
    }
  });

  test("are so many and no more", async () => {
    const { run } = started();
    const all = Array.from({ length: 1_001 }, () => run("suspend"));
    assert.equal(await all.at(-1)?.end(), "SANDBOX_NOT_RUNNING");
  });
});
