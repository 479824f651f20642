// What every answer must be: no mistake of ours, of the form that the contract says, and without a word that its reader must
// not have.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import type { z } from "@hono/zod-openapi";
import {
  operations,
  operationList,
  type Operation,
  type OperationId,
} from "../../../src/contract/operations.ts";
import { problemContentType, statusOfCode } from "../../../src/contract/problem.ts";
import { schemas, type OperationSchemas } from "../../../src/contract/schemas.ts";
import { Problem } from "../../../src/contract/schemas/problems.ts";
import { tokens } from "../../support/listening.ts";
import type { Plan } from "./requests.ts";
import { bodyOf, type Answered } from "./sending.ts";
import { secretOf, tenantOf } from "./words.ts";

/** What a machine may lack while it is asked for much; all else of 5xx is a fault. */
const scarce = new Set<string>(["CAPACITY_EXCEEDED"]);
/** What a request that is no operation is refused with. */
const refusedWith = new Set([400, 403, 404, 405, 411, 413, 414, 415, 417, 421, 431]);

const routes = operationList.map(
  ([id, { method, path }]) => [id, method, new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`)] as const,
);

/** The operation that a request is; undefined where it is none. */
export function operationOf({ method, path }: Plan): OperationId | undefined {
  return routes.find(([, own, form]) => own === method && form.test(path))?.[0];
}

/** Fails where an answer is not what the contract says. */
export function judge(plan: Plan, answer: Answered): void {
  assertTellsNothing(plan, answer.text);
  if (answer.status >= 400) return judgeProblem(answer);
  const id = operationOf(plan);
  if (id === undefined) return judgeOther(plan, answer);
  const operation = operationList.find(([each]) => each === id)?.[1] as Operation;
  assertAllowed(plan, operation);
  const { body }: OperationSchemas = schemas[id];
  const text = bodyOf(plan);
  if (body !== undefined && text !== undefined && text !== "")
    // A byte order mark may be ignored.
    assert.ok(
      body.safeParse(JSON.parse(text.replace(/^\ufeff/, ""))).success,
      "what the schema refuses was done",
    );
  judgeSuccess(id, operation, answer);
}

/** Fails where the same request with the same key was carried out twice: those who got an answer got the same. */
export function judgeTwins(plan: Plan, answers: readonly Answered[]): void {
  const { headers, cut } = plan;
  const operation: Operation = operations[operationOf(plan) ?? "about"];
  if (operation.creates !== true || headers["idempotency-key"] === undefined || cut !== undefined) return;
  const done = answers.filter(({ status }) => status < 300).map(({ text }) => text);
  assert.ok(new Set(done).size <= 1, "one key has one answer");
}

function judgeProblem({ status, headers, text, isCut }: Answered): void {
  if (isCut && text === "") return;
  // An answer to HEAD has no body.
  if (text === "" && (status === 405 || status === 400)) return;
  assert.equal(headers["content-type"], problemContentType, "a problem has its content type");
  const problem = conforms(Problem, JSON.parse(text), "the problem") as z.infer<typeof Problem>;
  const { code } = problem;
  assert.equal(problem.status, status, "the problem has the status of the answer");
  assert.ok(status < 500 || scarce.has(code), `a fault of the server: ${status} ${code}`);
  if (code === "REQUEST_REFUSED") assert.ok(refusedWith.has(status), `refused with ${status}`);
  else assert.equal(status, statusOfCode[code], `the status of ${code}`);
  assert.equal(problem.type, `urn:vivarium:${code}`);
  assert.match(problem.detail, /^[A-Z][^\n]+/, "the problem says what is wrong");
}

// What is answered beside the operations: documents of the system, and what browsers ask first.
function judgeOther({ method, path }: Plan, { status }: Answered): void {
  const isKnown =
    /^\/(?:openapi\.json|metrics|healthz|readyz|assets\/.+)?$/.test(path) || method === "OPTIONS";
  assert.ok(isKnown, `no operation, and answered with ${status}`);
}

function assertAllowed({ who, headers }: Plan, { scope, wholeRuntime }: Operation): void {
  if (headers["authorization"] !== undefined && who in tokens && who !== "expired") {
    const own: { readonly scope: string; readonly tenant?: string } = tokens[who as keyof typeof tokens];
    if (own.scope === "read") assert.equal(scope, "read", "a reader did what only others may");
    if (own.scope === "evaluate") assert.notEqual(scope, "admin", "an evaluator did what only admins may");
    if (wholeRuntime === true) assert.equal(own.tenant, undefined, "a tenant was told of the whole runtime");
  } else assert.fail(`${who} was let in`);
}

function judgeSuccess(id: OperationId, operation: Operation, answer: Answered): void {
  const { status, headers, text, isCut } = answer;
  const { answer: document, line }: OperationSchemas = schemas[id];
  const type = headers["content-type"] ?? "";
  if (type === "application/x-ndjson" || type === "text/event-stream") {
    assert.ok(line !== undefined, "there are no lines of this operation");
    assert.equal(status, 200);
    const lines = type === "text/event-stream" ? dataOf(text, isCut) : linesOf(text, isCut);
    const read = lines.map((each) => conforms(line, each, "a line") as { readonly type?: string });
    if (operation.answer === "lines" && !isCut) judgeBatch(read);
    return;
  }
  if (operation.answer === "none") {
    assert.equal(status, 204);
    assert.equal(text, "");
    return;
  }
  assert.equal(status, operation.status ?? 200);
  assert.equal(type, "application/json");
  assert.ok(document !== undefined, "there is no document of this operation");
  if (!isCut) conforms(document, JSON.parse(text), "the answer");
}

function linesOf(text: string, isCut: boolean): unknown[] {
  const lines = text.split("\n");
  const rest = lines.pop();
  assert.ok(isCut || rest === "", "the last line ends");
  return lines.map((each) => JSON.parse(each) as unknown);
}

// The data of server-sent events; frames with a name of their own are about the stream itself.
function dataOf(text: string, isCut: boolean): unknown[] {
  const frames = text.split("\n\n");
  const rest = frames.pop();
  assert.ok(isCut || rest === "", "the last frame ends");
  return frames
    .filter((frame) => !frame.startsWith(":") && !/^event: /m.test(frame))
    .map((frame) => {
      const data = frame.split("\n").filter((each) => !each.startsWith("id: "));
      assert.equal(data.length, 1, "one line of data");
      return JSON.parse(String(data[0]).replace(/^data: /, "")) as unknown;
    });
}

interface BatchLine {
  readonly type?: string;
  readonly size?: number;
  readonly done?: number;
  readonly result?: { readonly index: number };
}

function judgeBatch(lines: readonly BatchLine[]): void {
  const [first] = lines;
  const last = lines.at(-1);
  if (last?.type === "error") return;
  assert.equal(first?.type, "begin", "a batch begins");
  assert.equal(last?.type, "end", "a batch ends");
  const seen = lines.flatMap(({ result }) => (result === undefined ? [] : [result.index]));
  assert.equal(new Set(seen).size, seen.length, "each item has one result");
  assert.equal(seen.length, first.size, "every item has a result");
}

/** Fails where a value does not match its schema, or has what that does not know. */
function conforms(schema: z.ZodType, value: unknown, what: string): unknown {
  const read = schema.safeParse(value);
  if (!read.success)
    assert.fail(`${what} is not of its form: ${JSON.stringify(read.error.issues).slice(0, 1_000)}`);
  const extra = extraIn(value, read.data, "");
  assert.equal(extra, undefined, `${what} has a field that the contract does not know: ${extra}`);
  return read.data;
}

function extraIn(given: unknown, read: unknown, place: string): string | undefined {
  if (typeof given !== "object" || given === null || given === read) return undefined;
  for (const [name, value] of Object.entries(given)) {
    const at = `${place}.${name}`;
    if (!Object.hasOwn(read as object, name)) return name === "__proto__" ? undefined : at;
    const found = extraIn(value, (read as Record<string, unknown>)[name], at);
    if (found !== undefined) return found;
  }
  return undefined;
}

const places = [process.cwd(), tmpdir(), "node_modules", "node:internal", "file://", "/src/", "/dist/"];

function assertTellsNothing({ who }: Plan, text: string): void {
  for (const { token } of Object.values(tokens)) assert.ok(!text.includes(token), "a token is in the answer");
  for (const place of places) assert.ok(!text.includes(place), `a place of ours is in the answer: ${place}`);
  // What an admin of all put into a tenant's sandbox, its tenant may read.
  const other = ({ red: "blue", blue: "red", "": undefined } as const)[tenantOf(who)];
  if (other !== undefined)
    assert.ok(!text.includes(secretOf(other)), `what is ${other}'s is in the answer to ${who}`);
}
