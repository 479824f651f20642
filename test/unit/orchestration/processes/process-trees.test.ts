// What a cell tells of the processes of a sandbox becomes trees, or is not believed.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ProcessView } from "../../../../src/model/sandboxes/process.ts";
import type { ManagedSandbox } from "../../../../src/orchestration/sandboxes/managed-sandbox.ts";
import { askOfProcesses, toTrees } from "../../../../src/orchestration/processes/processes.ts";
import { sandboxWith } from "../../../support/managed-sandboxes.ts";

const row = (pid: number, more: object = {}): object => ({
  pid,
  name: null,
  kind: "server",
  status: "idle",
  path: `${pid}`,
  queueLength: 0,
  queueMax: 0,
  messages: 0,
  restarts: 0,
  links: [],
  trappingExits: false,
  parent: 1,
  ...more,
});
const root = row(1, { kind: "supervisor", path: "", parent: null });
const shape = ({ pid, children }: ProcessView): unknown =>
  children.length > 0 ? [pid, children.map(shape)] : pid;

suite("rows of processes", () => {
  test("become trees: supervisors hold those below them, others stand beside", () => {
    const inner = row(2, { kind: "supervisor" });
    const trees = toTrees([root, inner, row(3, { parent: 2 }), row(4), row(5, { path: null, parent: null })]);
    assert.deepEqual(trees?.map(shape), [[1, [[2, [3]], 4]], 5]);
  });

  test("keep nothing that is not known", () => {
    const [view] = toTrees([{ ...root, toString: 1, secret: 2 }]) ?? [];
    assert.deepEqual(Object.keys(view ?? {}).toSorted(), [
      ...["children", "kind", "links", "messages", "name", "path", "pid", "queueLength"],
      ...["queueMax", "restarts", "status", "trappingExits"],
    ]);
  });

  test("in a circle, or as deep as one likes, end", () => {
    const circle = [row(2, { kind: "supervisor", parent: 3 }), row(3, { kind: "supervisor", parent: 2 })];
    assert.deepEqual(toTrees([root, ...circle])?.map(shape), [1]);
    const deep = Array.from({ length: 100_000 }, (_, n) => row(n + 2, { kind: "supervisor", parent: n + 1 }));
    assert.equal(toTrees([root, ...deep])?.length, 1);
  });

  for (const [what, value] of Object.entries({
    nothing: undefined,
    "no list": { pid: 1 },
    "rows that are none": [null],
    "rows that lack something": [{ pid: 1 }],
    "numbers that are none": [row(1, { messages: "many" })],
    "links that are none": [row(1, { links: [{}] })],
    "two of one number": [root, row(1)],
  })) {
    test(`${what} are not believed`, () => assert.equal(toTrees(value), undefined));
  }
});

suite("what a cell answers about processes", () => {
  const asked = (answer: string): Promise<unknown> => {
    const sandbox = {
      ...sandboxWith({}, "loaded"),
      control: () => Promise.resolve({ item: { verdict: "answered", answer } }),
    } as unknown as ManagedSandbox;
    const order = { verb: "describe", first: "", second: "", budgetMs: 1 };
    return askOfProcesses(sandbox, { ...order, read: toTrees });
  };

  test("is read where it is what was asked for", async () => {
    assert.deepEqual(await asked(JSON.stringify("[]")), []);
  });

  for (const answer of ['"', '"not json"', '"{}"', "V[-1]", '"[null]"']) {
    test(`${answer} is refused by an error that says so`, async () => {
      await assert.rejects(asked(answer), {
        code: "LOAD_FAILED",
        message: /must answer with what was asked/,
      });
    });
  }
});
