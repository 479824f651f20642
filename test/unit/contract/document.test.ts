// The OpenAPI document: valid for a validator that is not ours, with every operation of the table and no other, examples that the
// schemas accept, and the bounds that the options of the library have.
import { Validator } from "@seriousme/openapi-schema-validator";
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import * as batchOptions from "../../../src/api/options/batch-options.ts";
import { cancelTable } from "../../../src/api/options/cancellation.ts";
import { evaluationTable } from "../../../src/api/options/fitness-options.ts";
import { openApiDocument } from "../../../src/contract/document.ts";
import { operationList, operations } from "../../../src/contract/operations.ts";
import { statusOfCode } from "../../../src/contract/problem.ts";
import { readBody } from "../../../src/contract/reading.ts";
import { eventNames } from "../../../src/index.ts";
import { errorCodes } from "../../../src/model/errors.ts";
import { limitTable, limitNames } from "../../../src/model/limits.ts";
import { failureKinds } from "../../../src/model/runs/outcome.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example?: unknown;
}
interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { $ref?: string } }>>;
  };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
  readonly [name: `x-${string}`]: unknown;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, { readonly description: string }>>;
  };
  readonly servers: readonly { readonly url: string }[];
}

// It is plain data, whose form the validator checks.
const document = openApiDocument({ serverUrl: "https://example.test" }) as unknown as Document;
const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
const schema = (name: string): Schema => document.components.schemas[name] ?? assert.fail(`no ${name}`);

suite("openApiDocument()", () => {
  test("is OpenAPI 3.1 for a validator that is not ours", async () => {
    const validator = new Validator();
    const data = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
    assert.deepEqual(await validator.validate(data), { valid: true });
    assert.equal(validator.version, "3.1");
    assert.deepEqual(document.servers, [{ url: "https://example.test" }]);
  });

  test("refers to nothing that is not there", () => {
    const all = document.components as unknown as Record<string, Record<string, unknown>>;
    for (const [, kind = "", name = ""] of JSON.stringify(document).matchAll(
      /"#\/components\/(\w+)\/([^"]+)"/g,
    ))
      assert.ok(all[kind]?.[name] !== undefined, `${kind}/${name}`);
  });

  test("has each operation of the table once, and no other", () => {
    const written = documented.map(
      ({ path, method, operation }) => `${operation.operationId} ${method} ${path}`,
    );
    const meant = operationList.map(([id, { method, path }]) => `${id} ${method} ${path}`);
    assert.deepEqual(written.toSorted(), meant.toSorted());
  });

  test("says scope, parameters, statuses and forms of each operation as the table does", () => {
    for (const { operation } of documented) {
      const { operationId: id, responses, parameters = [] } = operation;
      const row = operationList.find(([name]) => name === id)?.[1] ?? assert.fail(id);
      assert.equal(operation["x-scope"], row.scope);
      assert.equal(operation["x-whole-runtime"] === true, row.wholeRuntime === true, id);
      const inPath = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
      assert.deepEqual(
        inPath,
        Array.from(row.path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
      );
      const headers = parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
      const wanted = id === "events" ? ["Last-Event-ID"] : row.creates === true ? ["Idempotency-Key"] : [];
      assert.deepEqual(headers, wanted, id);
      const lines = ["application/x-ndjson", "text/event-stream"];
      const status = row.status ?? 200;
      const forms = (code: number): string[] => Object.keys(responses[code]?.content ?? {});
      if (row.answer === "none") assert.deepEqual(Object.keys(responses).slice(0, 1), ["204"], id);
      if (row.answer === "json") assert.deepEqual(forms(status), ["application/json"], id);
      if (row.answer === "lines") assert.deepEqual(forms(200), lines, id);
      if (row.answer === "events") assert.deepEqual(forms(200), ["text/event-stream"], id);
      if (row.answer === "either")
        assert.deepEqual([...new Set([...forms(status), ...forms(200)])], ["application/json", ...lines], id);
      assert.equal(operation.requestBody !== undefined, ["POST", "PUT", "PATCH"].includes(row.method), id);
    }
  });

  test("says every error code, with the sentence of the code and under its status", () => {
    for (const [code, sentence] of Object.entries(errorCodes)) {
      // This one only clients make.
      if (code === "CONNECTION_FAILED") continue;
      const { description } =
        document.components.responses[`Problem${statusOfCode[code as keyof typeof errorCodes]}`] ??
        assert.fail(code);
      assert.ok(description.includes(`\`${code}\`: ${sentence}`), code);
    }
  });

  test("takes limits, kinds, codes and events from their tables", () => {
    const { properties = {} } = schema("LimitsGiven");
    assert.deepEqual(Object.keys(properties), limitNames);
    for (const name of limitNames) {
      const { minimum, maximum } = properties[name] ?? assert.fail(name);
      assert.deepEqual([minimum, maximum], [limitTable[name].min, limitTable[name].max], name);
    }
    assert.deepEqual(schema("GuestFailure").properties?.["kind"]?.enum, Object.keys(failureKinds));
    assert.deepEqual(schema("Problem").properties?.["code"]?.enum, Object.keys(errorCodes));
    assert.deepEqual(schema("EventName").enum, eventNames);
  });

  test("has examples that its own schemas accept", () => {
    const examples = [
      ["createSandbox", "Spec"],
      ["call", "Call"],
      ["once", "Once"],
      ["reload", "Reload"],
      ["batchEvaluate", "BatchEvaluate"],
    ] as const;
    for (const [id, name] of examples) {
      const reference = `#/components/schemas/${name}`;
      const written = documented.find(({ operation }) => operation.operationId === id)?.operation;
      assert.equal(written?.requestBody?.content["application/json"]?.schema.$ref, reference);
      const { example } = schema(name);
      assert.deepEqual(readBody(id, example), example);
    }
    assert.equal(Object.keys(operations).length, documented.length);
  });

  test("has the bounds of the library's own options", () => {
    const own = (table: object, name: string): unknown[] => {
      const { min, max } =
        (table as Record<string, { readonly min?: number; readonly max?: number }>)[name] ?? {};
      return [min, max];
    };
    const bounds = (of: string, name: string): unknown[] => {
      const { minimum, maximum } = schema(of).properties?.[name] ?? assert.fail(`${of}.${name}`);
      return [minimum, maximum];
    };
    const { fields } = batchOptions.evaluateOptions;
    for (const name of ["concurrency", "deadlineMs"])
      assert.deepEqual(bounds("BatchCall", name), own(fields, name));
    for (const name of ["itemDeadlineMs", "repeats"])
      assert.deepEqual(bounds("BatchEvaluate", name), own(evaluationTable, name));
    for (const name of ["Spec", "Deadline", "Reload"])
      assert.deepEqual(bounds(name, "deadlineMs"), own(cancelTable, "deadlineMs"));
  });
});
