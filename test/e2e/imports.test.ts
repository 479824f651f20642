// What a program loads with the package: what is not used costs every start.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runNode } from "./program.ts";

/** As Node names them. */
const unused = ["http", "https", "http2", "zlib", "internal/deps/undici/undici", "repl"];

test("importing the package loads no module of Node that only some capability needs", async () => {
  const program = `
    import "vivarium";
    console.log(JSON.stringify(process.moduleLoadList));`;
  const { code, stdout, stderr } = await runNode(["--input-type=module", "--eval", program]);
  assert.equal(code, 0, stderr);
  const loaded = JSON.parse(stdout) as readonly string[];
  assert.ok(loaded.includes("NativeModule net"));
  assert.deepEqual(
    unused.filter((name) => loaded.includes(`NativeModule ${name}`)),
    [],
  );
});
