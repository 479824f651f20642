// Hostile sources, for every backend: a typed error each, the compiler replaced when it crashes, others unaffected.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sandbox } from "../../src/index.ts";
import { ask, failureKind, refusalOf, runtimeForTests, type TestedBackend } from "../support/reloading.ts";

const deep = 100_000;
const repeated = (open: string, inner: string, close: string): string =>
  `export const x = ${open.repeat(deep)}${inner}${close.repeat(deep)};`;

/** Brackets nested deeper than any parser should be asked to follow. */
const brackets: Readonly<Record<string, string>> = {
  parentheses: repeated("(", "1", ")"),
  lists: repeated("[", "", "]"),
  objects: repeated("{a:", "1", "}"),
  templates: repeated("`${", "1", "}`"),
  blocks: `${"{".repeat(deep)}${"}".repeat(deep)}`,
  "brackets that are never closed": "(".repeat(deep),
  groups: `export const x = /${"(?:a|".repeat(deep)}${")".repeat(deep)}/;`,
};

/** Nesting without a bracket, which ends native parsers. */
const chains: Readonly<Record<string, string>> = {
  arrows: repeated("a=>", "1", ""),
  ternaries: repeated("1?1:", "1", ""),
  negations: repeated("!", "1", ""),
  members: `export const f = (a) => a${".b".repeat(deep)};`,
  additions: `export const x = 1${"+1".repeat(2 * deep)};`,
  powers: `export const x = 1${"**1".repeat(deep)};`,
  assignments: `let a; a${"=a".repeat(deep)};`,
  conditions: `${"if(1);else ".repeat(deep)};`,
  loops: `${"while(0)".repeat(deep)};`,
  awaits: `export const f = async (a) => ${"await ".repeat(deep)}a;`,
  types: `let x: ${"keyof ".repeat(deep)}A;`,
  markup: repeated("<a>", "", "</a>"),
};

const typed = ["PARSE_FAILED", "COMPILE_FAILED", "LOAD_FAILED"];

export function hostileSourceSuite(backend: TestedBackend): void {
  const runtime = runtimeForTests({ compiler: { backend } });
  let witness: Sandbox;
  let made = 0;

  // Whatever happened, a new source compiles and a neighbour answers.
  const unaffected = async (): Promise<void> => {
    witness ??= await runtime.current.create({ modules: { main: "export const f = (n) => n + 1" } });
    assert.equal(await ask(witness, "main.f", 1), 2);
    await runtime.current.compile.source(`export const fine = ${++made};`);
  };
  const refused = async (source: string, limits = {}): Promise<{ code: string; message: string }> => {
    const error = await refusalOf(runtime.current.create({ modules: { main: source }, limits }));
    assert.ok(typed.includes(error.code), error.code);
    await unaffected();
    return error;
  };

  test(`${backend}: brackets nested 100,000 deep are refused before a parser sees them`, async () => {
    const { compile: before } = await runtime.current.metrics();
    for (const [name, source] of Object.entries(brackets)) {
      const error = await refused(source);
      assert.equal(error.code, "PARSE_FAILED", name);
      assert.match(error.message, /Brackets are nested deeper than 500 \(main:1:\d+\)/, name);
    }
    const { compile } = await runtime.current.metrics();
    assert.equal(compile.restarts, before.restarts, "no compiler died of them");
  });

  test(`${backend}: nesting without brackets is an error at most, and a compiler that crashes by it is replaced`, async () => {
    const { compile: before } = await runtime.current.metrics();
    const deaths: string[] = [];
    for (const [name, source] of Object.entries(chains).slice(0, backend === "rolldown" ? undefined : 5)) {
      const { restarts } = (await runtime.current.metrics()).compile;
      const [ended] = await Promise.allSettled([runtime.current.compile.source(source)]);
      if (ended.status === "rejected") {
        const { code, message } = ended.reason as { code: string; message: string };
        assert.ok(typed.includes(code), `${name}: ${code}: ${message}`);
      }
      await unaffected();
      if ((await runtime.current.metrics()).compile.restarts > restarts) {
        deaths.push(name);
        assert.ok(
          ended.status === "rejected" && (ended.reason as { code: string }).code === "COMPILE_FAILED",
          name,
        );
      }
    }
    const { compile } = await runtime.current.metrics();
    assert.equal(compile.restarts - before.restarts, deaths.length);
    assert.ok(deaths.length > 0, "some of them are known to kill");
    console.log(`${backend}: compilers died of ${deaths.join(", ")}`);
  });

  test(`${backend}: a source that crashes the compiler fails alone among those that wait with it`, async () => {
    const sources = Array.from({ length: 30 }, (_, i) =>
      i % 10 === 5 ? `${chains["members"]}// ${i}` : `export const n = ${i}; //`,
    );
    const ended = await Promise.allSettled(sources.map((source) => runtime.current.compile.source(source)));
    const failed = ended.flatMap(({ status }, i) => (status === "rejected" ? [i] : []));
    assert.deepEqual(failed, [5, 15, 25]);
  });

  test(`${backend}: a source beyond its bytes is refused unread, and one of 10 MB within them is read`, async () => {
    const large = `export const x = 1; /* ${"x".repeat(10_000_000)} */`;
    const error = await refused(large);
    assert.equal(error.code, "COMPILE_FAILED");
    assert.match(error.message, /the source must be at most sourceBytes, 1048576: got 100000\d\d/);
    await using sandbox = await runtime.current.create({
      modules: { main: large },
      limits: { sourceBytes: 16 * 2 ** 20 },
    });
    assert.deepEqual((await sandbox.info()).modules["main"]?.exports, ["x"]);
    await unaffected();
    // Bytes are counted, not characters.
    const wide = `// ${"ü".repeat(40)}`;
    await refused(wide, { sourceBytes: 60 });
  });

  test(`${backend}: what is incomplete, or not text, is refused with its position`, async () => {
    const unfinished = [
      "export const x = `abc ${",
      "export const x = `abc",
      'const x = "abc',
      "/* abc",
      "const r = /abc",
      "<a>",
    ];
    for (const source of unfinished) assert.equal((await refused(source)).code, "PARSE_FAILED", source);
    const lone = 'export const f = () => "\ud800";';
    const replaced = lone.replace("\ud800", "\ufffd");
    await using sandbox = await runtime.current.create({ modules: { main: replaced } });
    assert.equal(await ask(sandbox, "main.f"), "\ufffd");
    for (const source of [lone, `// \udc00\n${lone}`, lone.replace("\ud800", "\udbff\ud800")]) {
      const error = await refused(source);
      assert.match(error.message, /not well-formed Unicode/);
    }
    assert.equal((await refusalOf(sandbox.hotReload({ main: lone }))).code, "PARSE_FAILED");
    assert.equal(await failureKind(sandbox, "main.f"), "ok: \ufffd");
  });

  test(`${backend}: 100,000 imports are refused by the names that are missing`, async () => {
    const imports = Array.from({ length: deep }, (_, i) => `import "./m${i}";`).join("\n");
    const error = await refused(imports, { sourceBytes: 4 * 2 ** 20, compileMs: 30_000 });
    assert.match(error.message, /Cannot import "\.\/m0" into "main", "\.\/m1" into "main"/);
    assert.ok(error.message.length < 2_000);
  });

  test(`${backend}: 20,000 exports, or a name of a megabyte, are admitted`, async () => {
    const exported = Array.from({ length: 20_000 }, (_, i) => `export const e${i} = () => ${i};`).join("\n");
    await using crowd = await runtime.current.create({ modules: { main: exported } });
    assert.equal(await ask(crowd, "main.e19999"), 19_999);
    const name = "n".repeat(900_000);
    await using sandbox = await runtime.current.create({ modules: { main: `export const ${name} = 1` } });
    assert.equal((await sandbox.info()).modules["main"]?.exports[0]?.length, 900_000);
  });

  test(`${backend}: a top level that never ends, at creation and at a reload, is cut`, async () => {
    const limits = { loadMs: 200 };
    for (const source of [
      "for (;;);",
      "await new Promise(() => {})",
      "await new Promise(() => setInterval(() => {}, 1))",
    ]) {
      assert.equal((await refused(source, limits)).code, "LOAD_FAILED");
      await using sandbox = await runtime.current.create({
        modules: { main: "export const f = () => 1" },
        limits,
      });
      const error = await refusalOf(sandbox.hotReload({ main: source }), "LOAD_FAILED");
      assert.equal(error.failure?.kind, "timeout", source);
      assert.equal(await ask(sandbox, "main.f"), 1);
    }
  });

  test(`${backend}: modules and exports may be called __proto__ and constructor, without effect on prototypes`, async () => {
    const names = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString"];
    const source = (tag: string) =>
      `const own = () => "${tag}"; export { own, own as __proto__, own as constructor, own as toString };`;
    await using sandbox = await runtime.current.create({
      modules: {
        ...Object.fromEntries(names.map((name) => [name, source(name)])),
        main: `import * as proto from "./__proto__"; import { constructor as made } from "./constructor";
          export const f = () => [proto.__proto__(), Object.hasOwn(proto, "__proto__"), Object.getPrototypeOf(proto), made()];`,
      },
    });
    assert.deepEqual(await ask(sandbox, "main.f"), ["__proto__", true, null, "constructor"]);
    for (const name of names)
      for (const exported of ["own", "__proto__", "constructor", "toString"])
        assert.equal(await ask(sandbox, `${name}.${exported}`), name);
    await sandbox.hotReload(Object.fromEntries(names.map((name) => [name, source(`${name} 2`)])));
    await sandbox.restart();
    for (const name of names) assert.equal(await ask(sandbox, `${name}.__proto__`), `${name} 2`);
    assert.equal(await failureKind(sandbox, "main.__proto__"), "not-found");
    assert.equal(await failureKind(sandbox, "main.constructor"), "not-found");
    assert.equal(await failureKind(sandbox, "valueOf.call"), "not-found");
    assert.deepEqual(Object.keys((await sandbox.info()).modules).toSorted(), [...names, "main"].toSorted());
    assert.equal(({} as Record<string, unknown>)["own"], undefined);
  });
}
