// Every way in which a report says that a run did not end well, and code of earlier runs that stacks name.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Artifact } from "../../../../src/code/modules/artifact.ts";
import type { CellVerdict } from "../../../../src/execution/protocol/messages.ts";
import { shippedNameOf } from "../../../../src/execution/protocol/shipped-code.ts";
import { answerTags } from "../../../../src/model/runs/answer-tags.ts";
import { defaultLimits } from "../../../../src/model/limits.ts";
import { ConsoleStacks } from "../../../../src/orchestration/runs/console-stacks.ts";
import { noteShipped, shippedBefore } from "../../../../src/orchestration/runs/known-code.ts";
import { artifactsOf, outcomeOf } from "../../../../src/orchestration/runs/outcome-of.ts";
import type { ScriptTerms } from "../../../../src/orchestration/runs/script-terms.ts";
import type { RunTicket } from "../../../../src/orchestration/runs/ticket.ts";

const main = { exports: ["f"], sourceMaps: [] } as unknown as Artifact;
const sandbox = {
  placement: { tenant: null },
  limits: { ...defaultLimits, resultBytes: 1_000 },
  modules: new Map([["main", main]]),
  usage: {},
};

function errorOf(verdict: CellVerdict, answer: number | string, terms: object = {}): string {
  const ticket = {
    sandbox,
    terms: { module: "main", export: "f", timeoutMs: 1_000, cpuMs: 50, fuel: 9, ...terms },
    logs: [],
    submittedMs: 0,
  } as unknown as RunTicket; // Only what an outcome is made of.
  const times = { startedUs: 0, wallUs: 0, cpuUs: 60_000, outputBytes: 0, fuel: null, isLost: false };
  const outcome = outcomeOf(ticket, { op: 1, verdict, answer, ...times });
  return outcome.ok ? `ok ${String(outcome.value)}` : `${outcome.error.kind}: ${outcome.error.message}`;
}

for (const [verdict, answer, terms, expected] of [
  ["answered", 5, {}, /^ok 5$/],
  ["answered", answerTags.never, {}, /^timeout: .*nothing left to wait for \(deadline 1000 ms\)$/],
  ["answered", answerTags.processLimit, {}, /^process-limit: /],
  ["answered", `"${"x".repeat(2_000)}"`, {}, /^output-limit: .*resultBytes, 1000/],
  ["answered", "V[7", {}, /^unserializable: Cannot read the result/],
  ["answered", `${answerTags.missing}["number","f"]`, {}, /it must be a function: it is a number$/],
  ["answered", `${answerTags.missing}["constructor","f"]`, {}, /Cannot find function "f".*exports f$/],
  ["answered", `${answerTags.missing}["module","m"]`, { module: "m" }, /Cannot find module "m".*has main$/],
  ["answered", `${answerTags.thrown}["ReferenceError","x",""]`, { shipped: main }, /travels as source/],
  ["cpu", "", {}, /^cpu: Cannot finish within cpuMs, 50: it used 60$/],
  ["cpu", "", { cpuMs: null }, /^cpu: Cannot finish as another run/],
  ["cpu-share", "", {}, /^cpu: .*cpuPercent/],
  ["fuel", "", {}, /^fuel: .*granted, 9$/],
  ["memory", "", {}, /^memory: /],
  ["output", "", {}, /^output-limit: .*outputBytes/],
  ["timeout", "", {}, /^timeout: /],
  ["cancelled", "", {}, /^cancelled: /],
] as const)
  test(`outcomeOf() of ${verdict} with ${String(answer).slice(0, 20)} and ${JSON.stringify(terms).slice(0, 30)} says which kind it is`, () => {
    assert.match(errorOf(verdict, answer, terms), expected);
  });

test("code of earlier runs is found by the name that stacks give it, as far as it is kept", () => {
  const of = (checksum: string, length = 1): Artifact =>
    ({ checksum, sourceMaps: ["x".repeat(length)] }) as unknown as Artifact; // Only what is kept of it.
  const [one, other, large] = [of("1"), of("2"), of("3", 200_000)];
  const owner = { modules: new Map([["main", main]]) };
  const mapsOf = (code: Artifact, script?: ScriptTerms): unknown =>
    shippedBefore(owner, shippedNameOf(code, script))?.sourceMaps;
  assert.equal(mapsOf(one), undefined);
  noteShipped(owner, {});
  noteShipped(owner, { shipped: one });
  noteShipped(owner, { shipped: other });
  assert.deepEqual([mapsOf(one), mapsOf(other)], [one.sourceMaps, other.sourceMaps]);
  const find = (name: string): Artifact | undefined => (name === "script-1" ? one : undefined);
  const kept: ScriptTerms = { name: "script-1", isKept: true, waits: false, find };
  const script: ScriptTerms = { ...kept, name: "script", isKept: false };
  noteShipped(owner, { shipped: one, script: kept });
  noteShipped(owner, { shipped: other, script });
  assert.equal(mapsOf(one, kept), one.sourceMaps);
  assert.equal(mapsOf(other, script), other.sourceMaps);
  noteShipped(owner, { shipped: large });
  noteShipped(owner, { shipped: of("4", 200_000) });
  assert.deepEqual([mapsOf(large), mapsOf(one)], [undefined, undefined]);
  assert.equal(artifactsOf(owner)("main"), main);
  assert.equal(artifactsOf(owner, { shipped: large })(shippedNameOf(large)), large);
});

test("console lines are mapped where they have frames of the guest's, and are not too long", () => {
  const stacks = new ConsoleStacks({ modules: new Map([["main", main]]) }, undefined);
  assert.equal(stacks.map("no frames"), "no frames");
  assert.equal(stacks.map("a word: vivarium:"), "a word: vivarium:");
  const line = "E: x\n    at f (vivarium:other:1:2)";
  assert.equal(stacks.map(line), line);
  const long = `${line}${"x".repeat(20_000)}`;
  assert.equal(stacks.map(long), long);
});
