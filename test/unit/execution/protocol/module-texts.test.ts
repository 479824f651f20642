// Modules arrive as they were sent, whatever is in their texts; texts that belong to no module are refused.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { commandFrom, frameOfCommand } from "../../../../src/execution/protocol/encoding.ts";
import type { LoadCommand, ReloadCommand } from "../../../../src/execution/protocol/messages.ts";
import { defaultLimits } from "../../../../src/model/limits.ts";
import { boxLimitsOf } from "../../../../src/orchestration/runs/cell-messages.ts";
import { FrameReader, textsMax } from "../../../../src/std/frames.ts";

type Modules = LoadCommand["modules"];

const loadOf = (modules: Modules): LoadCommand => ({
  t: "load",
  op: 1,
  key: 2,
  lane: "slice",
  isProven: false,
  isDense: false,
  budgetMs: 1_000,
  limits: boxLimitsOf(defaultLimits),
  character: { deterministic: null },
  usedMs: 0,
  features: [],
  processes: null,
  isHeld: false,
  modules,
});
const reloadOf = (modules: Modules): ReloadCommand => ({
  t: "reload",
  op: 1,
  key: 2,
  lane: "async",
  budgetMs: 1_000,
  modules,
  removed: ["old"],
  versions: "{}",
  states: "",
});

const given: readonly (readonly [string, Modules, isBeside: boolean])[] = [
  ["one module", [["main", 'export const a = "b\\n";\n']], true],
  ["letters of any kind", [["größe", "const ü = '\u{1f331}\0';"]], true],
  [
    "an empty one among others",
    [
      ["a", "1"],
      ["b", ""],
      ["c", "3"],
    ],
    true,
  ],
  [
    "a text that is not well-formed",
    [
      ["a", "1"],
      ["b", "'\ud800'"],
    ],
    false,
  ],
  ["none", [], true],
  ["as many as a frame has room for", manyOf(textsMax), true],
  ["more than that", manyOf(textsMax + 1), false],
];

function manyOf(count: number): Modules {
  return Array.from({ length: count }, (_, n) => [`m${n}`, `text ${n}`] as const);
}

suite("modules arrive as they were sent:", () => {
  for (const [name, modules, isBeside] of given)
    test(name, () => {
      for (const command of [loadOf(modules), reloadOf(modules)]) {
        const frame = frameOfCommand(command);
        assert.equal(frame[4] === 0, isBeside);
        // Whole, and byte by byte.
        for (const step of [frame.length, 1]) {
          const found: unknown[] = [];
          const reader = new FrameReader(2 ** 24);
          for (let at = 0; at < frame.length; at += step)
            reader.push(frame.subarray(at, at + step), (message, texts) =>
              found.push(commandFrom(message, texts)),
            );
          assert.deepEqual(found, [command]);
        }
      }
    });
});

suite("texts that belong to no module are refused:", () => {
  const refused: readonly (readonly [string, unknown, readonly string[]])[] = [
    [
      "fewer than modules",
      loadOf([
        ["a", ""],
        ["b", ""],
      ]),
      ["1"],
    ],
    ["more than modules", loadOf([["a", ""]]), ["1", "2"]],
    ["for a module that has one", loadOf([["a", "1"]]), ["2"]],
    ["for what is no pair", { ...loadOf([]), modules: [["a", "", ""]] }, ["1"]],
    ["for what is no list", { ...loadOf([]), modules: { length: 1 } }, ["1"]],
    ["after a command without modules", { t: "hold", key: 1, isHeld: true, modules: [["a", ""]] }, ["1"]],
    ["after nothing", null, ["1"]],
  ];
  for (const [name, message, texts] of refused)
    test(name, () => assert.equal(commandFrom(message, texts), undefined));
});
