// A hostile program: its code, how it is started, and how it may end.
import type { FailureKind, GuestModules } from "../../../src/index.ts";

/** `ok`, or how it failed. */
export type End = "ok" | FailureKind;

export interface Hostile {
  readonly id: string;
  /** Sources by module name; `main.bomb` is called, unless `target` is given. */
  readonly modules: Readonly<Record<string, string>>;
  readonly target?: `${string}.${string}`;
  /** Shipped by run() instead of a call. */
  readonly run?: (modules: GuestModules) => unknown;
  readonly expect: readonly End[];
  readonly timeoutMs?: number;
  /** How often it is called; the last end counts. */
  readonly times?: number;
  /** A value that must have crossed unchanged, for programs that end well. */
  readonly value?: unknown;
  /** How `main.calm` of the same sandbox answers afterwards. Default: `ok` with its value. */
  readonly calm?: readonly End[];
}

/** What each sandbox is asked after its program. */
export const calmValue = "calm";
const calm = `export const calm = () => "${calmValue}";`;

type More = Omit<Partial<Hostile>, "id" | "expect">;

/** A program that does its work when `bomb` is called. */
// oxlint-disable-next-line max-params -- a row of a table
export function called(id: string, expect: readonly End[], body: string, more: More = {}): Hostile {
  return { id, expect, modules: { main: `${calm}\nexport function bomb() {\n${body}\n}` }, ...more };
}

/** A program that does its work while it is loaded. */
// oxlint-disable-next-line max-params -- a row of a table
export function loaded(id: string, expect: readonly End[], source: string, more: More = {}): Hostile {
  return { id, expect, modules: { main: `${calm}\nexport const bomb = () => 1;\n${source}` }, ...more };
}

/** A whole module of its own. */
// oxlint-disable-next-line max-params -- a row of a table
export function whole(id: string, expect: readonly End[], source: string, more: More = {}): Hostile {
  return { id, expect, modules: { main: `${calm}\n${source}` }, ...more };
}

/** A program that breaks its own sandbox, which may then be refused or stay broken. */
export const any: readonly End[] = [
  "ok",
  "timeout",
  "crashed",
  "memory",
  "not-running",
  "unserializable",
  "output-limit",
];
