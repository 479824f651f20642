// Every command that fails says so with --json as a problem document of the contract, and with the exit code of its class.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parse, parserOf } from "../../src/cli/command/parse.ts";
import { problemOf } from "../../src/cli/command/problem.ts";
import { commands } from "../../src/cli/commands.ts";
import { exitCodeOfError } from "../../src/cli/exit-codes.ts";
import { errorShape } from "../../src/cli/json-shapes.ts";
import { InvalidOptionsError } from "../../src/model/errors.ts";
import { Folder } from "../support/folders.ts";
import { cases, files, prepare } from "./cli-json-cases.ts";
import { Cli } from "./cli-program.ts";
import { startServing, type Serving } from "./serving.ts";

const folder = new Folder({ ...files, "recording.json": {} });
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

/** Where no server is. */
const nobody = "http://127.0.0.1:65533";
/** What is there of one of these is said by the report itself. */
const reporting = "doctor";

describe("with --json", { concurrency: 4 }, () => {
  for (const [name, { failed = [], onServer }] of Object.entries(cases)) {
    const words = name.split(" ");
    for (const { args, code } of failed)
      test(`vivarium ${[name, ...args].join(" ")} ends with ${code} and a problem document`, async () => {
        await cli.problem(code, ...words, ...args);
      });
    if (onServer === undefined) continue;
    test(`vivarium ${name} ends with 5 where the server refuses it`, async () => {
      const args = [...words, ...onServer, "--url", serving.url, "--token", "of-somebody-else"];
      assert.equal((await cli.problem(5, ...args)).code, "UNAUTHENTICATED");
    });
    // Those that end with 1 for another reason have shown how they say so.
    if (failed.some(({ code }) => code === 1)) continue;
    test(`vivarium ${name} ends with 1 where the server cannot be reached, and says where it was looked for`, async () => {
      const { code, detail } = await cli.problem(1, ...words, ...onServer, "--url", nobody);
      assert.equal(code, "CONNECTION_FAILED");
      assert.match(detail, /127\.0\.0\.1:65533/);
    });
  }

  test(`vivarium ${reporting} says in its report that a server cannot be reached, and ends with 1`, async () => {
    const { verdict } = await cli.json<{ verdict: string }>([reporting, "--url", nobody], {
      code: 1,
    });
    assert.equal(verdict, "bad");
  });

  test("every command with an option that there is not has a problem document", async () => {
    for (const name of Object.keys(cases)) {
      const [command = "", ...action] = name.split(" ");
      const file = await commands[command]?.load();
      assert.ok(file !== undefined);
      const read = () => parse(parserOf(command, file), [...action, "--nonsense"]);
      assert.throws(read, (error) => {
        assert.ok(error instanceof InvalidOptionsError);
        assert.equal(exitCodeOfError(error), 2);
        const problem = problemOf(error);
        assert.deepEqual(errorShape.parse(problem), problem);
        return problem.option === "--nonsense";
      });
    }
  });

  for (const args of [
    ["dance"],
    ["help", "dance"],
    ["store"],
    ["ps", "--nonsense"],
    ["store", "burn", "data"],
  ])
    test(`vivarium ${args.join(" ")} ends with 2 and a problem document`, async () => {
      await cli.problem(2, ...args);
    });
});
