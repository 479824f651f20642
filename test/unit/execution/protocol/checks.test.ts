// A message is one of the protocol's or it is nothing: every field that is missing or of another form is noticed.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { asCommand, asReport } from "../../../../src/execution/protocol/checks.ts";
import type { BoxLimits, Command, Report, RunGroup } from "../../../../src/execution/protocol/messages.ts";
import { answered } from "../../../support/answered.ts";

const limits: BoxLimits = {
  memoryBytes: 1,
  stepMs: 1,
  cpuPercent: null,
  resultBytes: 1,
  outputBytes: 0,
  fuel: null,
  processes: 1,
  messageQueue: 1,
  loadMs: 1,
};
const group: RunGroup = {
  op: 1,
  lane: "sync",
  module: "main",
  export: "f",
  timeoutMs: 5,
  cpuMs: null,
  fuel: null,
  keys: [1, 2],
  args: ["[1]", [1, "a", null]],
};

const series = { list: 1, from: 0, count: 2, isStrict: false } as const;

const commands: readonly Command[] = [
  { t: "start", asyncLanes: 2, sliceMs: 25, warm: 0, warmMemoryBytes: 1 },
  {
    t: "load",
    op: 1,
    key: 1,
    lane: "slice",
    isProven: true,
    isDense: false,
    budgetMs: 5,
    limits,
    character: { deterministic: null },
    features: [],
    processes: null,
    isHeld: false,
    usedMs: 3,
    modules: [["main", "code"]],
  },
  {
    t: "load",
    op: 1,
    key: 1,
    lane: "async",
    isProven: false,
    isDense: true,
    budgetMs: 5,
    limits: { ...limits, cpuPercent: 50 },
    character: { deterministic: { seed: 1, now: 2 } },
    features: ["dynamicCode", "webAssembly"],
    processes: { supervisor: "main", capture: "", isCheckpointed: false },
    isHeld: true,
    usedMs: 0,
    modules: [],
  },
  { t: "run", groups: [group, { ...group, lane: "async", cpuMs: 5, code: "()=>1" }] },
  { t: "run", groups: [] },
  { t: "run", groups: [{ ...group, tell: "ask", fuel: 5 }] },
  { t: "run", groups: [{ ...group, stream: { id: 1, verb: "next" } }] },
  { t: "run", groups: [{ ...group, args: [[]], isShared: true, series }] },
  { t: "keep", list: 1, targets: [["main", "f"]], cases: ["[0,[1]]"] },
  { t: "release", lists: [1] },
  {
    t: "reload",
    lane: "sync",
    op: 1,
    key: 1,
    budgetMs: 5,
    modules: [["main", "code"]],
    removed: ["b"],
    versions: "{}",
    states: "",
  },
  { t: "settle", op: 1, key: 1, isCommitted: true },
  { t: "manage", op: 1, key: 1, budgetMs: 5, verb: "describe", first: "", second: "" },
  { t: "hold", key: 1, isHeld: true },
  { t: "answer", key: 1, id: 1, code: "", text: "1" },
  { t: "drop", keys: [1] },
  { t: "limits", key: 1, limits },
  { t: "cancel", key: 1, op: 2 },
  { t: "sample", op: 1, key: 2 },
];

const item = answered(1, { answer: "1" });

const reports: readonly Report[] = [
  { t: "ready", node: "v26", slate: "mapped", tether: "signal", layers: [] },
  { t: "ready", node: "v24", slate: "written", tether: "thread", layers: ["user"] },
  {
    t: "done",
    quick: [1, "a", 1, 1, 1, 2, 5, 1, 1, 1],
    items: [item, { ...item, answer: 5, verdict: "memory", isLost: true }, { ...item, before: [1, "a"] }],
    heaps: [
      {
        key: 1,
        heapBytes: 1,
        heapPeakBytes: 1,
        externalBytes: 0,
        processes: 0,
        processesMax: 0,
        queueMax: 0,
        isolate: 1,
        sandboxes: 1,
      },
    ],
    states: [{ key: 1, capture: "{}", begun: [1] }],
  },
  { t: "done", quick: [], items: [], heaps: [], states: [] },
  { t: "pending", op: 1, startedUs: 5 },
  { t: "waiting", op: 1 },
  {
    t: "log",
    key: 1,
    op: 0,
    lines: [
      [0, "a"],
      [4, ""],
    ],
  },
  { t: "process", key: 1, kind: "started", detail: "{}" },
  { t: "request", key: 1, op: 0, id: 1, name: "fetch", args: "[]" },
  { t: "background", key: 1, verdict: "timeout", isLost: true },
  { t: "poisoned", why: "out of memory" },
];

type Path = readonly (string | number)[];

/** Every place in a message, from the top to its leaves. */
function* pathsOf(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    yield here;
    yield* pathsOf(part, here);
  }
}

function at(message: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, key) => (part as Record<string | number, unknown>)[key], message);
}

function changed(message: unknown, path: Path, value: unknown): unknown {
  const copy = structuredClone(message);
  const parent = at(copy, path.slice(0, -1)) as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  if (value === undefined && !Array.isArray(parent)) delete parent[last];
  else parent[last] = value;
  return copy;
}

const oddities: readonly unknown[] = [
  undefined,
  null,
  true,
  {},
  "odd",
  -1,
  0.5,
  Number.NaN,
  Infinity,
  [{}],
  { t: 1 },
];

// What a field may also be: each place where another value is no mistake.
const fine: readonly ((path: string, value: unknown) => boolean)[] = [
  (path, value) =>
    /(?:cpuMs|cpuPercent|deterministic|fuel|processes|supervisor)$/.test(path) && value === null,
  (path, value) => /(?:code|tell|stream|series|isShared|before)$/.test(path) && value === undefined,
  (path, value) => /(?:cases,0|targets,0,\d|before,\d)$/.test(path) && typeof value === "string",
  (path, value) => /before,\d$/.test(path) && (value === -1 || value === 0.5),
  (path, value) =>
    /(?:node|why|module|export|code|answer|supervisor|capture|versions|states|removed,0|^verb|first|second|kind|detail)$/.test(
      path,
    ) && typeof value === "string",
  (path, value) => /^(?:name|args|text)$/.test(path) && typeof value === "string",
  (path, value) => /modules,0,\d$|lines,\d,1$|quick,[16]$/.test(path) && typeof value === "string",
  (path, value) => /groups,\d,args,\d$/.test(path) && typeof value === "string",
  (path, value) => /groups,\d,args,1,\d$/.test(path) && (typeof value !== "object" || value === null),
  (path, value) => /(?:Ms|Us|Bytes|cpuPercent|quick,[234789])$/.test(path) && value === 0.5,
  (path, value) =>
    /(?:isLost|isCheckpointed|isCommitted|isHeld|isProven|isDense|isStrict)$/.test(path) && value === true,
  (path, value) => /(?:answer|quick,[16])$/.test(path) && (value === -1 || value === 0.5),
  (path, value) => /seed$|now$/.test(path) && value === 0.5,
];

function oddMessages(messages: readonly (Command | Report)[]): Map<string, unknown> {
  const odd = new Map<string, unknown>();
  for (const [index, message] of messages.entries())
    for (const path of pathsOf(message))
      for (const value of oddities) {
        const where = path.join(",");
        if (Object.is(at(message, path), value) || fine.some((isFine) => isFine(where, value))) continue;
        odd.set(
          `${message.t} ${index}: ${where} is ${JSON.stringify(value) ?? "missing"}`,
          changed(message, path, value),
        );
      }
  return odd;
}

const suites: readonly (readonly [string, readonly (Command | Report)[], (message: unknown) => unknown])[] = [
  ["asCommand", commands, asCommand],
  ["asReport", reports, asReport],
];

for (const [name, messages, check] of suites) {
  suite(name, () => {
    for (const message of messages)
      test(`${name}() admits ${JSON.stringify(message).slice(0, 80)}`, () =>
        assert.equal(check(message), message));

    test(`${name}() admits no message with one field that is missing or of another form`, () => {
      const odd = oddMessages(messages);
      assert.ok(odd.size > 200, `${odd.size} odd messages`);
      for (const [what, message] of odd) assert.equal(check(message), undefined, what);
    });

    test(`${name}() admits nothing that is no message`, () => {
      for (const value of [undefined, null, 5, "done", [], [messages[0]], {}, { t: 5 }, { t: "unknown" }])
        assert.equal(check(value), undefined);
    });

    test(`${name}() admits no kind that is named like a property of every object`, () => {
      for (const t of ["toString", "constructor", "__proto__", "hasOwnProperty", [messages[0]?.t]])
        assert.equal(check({ ...messages[0], t }), undefined, String(t));
    });
  });
}

test("asCommand() admits no group with another number of arguments than of sandboxes", () => {
  for (const args of [[], ["[]"], ["[]", "[]", "[]"]])
    assert.equal(asCommand({ t: "run", groups: [{ ...group, args }] }), undefined);
});

test("asCommand() admits a group with one list of arguments only where it says that they are for all", () => {
  const shared = { ...group, args: ["[]"], isShared: true };
  assert.ok(asCommand({ t: "run", groups: [shared] }));
  for (const args of [[], ["[]", "[]"]])
    assert.equal(asCommand({ t: "run", groups: [{ ...shared, args }] }), undefined);
});

test("asCommand() admits no series without cases, nor one with too many", () => {
  for (const count of [0, 257])
    assert.equal(asCommand({ t: "run", groups: [{ ...group, series: { ...series, count } }] }), undefined);
});

test("asCommand() admits no run with more than three arguments that are not encoded", () => {
  assert.equal(asCommand({ t: "run", groups: [{ ...group, keys: [1], args: [[1, 2, 3, 4]] }] }), undefined);
});

test("asReport() admits no list of quick completions whose length is no multiple of five", () => {
  for (const quick of [[1], [1, "a", 1, 1], [1, "a", 1, 1, 1, 2]])
    assert.equal(asReport({ t: "done", quick, items: [], heaps: [] }), undefined);
});

test("asReport() admits no console line of an unknown level", () => {
  for (const level of [5, -1, 1.5, "1"])
    assert.equal(asReport({ t: "log", key: 1, op: 1, lines: [[level, "a"]] }), undefined);
});
