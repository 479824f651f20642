// Quotas where a batch has named ids that somebody else uses meanwhile: its room is for what it makes itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startRuntime } from "../../support/runtimes.ts";
import { hear } from "../../support/listening.ts";

const held = Promise.withResolvers<number>();
const begun = Promise.withResolvers<void>();
const runtime = await startRuntime({
  capabilities: {
    hold: () => {
      begun.resolve();
      return held.promise;
    },
  },
});
const modules = {
  main: 'import { hold } from "vivarium/capabilities"; export const f = () => hold();',
};
const small = { main: "export const f = () => 1;" };
const tenants = ["room", "named"];
const tokens = tenants.map((tenant) => ({
  token: `token-of-${tenant}-0123456789`,
  scope: "evaluate" as const,
  tenant,
  quotas: { sandboxes: 3 },
}));
const { ask } = await hear({}, { access: { tokens } }, runtime);
const by = (tenant: string) => ({ headers: { authorization: `Bearer token-of-${tenant}-0123456789` } });
const living = async (tenant: string): Promise<number> =>
  (await runtime.list()).filter(({ id }) => id.startsWith(`${tenant}:`)).length;

test("a batch that names living sandboxes has no more room for new ones", async () => {
  for (const id of ["room:a", "room:b", "room:c"])
    assert.equal(
      (await ask("POST /v1/sandboxes", { ...by("room"), body: { id, modules: small } })).status,
      201,
    );
  const fresh = Array.from({ length: 3 }, () => ({ modules: small }));
  const targets = [...["room:a", "room:b", "room:c"].map((id) => ({ id, modules: small })), ...fresh];
  for (const concurrency of [1, 3, 5]) {
    const body = { targets, target: "main.f", concurrency };
    const response = await ask("POST /v1/batches/call", { ...by("room"), body });
    assert.match(await response.text(), /QUOTA_EXCEEDED/);
    assert.equal(response.status, 429);
  }
});

test("an id that a batch has named and not made yet counts when somebody else makes it", async () => {
  const later = Array.from({ length: 10 }, (_, index) => `named:later${index}`);
  const first = { id: "named:first", modules, capabilities: ["hold"] };
  const targets = [first, ...later.map((id) => ({ id, modules: small }))];
  const body = { targets, target: "main.f", concurrency: 1 };
  const batch = await ask("POST /v1/batches/call", { ...by("named"), body });
  assert.equal(batch.status, 200);
  await begun.promise;
  const statuses: number[] = [];
  for (const id of later)
    statuses.push((await ask("POST /v1/sandboxes", { ...by("named"), body: { id, modules: small } })).status);
  assert.equal(await living("named"), 3);
  assert.deepEqual(
    statuses.toSorted((one, other) => one - other),
    [201, 201, ...Array.from({ length: 8 }, () => 429)],
  );
  held.resolve(1);
  await batch.text();
  assert.equal(await living("named"), 2);
});
