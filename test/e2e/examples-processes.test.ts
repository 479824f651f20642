// The examples with processes print what their documents promise: an upgrade keeps its count, a wrong one is undone.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root, runNode } from "./program.ts";

const expected: Readonly<Record<string, readonly string[]>> = {
  "live-counter": [
    "counted ten times by one            10",
    "the upgrade, tried on a copy        1 → 2",
    "upgraded to +10, its count kept     10",
    "counted three times by ten          40",
    "restarted, its count kept           40",
    "rolled back to +1 under load        all answered",
    "counted once more, by               1",
  ],
  "plugin-host": [
    "loaded        Hello, Ada. tea is 6 units",
    "              sold tea for 6 units, number 1",
    "updated       greeting and pricing, revision 2",
    "              Good day, Ada! tea is 5.97 €",
    "              sold tea for 5.97 €, number 2",
    'refused       Cannot import "format" from "./pricing.ts" into "shop" as that module exports priceOf',
    "              Good day, Ada! tea is 5.97 €",
    "rolled back   to what was revision 1, now 3",
    "              Hello, Ada. tea is 6 units",
    "              sold tea for 6 units, number 3",
  ],
};

for (const [name, lines] of Object.entries(expected)) {
  test(`${name} prints every step, by the command that its README gives`, async () => {
    const readme = readFileSync(join(root, "examples", name, "README.md"), "utf8");
    const [, main = ""] = /^npm run build && node (\S+)$/m.exec(readme) ?? [];
    assert.equal(main, `examples/${name}/main.ts`);
    const { code, stdout, stderr } = await runNode([main]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(stdout.split("\n").slice(0, -1), lines);
  });
}
