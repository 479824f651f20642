// Modules named as the runtime's own are refused wherever modules come in: a guest that imports one gets the runtime's.
import assert from "node:assert/strict";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { errorOf, mistakeOf } from "../support/errors.ts";
import { valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const main = "export const f = () => 1;";

for (const name of ["vivarium", "vivarium/guest", "vivarium/capabilities", "vivarium/other"]) {
  test(`create() and hotReload() refuse a module named ${name}`, async () => {
    const create = (): Promise<unknown> => runtime.create({ modules: { main, [name]: main } });
    const { message } = await mistakeOf(create, "INVALID_ID");
    assert.match(message, /the runtime's own: got "vivarium/);
    await using sandbox = await createMain(runtime, main);
    await mistakeOf(() => sandbox.hotReload({ [name]: main }), "INVALID_ID");
    await mistakeOf(() => sandbox.hotReload({ [name]: null }), "INVALID_ID");
    assert.equal(valueOf(await sandbox.call("main.f")), 1);
  });
}

test("a file whose module would have such a name is refused", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vivarium-own-"));
  try {
    await mkdir(join(folder, "vivarium"));
    await writeFile(join(folder, "vivarium", "guest.ts"), main);
    await writeFile(join(folder, "main.ts"), 'export { f } from "./vivarium/guest.ts";');
    const error = await errorOf(() => runtime.create({ path: folder }), "LOAD_FAILED");
    assert.match(error.message, /named "vivarium\/guest"/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
