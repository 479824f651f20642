// Which console lines are those of a script.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptOutput } from "../../../../src/api/scripts/script-output.ts";

const textsOf = (lines: readonly { readonly text: string }[]): string[] => lines.map(({ text }) => text);

test("lines of a script that was cut are heard and are not those of the next script, which has those of calls", () => {
  const heard: string[] = [];
  const output = new ScriptOutput(({ text }) => heard.push(text));
  const write = (text: string, run?: { readonly op: number }): void =>
    output.onLine({ level: "log", text, at: 0 }, run);
  const [cut, own] = [{ op: 1 }, { op: 2 }];
  output.begin(1_000, () => cut);
  output.end();
  output.begin(1_000, () => own);
  write("of the one before", cut);
  write("its own", own);
  write("of a timer");
  write("of a call", { op: 3 });
  assert.deepEqual(textsOf(output.end()), ["its own", "of a timer", "of a call"]);
  write("between scripts");
  assert.deepEqual(heard, ["of the one before", "its own", "of a timer", "of a call", "between scripts"]);
});

test("a script that begins again has only the lines of its last attempt", () => {
  const output = new ScriptOutput(undefined);
  const write = (text: string, run: { readonly op: number }): void =>
    output.onLine({ level: "log", text, at: 0 }, run);
  const run = { op: 1 };
  output.begin(1_000, () => run);
  write("first", run);
  run.op = 5;
  write("second", run);
  assert.deepEqual(textsOf(output.end()), ["second"]);
  output.begin(1_000, () => run);
  write("first", run);
  run.op = 9;
  assert.deepEqual(textsOf(output.end()), []);
});
