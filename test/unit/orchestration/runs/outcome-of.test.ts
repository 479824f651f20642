// What a cell reports of a failure is cut to its bounds on this side too, as a cell may be taken over by its guest.
import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOf, readAhead } from "../../../../src/orchestration/runs/outcome-of.ts";
import type { RunTicket } from "../../../../src/orchestration/runs/ticket.ts";
import { answerTags } from "../../../../src/model/runs/answer-tags.ts";
import { thrownMax, thrownMoreMax } from "../../../../src/model/runs/thrown-bounds.ts";
import { defaultLimits } from "../../../../src/model/limits.ts";
import type { GuestFailure } from "../../../../src/index.ts";

const sandbox = {
  placement: { tenant: null },
  limits: defaultLimits,
  modules: new Map(),
  usage: {},
};
const terms = { module: "main", export: "f", timeoutMs: 1_000 };
// Only what an outcome is made of.
const ticketOf = (of: object): RunTicket =>
  ({ sandbox: of, terms, logs: [], submittedMs: 0 }) as unknown as RunTicket;

function failureOf(answer: string, of: object = sandbox): GuestFailure {
  const times = { startedUs: 0, wallUs: 0, cpuUs: 0, outputBytes: 0, fuel: null, isLost: false };
  const outcome = outcomeOf(ticketOf(of), { op: 1, verdict: "answered", answer, ...times });
  assert.ok(!outcome.ok);
  return outcome.error;
}

const long = "x".repeat(20_000);
/** What is said around a text of the guest's. */
const ownWords = 200;

test("outcomeOf() cuts the texts of every failure", () => {
  const lists: readonly (readonly [tag: string, parts: readonly string[]])[] = [
    [answerTags.thrown, [long, long, long]],
    ...["noproc", "overflow", "processes", "cut", "crashed", "ended", long].map(
      (reason) => [answerTags.unanswered, [reason, long, long, long, long]] as const,
    ),
    [answerTags.denied, [long, long]],
    [answerTags.refused, [long, long, long]],
    [answerTags.missing, [long, long]],
  ];
  for (const [tag, parts] of lists) {
    const { message, thrown } = failureOf(tag + JSON.stringify(parts));
    assert.ok(message.length <= thrownMax.message + thrownMax.name + ownWords, `${tag}: ${message.length}`);
    assert.ok((thrown?.name.length ?? 0) <= thrownMax.name, tag);
    assert.ok((thrown?.message.length ?? 0) <= thrownMax.message, tag);
    assert.ok((thrown?.stack.length ?? 0) <= thrownMax.stack, tag);
  }
});

test("outcomeOf() keeps a failure whose texts are as long as they may be, in letters that JSON writes longest", () => {
  const texts = Object.values(thrownMax).map((length) => "\u0001".repeat(length));
  const [name, message, stack] = texts;
  assert.deepEqual(failureOf(answerTags.thrown + JSON.stringify(texts)).thrown, { name, message, stack });
});

test("outcomeOf() takes no more of causes, errors and properties than an honest cell tells", () => {
  const chain = (depth: number): unknown[] => [
    "E",
    "m",
    "s",
    [[], depth === 0 ? null : chain(depth - 1), []],
  ];
  const more = [
    [...Array.from({ length: 30 }, (_, n) => [`k${n}`, `${n}`]), 5, ["only a name"]],
    chain(20),
    Array.from({ length: 30 }, () => ["E", long.slice(0, 3_000), 7]),
  ];
  const { thrown } = failureOf(answerTags.thrown + JSON.stringify(["E", "m", "s", more]));
  assert.equal(Object.keys(thrown?.properties ?? {}).length, thrownMoreMax.properties);
  assert.equal(thrown?.errors?.length, thrownMoreMax.errors);
  assert.deepEqual(thrown?.errors?.[0], { name: "E", message: long.slice(0, thrownMax.message), stack: "" });
  let depth = 0;
  for (let at = thrown; at?.cause !== undefined; at = at.cause) depth++;
  assert.equal(depth, thrownMoreMax.depth);
});

test("outcomeOf() drops properties that are malformed, tables, or too long", () => {
  const deep = "[".repeat(300) + "]".repeat(300);
  const properties = [
    ["a", "1"],
    ["broken", "{"],
    ["table", "V[-1]"],
    ["long", JSON.stringify(long)],
    ["deep", deep],
    [long, "1"],
    [5, "1"],
    ["number", 5],
    ["__proto__", '{"polluted":true}'],
  ];
  const { thrown } = failureOf(answerTags.thrown + JSON.stringify(["E", "m", "s", [properties, 5, {}]]));
  assert.deepEqual(Object.entries(thrown?.properties ?? {}), [
    ["a", 1],
    ["__proto__", { polluted: true }],
  ]);
  assert.equal(Reflect.get(thrown?.properties ?? {}, "polluted"), undefined);
});

test("outcomeOf() does not parse an answer that is longer than any failure can be", () => {
  const failure = failureOf(answerTags.thrown + JSON.stringify(Array(300_000).fill("")));
  assert.deepEqual(failure.thrown, { name: "Error", message: "", stack: "" });
});

test("outcomeOf() lists the exports of a module in a message of bounded length", () => {
  const exports = Array.from({ length: 30 }, (_, n) => `e${n}${long}`);
  const known = { ...sandbox, modules: new Map([["main", { exports }]]) };
  const { message } = failureOf(`${answerTags.missing}[]`, known);
  assert.match(message, /^Cannot find function "f" in module "main": it exports e0x/);
  assert.ok(message.length <= 20 * (thrownMax.name + 2) + ownWords, `${message.length} characters`);
});

test("readAhead() enters nothing in the ticket of a run that began again while its value was read", async () => {
  const items = Array.from({ length: 200_000 }, (_, n) => `["d",${n}]`).join(",");
  const answer = `V[0,["a",${Array.from({ length: 200_000 }, (_, n) => n + 1).join(",")}],${items}]`;
  const done = { startedUs: 0, wallUs: 0, cpuUs: 0, outputBytes: 0, fuel: null, isLost: false };
  const read = async (opAfterwards: number): Promise<RunTicket> => {
    const ticket = ticketOf(sandbox);
    ticket.op = 1;
    const reading = readAhead(ticket, { op: 1, verdict: "answered", answer, ...done });
    assert.ok(reading instanceof Promise);
    ticket.op = opAfterwards;
    await reading;
    return ticket;
  };
  assert.ok((await read(1)).read !== undefined, "its own value is entered");
  assert.ok((await read(2)).read === undefined, "the value of the earlier attempt was entered");
});
