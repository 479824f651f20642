// Reads what a request brings by the schemas of its operation, and says what is wrong with it as Vivarium says it everywhere.
// Validation is cheap for whatever comes: lists and objects are counted before their items are looked at, it ends at the first
// mistake of a list, and data that belongs to guests (arguments, mutations, documents) is not walked through at all.
import type { z } from "@hono/zod-openapi";
import type { Bodies } from "./bodies.ts";
import type { OperationId } from "./operations.ts";
import { pathParameters, schemas, type OperationSchemas } from "./schemas.ts";
import { refusalOf, ruleOf } from "./schemas/refusal.ts";

export type BodyOf<Id extends OperationId> = Bodies[Id] extends { readonly body: infer B } ? B : undefined;
export type QueryOf<Id extends OperationId> = Bodies[Id] extends { readonly query: infer Q } ? Q : undefined;

// `abortEarly` is of zod's own `validate`: without it a long list of mistakes is reported whole.
const context: z.core.ParseContext<z.core.$ZodIssue> & { readonly abortEarly: true } = {
  error: ruleOf,
  abortEarly: true,
};

/** The body of a request, parsed from JSON; undefined where there was none. Throws `INVALID_OPTIONS`, `_LIMITS` or `_ID`. */
export function readBody<Id extends OperationId>(id: Id, given: unknown): BodyOf<Id> {
  const { body }: OperationSchemas = schemas[id];
  // What the schema gives has the type of the operation's body, as `test/unit/contract/types-agree.ts` proves.
  return (
    body === undefined ? undefined : read(body, given === undefined ? {} : given, "body")
  ) as BodyOf<Id>;
}

/** The query of a request. One that the operation does not know is refused, as is one that is repeated and may not be. */
export function readQuery<Id extends OperationId>(id: Id, given: URLSearchParams): QueryOf<Id> {
  const { query }: OperationSchemas = schemas[id];
  if (query === undefined && given.size === 0) return {} as QueryOf<Id>;
  const texts = Object.fromEntries(
    Array.from(new Set(given.keys()), (name) => {
      const values = given.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
  // As above.
  return read(query ?? nothing, texts, "query") as QueryOf<Id>;
}

const nothing = schemas.getUsage.query.omit({ deadlineMs: true });

/** What stands in a path in the place of a parameter. */
export function readPathParameter(name: keyof typeof pathParameters, given: unknown): string {
  return read(pathParameters[name], given, name) as string;
}

function read(schema: z.ZodType, given: unknown, place: string): unknown {
  const result = schema.safeParse(given, context);
  if (result.success) return result.data;
  throw refusalOf(result.error.issues, given, place);
}
