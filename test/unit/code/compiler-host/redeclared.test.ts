// Names that are declared twice: what is no JavaScript for that reason alone is not taken for TypeScript, which would drop an import.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rolldownBackend } from "../../../../src/code/compiler-host/backends/rolldown.ts";
import { compileModule } from "../../../../src/code/compiler-host/pipeline.ts";

const forms = [undefined, "script", "kept"] as const;

for (const declaration of ["let f = 1", "const f = 1", "var f", "function f() {}", "class f {}"])
  test(`an import and ${declaration} of its name are refused in modules and scripts`, async () => {
    const source = `import { f } from "./main";\n${declaration};`;
    for (const script of forms) {
      const task = { t: "module", id: 1, name: "script", source, isMetered: false } as const;
      const result = await compileModule(script === undefined ? task : { ...task, script }, rolldownBackend);
      assert.ok("diagnostics" in result);
      const [first] = result.diagnostics;
      assert.match(first?.message ?? "", /Identifier `f` has already been declared/);
    }
  });

test("an import of types and a declaration of its name are TypeScript as before", async () => {
  const source = 'import type { F } from "./main"; const F: number = 1; F';
  for (const script of forms) {
    const task = { t: "module", id: 1, name: "script", source, isMetered: false } as const;
    const result = await compileModule(script === undefined ? task : { ...task, script }, rolldownBackend);
    assert.ok("code" in result);
  }
});
