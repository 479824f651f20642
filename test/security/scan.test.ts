// The scan itself: it tells globals from variables, finds its way back to the source's lines, and cannot be brought down.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Finding } from "../../src/index.ts";
import { findingsMax } from "../../src/model/code/finding.ts";
import { backends, refusalOf, runtimeForTests } from "../support/reloading.ts";

const seenIn = (findings: readonly Finding[]): string[] =>
  findings.map(({ rule, what }) => `${rule} ${what}`);

for (const backend of backends) {
  suite(`with ${backend}`, () => {
    const runtime = runtimeForTests({ compiler: { backend }, cells: { spare: 0, warm: 0 } });
    const scan = async (source: string): Promise<readonly Finding[]> =>
      (await runtime.current.compile.source(source)).findings;

    test("a name is a global only where no scope around it has it", async () => {
      const rows: readonly (readonly [source: string, isFree: boolean])[] = [
        ["export const f = () => process;", true],
        ["export const f = () => { { let process = 1; } return process; };", true],
        ["export const f = () => { { var process = 1; } return process; };", false],
        ["export const f = () => () => { var process = 1; return process; };", false],
        ["export const f = (a = process) => () => { var process = 1; return [a, process]; };", true],
        ["export const f = () => { function process() {} return process; };", false],
        ["export const f = () => { class process {} return process; };", false],
        ["export const f = function process() { return process; };", false],
        ["export const f = ([{ a: { b: process } }]: any) => process;", false],
        ["export const f = (...[process]: any[]) => process;", false],
        ["export const f = () => { for (const process of []) return process; };", false],
        ["export const f = () => { for (const process of []) process; return process; };", true],
        ["export const f = (a: any) => { switch (a) { case 1: let process = 1; return process; } };", false],
        ["export const f = () => { try {} catch ({ process }) { return process; } };", false],
        ["export const f = () => { try {} catch { return process; } };", true],
        ["export class A { static { var process = 1; process; } }", false],
        ["export class A { static { var process = 1; process; } b = process; }", true],
        ["export class A { [process.cwd()] = 1; }", true],
        ['import process from "./own"; export const f = () => process;', false],
        ["const process = 1; export { process };", false],
        ["export const f = () => ({ process });", true],
        ["export const f = () => ({ process: 1 }).process;", false],
        ["export const f = () => { process: for (;;) continue process; };", false],
        ["process = 1; export const f = 1;", true],
        ["let a; ({ a = process } = { a }); export { a };", true],
        ["export const f = () => `${process}`;", true],
        ["namespace N { export const process = 1; } export const f = () => N.process;", false],
        ["enum E { process } export const f = () => E.process;", false],
        ["declare const process: unknown; export const f = () => 1;", false],
        ["type process = 1; export const f = (): process => 1;", false],
      ];
      for (const [source, isFree] of rows)
        assert.deepEqual(seenIn(await scan(source)), isFree ? ["host-global process"] : [], source);
    });

    test("a finding stands where its source has it, below types, markup and comments", async () => {
      const source = [
        "interface Wide {",
        "  a: string;",
        "}",
        "/* eval */",
        "export const f = <T,>(x: T): T => {",
        "  const y: Wide = { a: '' };",
        "  return   eval(String(y));",
        "};",
        "export const g = () => process;",
        "export const h = () => process;",
      ].join("\n");
      assert.deepEqual(await scan(source), [
        { rule: "dynamic-code", what: "eval", line: 7, column: 12, count: 1 },
        { rule: "host-global", what: "process", line: 9, column: 24, count: 2 },
      ]);
    });

    test("what it keeps is bounded, with the gravest first", async () => {
      const many = Array.from({ length: 3_000 }, (_, i) => `import(a + ${i});`).join("");
      const findings = await scan(`const a = ""; ${many} import "node:fs"; export const f = 1;`);
      assert.equal(findings.length, findingsMax);
      assert.deepEqual([findings[0]?.rule, findings.at(-1)?.rule], ["import-builtin", "too-many"]);
      const long = await scan(`import "node:${"x".repeat(10_000)}"; export const f = 1;`);
      assert.ok((long[0]?.what.length ?? 0) <= 120);
    });

    test("a source that is made to bring it down does not take others with it", async () => {
      const deep = 20_000;
      // More of these would only be slow in the backend.
      const nested = backend === "esbuild" ? 15 : 3_000;
      const sources = [
        `process; export const f = () => 1${"+1".repeat(deep)};`,
        `export const f = (Array: any) => Array${".prototype".repeat(deep)};`,
        `Array${".prototype".repeat(deep)} = 1; export const f = 1;`,
        `export const f = (x: any) => x${"['a']".repeat(deep)}.constructor.constructor;`,
        `process; export const f = ${"a => ".repeat(nested)} 1;`,
        `export const f = ${"process => ".repeat(nested)} process;`,
        `eval; export const f = () => { ${"if (a) b; else ".repeat(3_000)} c; };`,
        `export const f = () => [${"process,".repeat(50_000)}];`,
        `export const f = () => globalThis${".globalThis".repeat(deep)}.process;`,
        `export const f = (x: any) => x[${'"a"+'.repeat(deep)}"b"];`,
      ];
      for (const source of sources) {
        // Either it is compiled, or it is refused in a typed way; and the next one is served.
        await scan(source).catch((error: unknown) => refusalOf(Promise.reject(error as Error)));
        assert.deepEqual(seenIn(await scan("export const f = () => eval;")), ["dynamic-code eval"]);
      }
    });
  });
}
