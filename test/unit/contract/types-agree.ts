// Statements about the contract: the schemas of each operation say what its types say, and each has just those that its types
// name. A reader compares nothing by eye; the compiler does.
import type { z } from "@hono/zod-openapi";
import type { Bodies } from "../../../src/contract/bodies.ts";
import type { OperationId } from "../../../src/contract/operations.ts";
import type { schemas } from "../../../src/contract/schemas.ts";
import type { Expect } from "../../types/expect.ts";

declare const absent: unique symbol;
/** Stands where a property may be left out. */
type Absent = typeof absent;

/** A type without `readonly`, whose properties that may be left out are there and say so: a missing one is then a difference. */
type Plain<T> = unknown extends T
  ? "anything"
  : T extends readonly unknown[]
    ? { -readonly [K in keyof T]: Plain<T[K]> }
    : T extends object
      ? {
          [K in keyof T]-?: {} extends Pick<T, K> ? Plain<Exclude<T[K], undefined>> | Absent : Plain<T[K]>;
        }
      : T;

type Same<A, B> = [Plain<A>] extends [Plain<B>] ? ([Plain<B>] extends [Plain<A>] ? true : false) : false;

type Schemas = typeof schemas;
type Given<
  Id extends OperationId,
  Part extends string,
  Way extends "input" | "output",
> = Part extends keyof Schemas[Id]
  ? Schemas[Id][Part] extends infer S extends z.ZodType
    ? Way extends "input"
      ? z.input<S>
      : z.output<S>
    : never
  : never;
type Typed<Id extends OperationId, Part extends string> = Part extends keyof Bodies[Id]
  ? Bodies[Id][Part]
  : never;

/** The operations whose part differs between schemas and types. */
type Differing<Part extends string, Way extends "input" | "output"> = {
  [Id in OperationId]: Same<Given<Id, Part, Way>, Typed<Id, Part>> extends true ? never : Id;
}[OperationId];

export type None = readonly [
  Expect<Same<Differing<"body", "output">, never>>,
  Expect<Same<Differing<"body", "input">, never>>,
  // What a query takes is text; what is read from it is what its types say.
  Expect<Same<Differing<"query", "output">, never>>,
  Expect<Same<Differing<"answer", "output">, never>>,
  Expect<Same<Differing<"answer", "input">, never>>,
  Expect<Same<Differing<"line", "output">, never>>,
  Expect<Same<Differing<"line", "input">, never>>,
];

/** The operations that have schemas where their types have nothing, or the other way round. */
type Parts<T> = { [Id in keyof T]: keyof T[Id] };
export type AsNamed = Expect<Same<Parts<Schemas>, Parts<Bodies>>>;

// The comparison itself sees what it must see.
export type Comparison = readonly [
  Expect<Same<{ readonly a?: number }, { a?: number | undefined }>>,
  Expect<Same<Same<{ a?: number }, {}>, false>>,
  Expect<Same<Same<{ a?: number }, { a: number }>, false>>,
  Expect<Same<Same<{ a: "x" | "y" }, { a: "x" }>, false>>,
  Expect<Same<Same<{ a: unknown }, { a: string }>, false>>,
];
