// The rules about what stands in a file, each on a small tree with what it forbids planted into it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { castsIn, findUnexplainedCasts } from "../../../tools/tidy/casts.ts";
import { findRetiredWords } from "../../../tools/tidy/retired-words.ts";
import { treeOf } from "../../../tools/tidy/source-tree.ts";
import { findTextProblems } from "../../../tools/tidy/text.ts";

suite("findTextProblems", () => {
  // Put together here, so that this file does not break the rules that it tries.
  const skipped = ["test", "skip"].join(".");
  const openEnd = ["TO", "DO"].join("");

  test("accepts a short file that says why it exists", () => {
    assert.deepEqual(findTextProblems(treeOf({ "src/a.ts": "// Why.\nexport const a = 1;\n" })), []);
  });

  for (const [what, text, rule] of [
    ["a file that is too long", `// Why.${"\n".repeat(301)}`, "301 lines, more than 300"],
    ["a file that does not say why it exists", "export {};", "the first line says why the file exists"],
    ["an untyped error", `// Why.\nthrow new Error("x");`, "throw a typed error, or assert"],
    ["a default export", "// Why.\nexport default 1;", "exports have names"],
    ["an enum", "// Why.\nexport enum Kind {}", "no enums"],
    ["an open end without an issue", `// Why.\n// ${openEnd} later`, `a ${openEnd} carries an issue number`],
    ["a skipped test", `// Why.\n${skipped}("x");`, "no skipped or focused tests"],
    ["the machine's clock", "// Why.\nDate.now();", "time and randomness are passed in"],
  ] as const) {
    test(`reports ${what}`, () => {
      assert.deepEqual(findTextProblems(treeOf({ "src/a.ts": text })), [`src/a.ts: ${rule}`]);
    });
  }

  test("asks typed errors and passed-in time of the sources alone", () => {
    const text = `// Why.\nthrow new Error("x");\nDate.now();`;
    assert.deepEqual(
      findTextProblems(treeOf({ "tools/a.ts": text, "src/std/a.ts": "// Why.\nDate.now();" })),
      [],
    );
  });
});

suite("casts", () => {
  const casts = (text: string): unknown =>
    castsIn(treeOf({ "src/a.ts": text }), "src/a.ts").map(({ line, kind }) => [line, kind]);

  test("are told apart by kind, and those in texts and comments are none", () => {
    const text = [
      "const a = b as unknown as C;",
      "const d = e as never;",
      "const f = list[0] as G;",
      "const h = (list[0]!) as G;",
      "const i = [1] as const;",
      "const j = list[k] as const;",
      "const l = m.n as O;",
      `const p = "q as never"; // r as unknown as S`,
      "const t = u as never as V;",
    ].join("\n");
    assert.deepEqual(casts(text), [
      [1, "as unknown as"],
      [2, "as never"],
      [3, "indexed"],
      [4, "indexed"],
      [9, "as never"],
    ]);
  });

  test("of every kind need a comment beside or directly above", () => {
    const text = [
      "const a = b as never; // The reason.",
      "// The reason,",
      "// on two lines.",
      "const c = d as unknown as E;",
      "/** The reason. */",
      "const f = {",
      "  g: 1,",
      "} as unknown as H;",
      "const i = j as never;",
      "const k = 1; // About something else.",
      "const l = m as never;",
      "// oxlint-disable-next-line some-rule",
      "const n = o as never;",
      "// Too far away.",
      "",
      "const p = q as unknown as R;",
      "const s = list[0] as T;",
      "const u = list[0] as T; // The reason.",
      "// The reason.",
      "const v = list[w] as X;",
    ].join("\n");
    assert.deepEqual(
      findUnexplainedCasts(treeOf({ "src/a.ts": text })).map((problem) => problem.split(" ")[0]),
      ["src/a.ts:9:", "src/a.ts:11:", "src/a.ts:13:", "src/a.ts:16:", "src/a.ts:17:"],
    );
  });
});

suite("findRetiredWords", () => {
  const words = [
    { forms: ["gizmo", "gizmos"], use: "part" },
    { forms: ["old order"], use: "queue" },
  ];
  const find = (files: Record<string, string>): readonly string[] =>
    findRetiredWords(treeOf(files), words, []);

  test("reports names, comments, documents and paths, split at case changes and hyphens", () => {
    const found = find({
      "src/gizmo-box.ts": "const makeGizmo = OLDGizmos; // A gizmo.\n\nclass OldOrder {}",
      "docs/a.md": "The old order of Gizmos.",
    });
    assert.deepEqual(found, [
      `docs/a.md:1: "gizmos" is retired: part`,
      `src/gizmo-box.ts: "gizmo" is retired: part`,
      `src/gizmo-box.ts:1: "gizmo" is retired: part`,
      `src/gizmo-box.ts:1: "gizmos" is retired: part`,
      `src/gizmo-box.ts:3: "old order" is retired: queue`,
    ]);
  });

  test("lets other words be that only contain one, and the changelog", () => {
    assert.deepEqual(
      find({ "src/a.ts": "const gizmology = 1;", "CHANGELOG.md": "The gizmo is a part." }),
      [],
    );
  });

  test("lets a pair of file and word be, and reports one that is not needed any more", () => {
    const tree = treeOf({ "docs/a.md": "A gizmo.", "docs/b.md": "Nothing." });
    const allowed = ["docs/a.md", "docs/b.md"].map((file) => ({
      file,
      word: "gizmo",
      reason: "a quotation",
    }));
    assert.deepEqual(findRetiredWords(tree, words, allowed), [
      `tools/tidy/retired-words.ts: "gizmo" need not be allowed in docs/b.md any more`,
    ]);
  });
});
