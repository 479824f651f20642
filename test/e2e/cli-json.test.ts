// What every command prints with --json is what `json-shapes.ts` promises, where it does its work and where it fails.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { commands } from "../../src/cli/commands.ts";
import { jsonShapes } from "../../src/cli/json-shapes.ts";
import { Folder } from "../support/folders.ts";
import { cases, files, prepare, type JsonCase } from "./cli-json-cases.ts";
import { assertShape, Cli, linesOf } from "./cli-program.ts";
import { startServing, type Serving } from "./serving.ts";

const folder = new Folder(files);
const cli = new Cli(folder);
let serving: Serving;

before(async () => {
  serving = await startServing({ env: cli.env });
  await prepare(folder, serving);
});
after(async () => {
  await serving[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test("every command, and every action of one, has a shape and cases here", () => {
  const names = Object.keys(cases);
  assert.deepEqual(names.toSorted(), Object.keys(jsonShapes).toSorted());
  const heads = new Set(names.map((name) => name.split(" ")[0] ?? ""));
  assert.deepEqual([...heads].toSorted(), Object.keys(commands).toSorted());
  for (const [name, { document, lines }] of Object.entries(jsonShapes)) {
    const forms = new Set(cases[name]?.done.map(({ form }) => form));
    assert.deepEqual([forms.has("document"), forms.has("lines")], [!!document, !!lines], name);
  }
});

describe("with --json", () => {
  for (const [name, { done }] of Object.entries(cases))
    for (const one of done)
      test(`vivarium ${[name, ...one.args].join(" ")} prints what it promises`, () =>
        assertPrints(name, one));
});

async function assertPrints(name: string, { args, form, code = 0, stdin, ends }: JsonCase): Promise<void> {
  const line = [...name.split(" "), ...args, "--json"];
  const ended = await cli.run(line, {
    ...(stdin === undefined ? {} : { stdin }),
    ...(ends === undefined
      ? {}
      : { onStdout: (text) => (text.split("\n").length > ends.lines ? ends.signal : undefined) }),
  });
  assert.equal(ended.code, code, `${ended.stdout}${ended.stderr}`);
  const values = form === "document" ? [JSON.parse(ended.stdout) as unknown] : linesOf(ended.stdout);
  assert.ok(values.length > 0);
  for (const value of values) assertShape(line, value, form);
}
