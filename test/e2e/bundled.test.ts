// A program that a bundler has made into one file: with Vivarium left out it works, with Vivarium in it says what to do.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { build as buildByEsbuild } from "esbuild";
import { rolldown } from "rolldown";
import { codeBlocksIn } from "../../tools/docs/markdown.ts";
import { Folder } from "../support/folders.ts";
import { root, runNode } from "./program.ts";

const program = `import { createRuntime } from "vivarium";
import { openTracker } from "vivarium/evolution";
createRuntime().then(async (runtime) => {
  await using held = runtime;
  await using tracker = await openTracker(held);
  const outcome = await held.once("export default () => 42");
  console.log(outcome.ok ? outcome.value : outcome.error.message);
}).catch(({ code, message }) => console.log(code + " " + message));
`;
const refusal =
  /^Error: Cannot load vivarium as it must be installed whole and not be bundled: mark it as external \(docs\/bundlers\.md\)$/m;

let folder: Folder;

// Deep, as the programs are looked for two folders above the code.
before(() => {
  folder = new Folder({ "a/b/server.mjs": program, "package.json": { private: true } });
  mkdirSync(folder.at("node_modules"));
  symlinkSync(root, folder.at("node_modules/vivarium"));
});
after(() => folder[Symbol.dispose]());

interface Bundling {
  readonly format: "esm" | "cjs";
  readonly external: readonly string[];
}

async function byEsbuild({ format, external }: Bundling, outfile: string): Promise<void> {
  await buildByEsbuild({
    entryPoints: [folder.at("a/b/server.mjs")],
    outfile,
    bundle: true,
    platform: "node",
    format,
    external: [...external],
    logLevel: "silent",
  });
}

async function byRolldown({ format, external }: Bundling, file: string): Promise<void> {
  const bundle = await rolldown({
    input: folder.at("a/b/server.mjs"),
    platform: "node",
    external: external.map((name) => new RegExp(`^${name}(\\/|$)`)),
    onLog: () => undefined,
  });
  await bundle.write({ file, format, codeSplitting: false });
  await bundle.close();
}

for (const [name, bundle] of [
  ["esbuild", byEsbuild],
  ["rolldown", byRolldown],
] as const)
  suite(`a program bundled by ${name}`, () => {
    for (const format of ["esm", "cjs"] as const) {
      const file = (what: string): string =>
        folder.at(`a/b/${name}-${what}.${format === "esm" ? "mjs" : "cjs"}`);

      test(`works as ${format} where vivarium is external`, async () => {
        await bundle({ format, external: ["vivarium"] }, file("external"));
        const { code, stdout, stderr } = await runNode([file("external")]);
        assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "42\n", stderr: "" });
      });

      test(`says as ${format} that vivarium must be external where it is not`, async () => {
        await bundle({ format, external: [] }, file("bundled"));
        const { code, stderr } = await runNode([file("bundled")]);
        assert.equal(code, 1);
        assert.match(stderr, refusal);
        assert.match(stderr, /code: 'PACKAGE_INCOMPLETE'/);
      });
    }
  });

test("docs/bundlers.md has the expression that these tests use", () => {
  const blocks = codeBlocksIn(readFileSync(`${root}docs/bundlers.md`, "utf8"));
  assert.ok(blocks.some(({ code }) => code.includes("external: [/^vivarium(\\/|$)/]")));
  assert.ok(blocks.some(({ code }) => code.includes("--external:vivarium")));
});
