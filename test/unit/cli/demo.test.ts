// The demo's command and the example that it loads know each other only by their types and the names of problems.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as example from "../../../examples/demo/demo.ts";
import { helpOf } from "../../../src/cli/command/help.ts";
import { command, type DemoModule } from "../../../src/cli/demo.ts";

// Does not compile where the example exports something else than the command takes it for.
const loaded: DemoModule = example;

test("vivarium demo --help names the problems that the example has", () => {
  const help = helpOf(["demo"], "", command).replaceAll(/\n {10,}/g, " ");
  const [, names = ""] = /--problem NAME +(.*)/.exec(help) ?? [];
  const nguyen = loaded.problemNames.filter((name) => name.startsWith("nguyen-"));
  const others = loaded.problemNames.filter((name) => !nguyen.includes(name));
  const [usual, ...rest] = others;
  const shown = [`${usual} (default)`, ...rest, `${nguyen[0]} … ${nguyen.at(-1)}`];
  assert.equal(names, shown.join(", "));
});
