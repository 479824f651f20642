// The documents about the HTTP API are true: their commands run in order against a server, and print what they show.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { createTwoFilesPatch } from "diff";
import { commandsDocument, commandsPath } from "../../tools/docs/commands.ts";
import { shellBlocks, shellDocuments } from "../../tools/snippets.ts";
import { root } from "../e2e/program.ts";
import { startServing } from "../e2e/serving.ts";
import { assertShown, runBlocks } from "../e2e/shell.ts";

for (const path of shellDocuments()) {
  suite(`the commands in ${path}`, () => {
    const blocks = shellBlocks(path);
    const folder = mkdtempSync(join(tmpdir(), "vivarium-shell-"));
    let printed: Awaited<ReturnType<typeof runBlocks>>;

    before(async () => {
      for (const tool of ["curl", "jq", "python3"])
        assert.equal(spawnSync(tool, ["--version"]).status, 0, `install ${tool}: the documents use it`);
      for (const file of globSync(`${root}examples/python/*.py`)) cpSync(file, join(folder, basename(file)));
      await using serving = await startServing();
      printed = await runBlocks(blocks, {
        cwd: folder,
        env: { ...serving.env, PYTHONDONTWRITEBYTECODE: "1" },
      });
    });
    after(() => rmSync(folder, { recursive: true }));

    for (const [index, block] of blocks.entries())
      test(`${block.place} runs and prints what it shows`, () => assertShown(block, printed[index]));
  });
}

test("docs/commands.md is what the commands print; node tools/docs.ts writes it", async () => {
  const [written, fresh] = [readFileSync(join(root, commandsPath), "utf8"), await commandsDocument()];
  if (written !== fresh) assert.fail(createTwoFilesPatch(commandsPath, "the commands", written, fresh));
});
