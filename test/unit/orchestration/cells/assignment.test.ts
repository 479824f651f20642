// A command for a loaded sandbox whose cell may die at the moment at which it is loaded.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Assignment,
  type AssignedPlace,
  type AssignmentListener,
  type AssignmentParts,
} from "../../../../src/orchestration/cells/assignment.ts";
import { RuntimeClosedError } from "../../../../src/model/errors.ts";
import type { SandboxInCell } from "../../../../src/orchestration/cells/sandbox-in-cell.ts";

/** Loses its place this many times before it can be used. */
class LosingAssignment extends Assignment {
  loads = 0;
  readonly #losses: number;
  readonly #place = {} as AssignedPlace;

  constructor(losses: number) {
    super({ id: "moving" } as SandboxInCell, {} as AssignmentListener, {} as AssignmentParts);
    this.#losses = losses;
  }

  override get place(): AssignedPlace | undefined {
    return this.loads > this.#losses ? this.#place : undefined;
  }

  override async whenLoaded(): Promise<AssignedPlace> {
    this.loads++;
    return this.#place;
  }
}

test("is given the place that the sandbox has kept, however often it lost one before, up to ten times", async () => {
  const nine = new LosingAssignment(9);
  assert.equal(await nine.whenSettled(), nine.place);
  assert.equal(nine.loads, 10);
  const always = new LosingAssignment(Infinity);
  await assert.rejects(always.whenSettled(), {
    code: "CELLS_UNAVAILABLE",
    message: /sandbox "moving" .* lost it 10 times in a row/,
  });
});

test("is refused once the runtime is closed, without waiting for a cell", async () => {
  // A part that is asked for would fail: nothing is waited for.
  const listener = { onUnavailable: () => {} } as unknown as AssignmentListener;
  const closed = new Assignment({ id: "closed" } as SandboxInCell, listener, {} as AssignmentParts);
  const error = new RuntimeClosedError('go on with sandbox "closed"');
  closed.close(error);
  await assert.rejects(closed.whenLoaded(), error);
  await assert.rejects(
    closed.control(1, () => assert.fail("a command was sent")),
    error,
  );
});
