// docs/options.md is what the types say, and says something of every option.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { createTwoFilesPatch } from "diff";
import { optionsDocument, optionsPath, undescribed } from "../../tools/docs/options/document.ts";
import { root } from "../../tools/docs/documents.ts";

const fresh = optionsDocument();

suite("the reference of options", () => {
  test("is what the types say; node tools/docs.ts writes it", () => {
    const written = readFileSync(join(root, optionsPath), "utf8");
    if (written === fresh) return;
    assert.fail(createTwoFilesPatch(optionsPath, "the types", written, fresh));
  });

  test("says of every option what it does: each has a comment in the types", () => {
    assert.deepEqual(undescribed(), []);
  });

  for (const method of [
    "runtime.create",
    "runtime.fork",
    "runtime.once",
    "runtime.batch.create",
    "runtime.batch.evaluate",
    "runtime.compile.check",
    "sandbox.call",
    "sandbox.run",
    "sandbox.hotReload",
    "openTracker",
  ])
    test(`has a section about ${method}`, () => {
      const titles = [...fresh.matchAll(/^### (.+)$/gm)].flatMap(([, title = ""]) => title.split(", "));
      assert.ok(titles.includes(method), titles.join("\n"));
    });

  test("has every form of an option that differs between the types of a union", () => {
    const [row] = fresh.match(/^\| `keep` .*\bnumber\b.*$/m) ?? [];
    assert.match(
      row ?? "",
      /`number \\\| \{ best: number; .*\(\(result: R\) => boolean\)`.* The best so many .* A function is asked about/,
    );
  });

  test("has options through files, heirs and helpers, with defaults and types", () => {
    const row = (name: string): string => {
      const [, evaluate = ""] = fresh.split("### runtime.batch.evaluate");
      const [section = ""] = evaluate.split("\n### ");
      return section.split("\n").find((line) => line.startsWith(`| \`${name}\` `)) ?? "";
    };
    assert.match(row("deadlineMs"), /\| `number` +\| one hour +\|/);
    assert.match(row("summary"), /`"mean" \\\| "median" \\\| "min" \\\| "max"` +\| `mean` +\|/);
    assert.match(row("onFailure.score"), /\| `number` +\| required +\| The score that a failure gets\. +\|/);
  });
});
