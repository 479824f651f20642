// The package as a new user gets it: packed in a clean checkout, installed in an empty folder, run, and checked by the usual tools.
import assert from "node:assert/strict";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { after, before, suite, test } from "node:test";
import { gzipSync } from "node:zlib";
import { anchorsIn, codeBlocksIn, linksIn } from "../../tools/docs/markdown.ts";
import { checkOut } from "./checkout.ts";
import { root, runNode, runProgram, type Ended } from "./program.ts";

const bin = (name: string): string => join(root, "node_modules", ".bin", name);
let folder: string;
let tarball: string;
let project: string;

async function must(file: string, args: readonly string[], cwd: string): Promise<Ended> {
  const ended = await runProgram(file, args, { cwd });
  assert.equal(ended.code, 0, `${file} ${args.join(" ")}\n${ended.stdout}${ended.stderr}`);
  return ended;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "vivarium-package-"));
  const checkout = join(folder, "checkout");
  checkOut(checkout);
  assert.ok(!existsSync(join(checkout, "dist")), "nothing is built in a clean checkout");
  const { stdout } = await must("npm", ["pack", "--json", "--pack-destination", folder], checkout);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  tarball = join(folder, filename);
  project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "project", private: true, type: "module" }),
  );
  const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await must("npm", ["install", ...flags, tarball], project);
});
after(() => rmSync(folder, { recursive: true, force: true }));

suite("the README's first example", () => {
  const examples = codeBlocksIn(readFileSync(join(root, "README.md"), "utf8"));
  for (const [language, file] of [
    ["ts", "first.ts"],
    ["js", "first.mjs"],
  ] as const) {
    test(`runs as ${file} against the installed package`, async () => {
      const code = examples.find((block) => block.language === language)?.code ?? "";
      writeFileSync(join(project, file), code);
      const { code: exit, stdout, stderr } = await runNode([file], { cwd: project });
      assert.equal(exit, 0, stderr);
      assert.equal(stdout.split("\n")[0], "42");
      assert.equal(stderr, "");
    });
  }

  test("has at most fifteen lines", () => {
    for (const { code, line } of examples.filter(({ language }) => language !== "sh"))
      assert.ok(code.trimEnd().split("\n").length <= 15, `README.md:${line}`);
  });
});

test("vivarium demo runs as it was installed", async () => {
  const small = ["--problem", "square", "--population", "20", "--evaluations", "40", "--json"];
  const { stdout } = await must(
    join(project, "node_modules", ".bin", "vivarium"),
    ["demo", ...small],
    project,
  );
  const { problem, program } = JSON.parse(stdout) as { problem: string; program: string };
  assert.equal(problem, "square");
  assert.match(program, /export function f\(x: number\)/);
});

suite("the types", () => {
  test("serve a strict TypeScript project that uses modules, outcomes and events", async () => {
    for (const path of globSync("test/types/*.ts", { cwd: root }))
      writeFileSync(join(project, path.slice(path.lastIndexOf("/") + 1)), readFileSync(join(root, path)));
    const compilerOptions = {
      target: "esnext",
      module: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noImplicitOverride: true,
      allowImportingTsExtensions: true,
      skipLibCheck: false,
      noEmit: true,
      types: ["node"],
      typeRoots: [join(root, "node_modules", "@types")],
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    await must(bin("tsc"), ["-p", project], project);
  });

  test("are found rightly by every way to resolve them that ESM has (attw)", async () => {
    await must(bin("attw"), [tarball, "--profile", "esm-only"], folder);
  });
});

suite("the tarball", () => {
  test("passes publint in its strict form", async () => {
    await must(bin("publint"), [tarball, "--strict"], folder);
  });

  test("holds the built package, its documents and examples, and nothing else", () => {
    const forms = [
      /^dist\/.+\.(?:c?js|d\.ts)$/,
      /^dist\/programs\/package\.json$/,
      /^dist\/dashboard\/(?:index\.html|assets\/.+\.css)$/,
      /^docs\/.+\.(?:md|svg)$/,
      /^examples\/.+\.(?:ts|mjs|py|md|json)$/,
      /^deploy\/.+\.(?:json|service)$/,
      /^[A-Z]+\.md$/,
      /^LICENSE$/,
      /^package\.json$/,
      // Says which Node is needed, before anything else is read.
      /^node-version\.cjs$/,
    ];
    const paths = filesOf(installed());
    assert.deepEqual(
      paths.filter((path) => !forms.some((form) => form.test(path)) || /\.(?:test|bench)\./.test(path)),
      [],
    );
    const needed = ["dist/index.js", "dist/index.d.ts", "dist/cli/main.js", "dist/demo/demo.js"];
    for (const path of [...needed, "docs/README.md", "README.md", "CHANGELOG.md", "LICENSE"])
      assert.ok(paths.includes(path), `${path} is missing`);
  });

  test("is no larger than a megabyte and a half, of which a browser loads at most 160 KiB before it shows something", () => {
    assert.ok(statSync(tarball).size < 1.5 * 2 ** 20, `${statSync(tarball).size} bytes`);
    const page = join(installed(), "dist", "dashboard");
    const index = readFileSync(join(page, "index.html"), "utf8");
    const first = [...index.matchAll(/assets\/[\w.-]+/g)].map(([path]) => readFileSync(join(page, path)));
    assert.ok(first.length >= 2, "a script and a style");
    const bytes = [Buffer.from(index), ...first].reduce((sum, file) => sum + gzipSync(file).length, 0);
    assert.ok(bytes < 160 * 2 ** 10, `${bytes} bytes`);
  });

  test("has everything that its documents link to", () => {
    const documents = filesOf(installed()).filter((path) => path.endsWith(".md"));
    const broken = documents.flatMap((path) =>
      linksIn(readFileSync(join(installed(), path), "utf8"))
        // Pictures of the dashboard are in the repository alone, where another test looks for them.
        .filter((target) => !/^[a-z]+:|(?:^|\/)screens\//.test(target) && !leadsSomewhere(path, target))
        .map((target) => `${path}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });

  test("has a bin that says its version", async () => {
    const { version } = JSON.parse(readFileSync(join(installed(), "package.json"), "utf8")) as {
      version: string;
    };
    const { stdout } = await must(join(project, "node_modules", ".bin", "vivarium"), ["--version"], project);
    assert.equal(stdout, `${version}\n`);
  });

  test("mentions no path of the machine that packed it", () => {
    const telling = filesOf(installed()).filter((path) => {
      const text = readFileSync(join(installed(), path), "utf8");
      return text.includes(root) || /(?:^|["'`\s(])(?:\/home\/|\/root\/|\/Users\/|[A-Z]:\\)/m.test(text);
    });
    assert.deepEqual(telling, []);
  });
});

function installed(): string {
  return join(project, "node_modules", "vivarium");
}

function leadsSomewhere(from: string, target: string): boolean {
  const [file = "", anchor] = target.split("#");
  const path = join(installed(), file === "" ? from : normalize(join(dirname(from), file)));
  return existsSync(path) && (anchor === undefined || anchorsIn(readFileSync(path, "utf8")).has(anchor));
}

function filesOf(folder: string): readonly string[] {
  return globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
