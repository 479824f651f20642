// A table of functions that take options, and the test of each: it refuses what it does not know, and what is of a wrong type.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "../../src/index.ts";
import { mistakeOf } from "./errors.ts";

export type RefusalRow = readonly [
  act: (options: never) => unknown,
  /** Options of wrong types, each with the name that its refusal gives. */
  wrong: readonly (readonly [option: string, options: unknown])[],
  code?: ErrorCode,
];

export function refuseAll(rows: Readonly<Record<string, RefusalRow>>): void {
  for (const [name, [act, wrong, code = "INVALID_OPTIONS"]] of Object.entries(rows)) {
    test(`${name} refuses an option that it does not know, and options of another type`, async () => {
      const { message } = await mistakeOf(() => act({ bogus: 1 } as never), code);
      assert.match(message, /"bogus"/);
      for (const [option, options] of wrong) {
        const error = await mistakeOf(() => act(options as never), code);
        assert.deepEqual({ options, option: (error as { option?: unknown }).option }, { options, option });
      }
    });
  }
}
