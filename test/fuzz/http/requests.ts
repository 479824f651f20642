// Requests made by the table of operations: as the contract wants them, with one thing wrong, or with no sense at all.
import type { z } from "@hono/zod-openapi";
import {
  operations,
  operationList,
  type Operation,
  type OperationId,
} from "../../../src/contract/operations.ts";
import { schemas, type OperationSchemas } from "../../../src/contract/schemas.ts";
import type { Dice } from "../dice.ts";
import { tokens } from "../../support/listening.ts";
import { brokenIn } from "./breaks.ts";
import { valueBy, type Known } from "./shapes.ts";
import { oddSegments, oddTexts, someId, type Who } from "./words.ts";

/** When the connection is closed on the way: amid the request, before the answer, at its head, or after so many parts of it. */
export type Cut = "upload" | "sent" | "head" | number;

/** One request, as plain data, so that it can be shown, sent again and made shorter. */
export interface Plan {
  readonly kind: "valid" | "nearly" | "malformed";
  readonly who: Who;
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or what becomes JSON. */
  readonly body?: { readonly text: string } | { readonly json: unknown };
  readonly cut?: Cut;
  /** Without a socket: by the server's `fetch`. */
  readonly direct: boolean;
}

// What makes something to work on is asked for more often.
const weights: Partial<Record<OperationId, number>> = {
  createSandbox: 8,
  forkSandbox: 3,
  call: 5,
  run: 3,
  once: 2,
  openStream: 4,
  nextParts: 3,
  openSession: 2,
  runScript: 3,
  reload: 3,
  destroySandbox: 2,
  ask: 2,
};
const weighted = operationList.flatMap(([id]) => Array.from({ length: weights[id] ?? 1 }, () => id));

const accepts = [
  "application/json",
  "*/*",
  "application/x-ndjson",
  "text/event-stream",
  "application/x-ndjson;q=0.1, application/json",
  "TEXT/EVENT-STREAM; charset=utf-8",
  "text/html",
  "",
  ",;,",
  "x/y".repeat(500),
];

/** The next request of a caller. */
export function planBy(dice: Dice, known: Known, id: OperationId = dice.pick(weighted)): Plan {
  const roll = dice.below(100);
  const valid = validBy(dice, known, id);
  if (roll < 60) return valid;
  return ended(roll < 85 ? nearlyBy(dice, valid, id) : malformedBy(dice, valid));
}

// Events have no end, also where a mistake in the method made it a request for them.
function ended(plan: Plan): Plan {
  const isOpen = plan.method === "GET" && plan.path.includes("events") && plan.cut === undefined;
  return isOpen ? { ...plan, cut: "head" } : plan;
}

function validBy(dice: Dice, known: Known, id: OperationId): Plan {
  const operation: Operation = operations[id];
  const { query, body }: OperationSchemas = schemas[id];
  const { who } = known;
  const headers: Record<string, string> = authorization(who);
  if (dice.chance(operation.answer === "either" ? 0.5 : 0.15)) headers["accept"] = dice.pick(accepts);
  if (operation.creates === true && dice.chance(0.3)) headers["idempotency-key"] = dice.pick(known.keys);
  if (id === "events" && dice.chance(0.5))
    headers["last-event-id"] = dice.pick(["0", "1", "40", "100000", "9007199254740991"]);
  if (body !== undefined) headers["content-type"] = "application/json";
  return {
    kind: "valid",
    who,
    method: operation.method,
    path: pathBy(dice, known, operation.path),
    query: query === undefined ? [] : textsOf(valueBy(query, "", { dice, known })),
    headers,
    ...(body === undefined ? {} : { body: { json: bodyBy(body, dice, known) } }),
    ...cutBy(dice, operation),
    direct: dice.chance(0.3),
  };
}

// What the schema itself refuses, as two fields exclude each other, is made anew a few times.
function bodyBy(schema: z.ZodType, dice: Dice, known: Known): unknown {
  let made: unknown;
  for (let tries = 0; tries < 4; tries++) {
    made = valueBy(schema, "", { dice, known });
    if (schema.safeParse(made).success) break;
  }
  return made;
}

export function authorization(who: Who): Record<string, string> {
  if (who === "nobody") return {};
  const token = who === "stranger" ? "stranger-0123456789abcdef" : tokens[who].token;
  return { authorization: `Bearer ${token}` };
}

function pathBy(dice: Dice, { who, given }: Known, path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "id") return someId(dice, who);
    const stored = given[name] ?? [];
    return stored.length > 0 && dice.chance(0.9) ? String(dice.pick(stored)) : "none";
  });
}

function textsOf(query: unknown): (readonly [string, string])[] {
  return Object.entries(query as Record<string, unknown>).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)] as const),
  );
}

function cutBy(dice: Dice, { answer }: Operation): { readonly cut?: Cut } {
  // Events have no end.
  if (answer === "events") return { cut: dice.pick(["sent", "head", 1, 2, 3] as const) };
  if (!dice.chance(answer === "json" || answer === "none" ? 0.04 : 0.2)) return {};
  return { cut: dice.pick(["upload", "sent", "head", 1, 2] as const) };
}

function nearlyBy(dice: Dice, plan: Plan, id: OperationId): Plan {
  const nearly = { ...plan, kind: "nearly" } as const;
  const { body, path } = plan;
  if (body !== undefined && "json" in body && dice.chance(0.75))
    return { ...nearly, body: { json: brokenIn(body.json, dice) } };
  if (schemas[id] !== undefined && dice.chance(0.5)) return { ...nearly, query: oddQuery(dice, plan.query) };
  const segments = path.split("/");
  const at = segments.length > 3 ? 3 : 2;
  segments[at] = dice.pick(oddSegments);
  return { ...nearly, path: segments.join("/"), direct: false };
}

function oddQuery(dice: Dice, query: Plan["query"]): Plan["query"] {
  const names = ["limit", "after", "deadlineMs", "module", "version", "sandboxId", "name", "kind", "id"];
  const name =
    query.length > 0 && dice.chance(0.6) ? dice.pick(query)[0] : dice.pick([...names, ...oddTexts]);
  const value = dice.pick([...oddTexts, "1", "-1", "1e9", "99999999999999999999", "1,2", " 1"]);
  const odd = [name, value] as const;
  if (dice.chance(0.5)) return [...query, odd];
  const others = query.filter(([each]) => each !== name);
  return dice.chance(0.5) ? [...others, odd] : others;
}

const oddHeaders: readonly (readonly [name: string, values: readonly string[]])[] = [
  ["content-type", ["text/plain", "application/json; charset=utf-16", "application/x-www-form-urlencoded"]],
  ["content-type", ["application/JSON", "application/problem+json", "multipart/form-data", "x", ""]],
  ["content-encoding", ["gzip", "identity", "br"]],
  [
    "authorization",
    ["Bearer", "Bearer ", "bearer x", "Basic YTpi", "Bearer a b", `Bearer ${"x".repeat(5_000)}`],
  ],
  ["last-event-id", ["-1", "1.5", "NaN", "1e3", "9".repeat(30), "x", "0x1", " ", "\u00e9"]],
  ["idempotency-key", ["", " ", "k".repeat(256), "\u00e9", "a b", "k1", "__proto__"]],
  ["accept", accepts],
  ["origin", ["https://evil.example", "null", "x"]],
  ["host", ["evil.example", "", "127.0.0.1:1", "[::1]"]],
  ["expect", ["100-continue", "x"]],
  ["x-http-method-override", ["DELETE"]],
  ["range", ["bytes=0-1"]],
  ["if-none-match", ["*"]],
  ["upgrade", ["websocket"]],
  ["transfer-encoding", ["chunked"]],
  ["sec-fetch-site", ["cross-site"]],
];

const malformedTexts = [
  "",
  "{",
  "[]",
  "1",
  "null",
  '"text"',
  '{"a":1}x',
  '{"id":"a","id":"b"}',
  "{'a':1}",
  '{"a":NaN}',
  '{"a":1e999}',
  '{"a":"\\ud800"}',
  '{"a":"\\u0000"}',
  '{"__proto__":{"id":"x"}}',
  '\ufeff{"id":"x"}',
  "[".repeat(20_000),
  `${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`,
  `{"a":"${"x".repeat(70_000)}"}`,
  `{${Array.from({ length: 3_000 }, (_, index) => `"k${index}":1`).join()}}`,
  "\u0000",
];

function malformedBy(dice: Dice, plan: Plan): Plan {
  const odd = { ...plan, kind: "malformed" } as const;
  switch (dice.below(4)) {
    case 0: {
      const headers = { ...plan.headers, "content-type": "application/json" };
      return { ...odd, headers, body: { text: dice.pick(malformedTexts) } };
    }
    case 1: {
      const method = dice.pick([
        "GET",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "HEAD",
        "OPTIONS",
        "QUERY",
        "PURGE",
      ]);
      return { ...odd, method, direct: false };
    }
    case 2: {
      const [name, values] = dice.pick(oddHeaders);
      return { ...odd, headers: { ...plan.headers, [name]: dice.pick(values) }, direct: false };
    }
    default: {
      const paths = [`${plan.path}/`, `/${plan.path}`, plan.path.toUpperCase(), `${plan.path}/more`, "/v1"];
      const others = [
        "/",
        "/openapi.json",
        "/mcp",
        "/metrics",
        "/healthz",
        "/readyz",
        "/v1/sandboxes/a/none",
      ];
      return { ...odd, path: dice.pick([...paths, ...others]), direct: false };
    }
  }
}
