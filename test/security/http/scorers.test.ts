// The scorer of a batch is code of whoever asks for the batch: it is placed and bounded as the caller's own sandboxes are.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { hear } from "../../support/listening.ts";
import { startRuntime } from "../../support/runtimes.ts";

const held = Promise.withResolvers<number>();
after(() => held.resolve(1));
const runtime = await startRuntime({ capabilities: { hold: () => held.promise } });
const token = "token-of-red-0123456789";
const tokens = [
  { token, scope: "evaluate" as const, tenant: "red" },
  { token: `${token}-strict`, scope: "evaluate" as const, tenant: "red", profiles: ["high"] },
];
const { ask } = await hear({}, { access: { tokens } }, runtime);
const by = (suffix = "") => ({ headers: { authorization: `Bearer ${token}${suffix}` } });

const quick = { modules: { main: "export const f = () => 1;" } };
const slow = {
  modules: { main: 'import { hold } from "vivarium/capabilities"; export const f = () => hold();' },
  capabilities: ["hold"],
};
const scorer = { modules: { score: "export const sum = () => 1;" }, call: "score.sum" };
const questions = [{ call: "main.f" }];
const asStage = (fitness: object) => ({ stages: [{ name: "one", fitness }] });

for (const [name, form] of [
  ["a scorer", (fitness: object) => fitness],
  ["a scorer of a stage", asStage],
] as const)
  test(`${name} shares no cell with sandboxes of others`, async () => {
    const end = new AbortController();
    const body = { targets: [quick, slow], fitness: form({ questions, scorer }) };
    const answer = await ask("POST /v1/batches/evaluate", { ...by(), body, signal: end.signal });
    assert.equal(answer.status, 200);
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.includes('"result"')) break;
    }
    assert.match(text, /"score":1/);
    const used = (await runtime.metrics()).cells.filter(({ sandboxes }) => sandboxes > 0);
    assert.deepEqual(
      used.map(({ owner }) => owner),
      used.map(() => "tenant red"),
    );
    assert.ok(used.length > 0);
    end.abort();
  });

test("a scorer has no tenant and no profile that its caller's token does not allow", async () => {
  for (const [suffix, own] of [
    ["", { placement: { tenant: "blue" } }],
    ["-strict", { profile: "low" }],
  ] as const)
    for (const form of [(fitness: object) => fitness, asStage]) {
      const fitness = form({ questions, scorer: { ...scorer, ...own } });
      const body = { targets: [quick], fitness };
      const answer = await ask("POST /v1/batches/evaluate", { ...by(suffix), body });
      assert.match(await answer.text(), /FORBIDDEN/);
      assert.equal(answer.status, 403);
    }
});
