// Where threads, descriptors, addresses, /proc or a place for files are scarce, a runtime works or reports in one error
// what is missing; and a process that starts one may be killed at any moment without leaving a process behind.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { killIn, momentsOf, obstacleTo, launch, tryIn } from "./scarcity.ts";

const causes: Readonly<Record<string, RegExp>> = {
  "ulimit -u 40": /^works$|^[A-Z_]+: .*ulimit -u/,
  "ulimit -n 24": /^CELL_START_FAILED: .*ulimit -n/,
  "ulimit -n 64": /^works$|^[A-Z_]+: .*ulimit -n/,
  "ulimit -v 4000000": /^CELL_START_FAILED: .*ulimit -v/,
  "no /proc": /^works$/,
  "read-only TMPDIR": /^works$/,
};
const moments = 4;
const withinMs = 1_200;

suite("a runtime with", () => {
  for (const environment of launch) {
    test(`${environment.name} works, or one error names the cause`, async (t) => {
      const obstacle = obstacleTo(environment);
      if (obstacle !== undefined) return t.diagnostic(`not tried: ${obstacle}`);
      assert.match(await tryIn(environment), causes[environment.name] ?? /never/);
    });
  }
});

suite("a process that is killed while it starts a runtime leaves no process behind", () => {
  const usual = { name: "usual limits", before: "true", as: "unprivileged" } as const;
  for (const environment of [usual, ...launch.slice(0, 1)]) {
    test(`with ${environment.name}`, async () => {
      for (const afterMs of momentsOf(moments, withinMs))
        assert.deepEqual(await killIn(environment, afterMs), []);
    });
  }
});
