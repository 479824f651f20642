// The OpenAPI document of the HTTP API, made of the table of operations and their schemas, so that it cannot say anything else.
import { OpenAPIHono, z } from "@hono/zod-openapi";
import { errorCodes, type ErrorCode } from "../model/errors.ts";
import { operationList, type Operation, type OperationId } from "./operations.ts";
import { problemContentType, statusOfCode } from "./problem.ts";
import { pathParameters, schemas, type OperationSchemas } from "./schemas.ts";
import { Problem } from "./schemas/problems.ts";
import { groupOf, groups } from "./groups.ts";

type Registry = OpenAPIHono["openAPIRegistry"];
type Route = Parameters<Registry["registerPath"]>[0];
type Responses = Route["responses"];
type ErrorResponse = Readonly<{
  description: string;
  content: { [type: string]: { schema: { $ref: string } } };
}>;
type Content = Readonly<Record<string, { readonly schema: z.ZodType }>>;

export interface DocumentOptions {
  /** Where the server is. Default: where the document came from. */
  readonly serverUrl?: string;
  /** Of the package that answers. Default: that of the API. */
  readonly version?: string;
}

/** Answers that are no operation's: the statuses of requests that are none, and in which form they come. */
const refusedAs: readonly (readonly [status: number, about: string])[] = [
  [405, "The path has no such method."],
  [411, "The body must say how long it is."],
  [413, "The body is too long."],
  [415, "The body must be JSON."],
  [421, "The server does not answer for this host."],
  [431, "The headers are too long."],
];

/** The document, version 3.1, as plain data. */
export function openApiDocument({ serverUrl = "/", version = "v1" }: DocumentOptions = {}): object {
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  registry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description: "a token of the server; what it may do is its scope: read, evaluate or admin",
  });
  for (const [name, response] of errorResponses()) registry.registerComponent("responses", name, response);
  registry.register("Problem", Problem);
  for (const [id, operation] of operationList) registry.registerPath(routeOf(id, operation));
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Vivarium",
      version,
      description:
        "Sandboxes for untrusted code variants. What a guest does wrong is an outcome with `ok: false`, not an error; " +
        "errors are problem documents (RFC 9457) with stable codes. Values that JSON does not say whole (a Map, NaN, " +
        "undefined, a cycle) stand beside it as text of the codec, under `encoded`, or a name that ends so.",
      license: { name: "MIT" },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    tags: groups.map(([name, description]) => ({ name, description })),
  });
}

function routeOf(id: OperationId, operation: Operation): Route {
  const { query, body }: OperationSchemas = schemas[id];
  const { method, path, about, scope, creates = false, wholeRuntime = false } = operation;
  const params = parametersOf(path);
  const headers = headersOf(id, creates);
  return {
    method: method.toLowerCase() as Lowercase<typeof method>,
    path,
    operationId: id,
    tags: [groupOf[id]],
    summary: about,
    "x-scope": scope,
    ...(wholeRuntime ? { "x-whole-runtime": true } : {}),
    security: [{ bearer: [] }],
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined
        ? {}
        : {
            body: {
              required: !body.safeParse({}).success,
              content: { "application/json": { schema: body } },
            },
          }),
    },
    responses: { ...answersOf(id, operation), ...errorsOf(body !== undefined) },
  };
}

function parametersOf(path: string): z.ZodObject | undefined {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const shape = Object.entries(pathParameters).filter(([name]) => names.includes(name));
  return shape.length === 0 ? undefined : z.object(Object.fromEntries(shape));
}

function headersOf(id: OperationId, creates: boolean): z.ZodObject | undefined {
  if (id === "events")
    return z.object({
      "Last-Event-ID": z
        .string()
        .optional()
        .openapi({ description: "goes on behind the event of this number" }),
    });
  if (!creates) return undefined;
  return z.object({
    "Idempotency-Key": z.string().optional().openapi({
      description: "of the caller's making: the same request with the same key is carried out once",
    }),
  });
}

function answersOf(id: OperationId, operation: Operation): Responses {
  const { answer, line }: OperationSchemas = schemas[id];
  const json: Content = answer === undefined ? {} : { "application/json": { schema: answer } };
  const lines: Content =
    line === undefined
      ? {}
      : {
          ...(operation.answer === "events" ? {} : { "application/x-ndjson": { schema: line } }),
          "text/event-stream": { schema: line },
        };
  const description = descriptions[operation.answer];
  const status = operation.status ?? 200;
  if (operation.answer === "none") return { 204: { description } };
  if (operation.answer === "json") return { [status]: { description, content: json } };
  if (operation.answer !== "either" || status === 200)
    return { 200: { description, content: { ...json, ...lines } } };
  return {
    [status]: { description, content: json },
    200: { description: descriptions.lines, content: lines },
  };
}

const descriptions: Readonly<Record<Operation["answer"], string>> = {
  json: "What was asked for.",
  none: "It is done.",
  lines: "Lines: each is a JSON document of this schema, as NDJSON or as the data of a server-sent event.",
  either:
    "One document, or lines where the caller accepts those: each line is a JSON document of its schema.",
  events: "Server-sent events: the data of each is a JSON document of this schema, and its id a number.",
};

const statuses: readonly number[] = [...new Set(Object.values(statusOfCode))].filter(
  (status) => status !== 502,
);
const nameOf = (status: number): string => `Problem${status}`;

function errorsOf(hasBody: boolean): Responses {
  const ofBodies: readonly number[] = [411, 413, 415];
  const refused = refusedAs
    .map(([status]) => status)
    .filter((status) => hasBody || !ofBodies.includes(status));
  const references = [...statuses, ...refused]
    .filter((status) => status !== 405)
    .map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }] as const);
  return Object.fromEntries(references);
}

function* errorResponses(): Generator<readonly [name: string, response: ErrorResponse]> {
  const response = (description: string): ErrorResponse => ({
    description,
    content: { [problemContentType]: { schema: { $ref: "#/components/schemas/Problem" } } },
  });
  for (const status of statuses) {
    const codes = (Object.keys(statusOfCode) as ErrorCode[]).filter((code) => statusOfCode[code] === status);
    yield [nameOf(status), response(codes.map((code) => `- \`${code}\`: ${errorCodes[code]}`).join("\n"))];
  }
  for (const [status, about] of refusedAs)
    yield [nameOf(status), response(`- \`REQUEST_REFUSED\`: ${about}`)];
}
