// Who waits for a cell gets one when there is one, also after a time in which none could be had.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { VivariumError } from "../../../../src/model/errors.ts";
import { Assigner } from "../../../../src/orchestration/cells/assigner.ts";
import type { Assignment } from "../../../../src/orchestration/cells/assignment.ts";
import type { CellPool } from "../../../../src/orchestration/cells/cell-pool.ts";
import type { ManagedSandbox } from "../../../../src/orchestration/sandboxes/managed-sandbox.ts";
import { sandboxWith } from "../../../support/managed-sandboxes.ts";

const noCells = new VivariumError("CELLS_UNAVAILABLE", "Cannot start cells as the test forbids it");
const sandbox = { ...sandboxWith({}, "loaded"), isQuarantined: false } as unknown as ManagedSandbox;

suite("a sandbox without a cell", () => {
  const begin = (): {
    assigner: Assigner;
    waiting: Assignment;
    told: string[];
    pool: { unavailable?: Error };
  } => {
    const told: string[] = [];
    const pool: { unavailable?: Error; pick: () => undefined } = { pick: () => undefined };
    const waiting = {
      place: undefined,
      assign: () => void told.push("assign"),
      refuse: () => void told.push("refuse"),
    } as unknown as Assignment;
    return { assigner: new Assigner(pool as unknown as CellPool), waiting, told, pool };
  };

  test("that was told that none can be had is thought of when there is one", () => {
    const { assigner, waiting, told, pool } = begin();
    pool.unavailable = noCells;
    assert.equal(assigner.find(waiting, sandbox), noCells);
    assigner.assignWaiting();
    assert.deepEqual(told, ["assign"]);
  });

  test("that waited when cells became unavailable is told so, and thought of later", () => {
    const { assigner, waiting, told } = begin();
    assert.equal(assigner.find(waiting, sandbox), undefined);
    assigner.refuseWaiting(noCells);
    assigner.assignWaiting();
    assert.deepEqual(told, ["refuse", "assign"]);
  });

  test("that wants none any more is not", () => {
    const { assigner, waiting, told } = begin();
    assigner.find(waiting, sandbox);
    assigner.forget(waiting);
    assigner.refuseWaiting(noCells);
    assigner.assignWaiting();
    assert.deepEqual(told, []);
  });
});
