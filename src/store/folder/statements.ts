// Prepared statements by name.
import type { DatabaseSync, StatementSync } from "node:sqlite";

export type Statements<Name extends string> = Readonly<Record<Name, StatementSync>>;

export function prepareAll<Name extends string>(
  database: DatabaseSync,
  texts: Readonly<Record<Name, string>>,
): Statements<Name> {
  const prepared = Object.entries<string>(texts).map(
    ([name, text]) => [name, database.prepare(text)] as const,
  );
  return Object.fromEntries(prepared) as Statements<Name>;
}
