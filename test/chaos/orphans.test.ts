// `kill -9` of the process with a runtime: no cell, compiler or file outlasts it, whatever they were doing.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Folder } from "../support/folders.ts";
import { commandOf, filesLeft, isAlive } from "../support/processes.ts";
import { fulfilled, until } from "../support/waiting.ts";

const program = fileURLToPath(new URL("runtime-process.ts", import.meta.url));
const states: Readonly<Record<string, string>> = {
  idle: "its cells are idle",
  main: "guests hold the main threads of its cells",
  async: "guests spin on threads of their own",
  stuck: "guests are where nothing interrupts them",
  compiling: "its compiler is busy",
};

suite("a process that is killed", () => {
  for (const [state, what] of Object.entries(states)) {
    test(`while ${what} leaves no process behind`, async () => {
      using folder = new Folder();
      const env = { ...process.env, TMPDIR: folder.path };
      const child = spawn(process.execPath, [program, state], { env, stdio: ["ignore", "pipe", "inherit"] });
      using _ = { [Symbol.dispose]: () => child.kill("SIGKILL") };
      const said = once(createInterface(child.stdout), "line") as Promise<[string]>;
      const [line] = await fulfilled("its children", said);
      const pids = JSON.parse(line) as number[];
      const commands = pids.map(commandOf);
      // On a busy machine some may have cells of their own.
      assert.ok(commands.filter((command) => command.includes("cell-host")).length >= 3, commands.join("\n"));
      // Another one is started where a module takes long while others wait.
      assert.ok(
        commands.some((command) => command.includes("compiler-host")),
        commands.join("\n"),
      );
      child.kill("SIGKILL");
      await until("its children are gone", () => !pids.some(isAlive));
      await until("no file is left", () => filesLeft(folder.path).length === 0);
    });
  }
});
