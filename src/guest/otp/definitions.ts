// Servers and supervisors as their modules define them. A definition is found by its key at each use, so that a reload
// changes what a running process does next, and a reload that is undone restores the old definitions.
import {
  apply,
  at,
  freeze,
  isArray,
  keys,
  make,
  mapEach,
  mapGet,
  mapSet,
  setAdd,
  setHas,
} from "../../model/wire/intrinsics.ts";
import type { ProcessHost } from "./core.ts";
import type { Migration, Server, ServerDefinition, Supervisor, SupervisorDefinition } from "./types.ts";

export type AnyServerDefinition = ServerDefinition<unknown, unknown, unknown, unknown, unknown>;

interface Entry<D> {
  readonly module: string;
  readonly definition: D;
}

const { includes: arrayIncludes, join: arrayJoin } = Array.prototype;
const fieldNames = ["type", "default", "optional", "check"];
const fieldTypes = ["string", "number", "boolean", "bigint", "array", "object", "map", "set", "any"];
const supervisorNames = ["name", "strategy", "restartsMax", "windowMs", "children"];

let servers = new Map<string, Entry<AnyServerDefinition>>();
let supervisors = new Map<string, Entry<SupervisorDefinition>>();
let before: { readonly servers: typeof servers; readonly supervisors: typeof supervisors } | undefined;
// Keys defined since the last load or reload began: a key may be defined once in each.
let fresh = new Set<string>();
// Counts the changes of what keys mean.
let changes = 0;
let host: ProcessHost;

export function connectDefinitions(given: ProcessHost): void {
  host = given;
}

export function server(definition: AnyServerDefinition): Server {
  if (typeof definition?.init !== "function")
    throw new TypeError("Cannot define a server as it must have an init function");
  checkForm(definition);
  const key = keyOf(definition.name, "server");
  changes++;
  mapSet(servers, key, { module: host.moduleBeingEvaluated(), definition });
  return freeze({ kind: "server", key });
}

export function supervisor(definition: SupervisorDefinition): Supervisor {
  if (typeof definition !== "object" || definition === null || !("children" in definition)) {
    throw new TypeError("Cannot define a supervisor as it must have children");
  }
  checkNames("Cannot define a supervisor", definition, supervisorNames);
  const { restartsMax = 0, windowMs = 1 } = definition;
  if (!isCount(restartsMax) || !isCount(windowMs))
    throw new TypeError(
      "Cannot define a supervisor as restartsMax and windowMs must be whole numbers from 0",
    );
  const key = keyOf(definition.name, "supervisor");
  mapSet(supervisors, key, { module: host.moduleBeingEvaluated(), definition });
  return freeze({ kind: "supervisor", key });
}

/** A number that changes whenever the definition of a server may be another. */
export function definitionsNumber(): number {
  return changes;
}

export function serverOf(key: string): AnyServerDefinition {
  return found(mapGet(servers, key) as Entry<AnyServerDefinition> | undefined, key).definition;
}

export function moduleOfServer(key: string): string | undefined {
  return (mapGet(servers, key) as Entry<AnyServerDefinition> | undefined)?.module;
}

export function supervisorOf(key: string): SupervisorDefinition {
  return found(mapGet(supervisors, key) as Entry<SupervisorDefinition> | undefined, key).definition;
}

/** The definition of a server before the reload that is under way. */
export function serverBefore(key: string): AnyServerDefinition | undefined {
  return (mapGet(before?.servers ?? servers, key) as Entry<AnyServerDefinition> | undefined)?.definition;
}

/** Whether a definition was made since the load or reload that is under way began. */
export function isFresh(key: string): boolean {
  return setHas(fresh, key);
}

export function beginDefinitions(): void {
  before = { servers: copy(servers), supervisors: copy(supervisors) };
  fresh = new make.Set();
}

export function settleDefinitions(isCommitted: boolean): void {
  changes++;
  if (before !== undefined && !isCommitted) ({ servers, supervisors } = before);
  before = undefined;
  fresh = new make.Set();
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value % 1 === 0;
}

/** Refuses an option that does not exist: ignored, it would look as if it were respected. */
export function checkNames(what: string, given: object, names: readonly string[]): void {
  const own = keys(given);
  for (let i = 0; i < own.length; i++)
    if (!apply(arrayIncludes, names, [own[i]])) {
      const known = apply(arrayJoin, names, [", "]);
      throw new TypeError(`${what} as its options must be among ${known}: got "${own[i]}"`);
    }
}

// Checked here, as a mistake would otherwise show only when a state is migrated.
function checkForm({ schema, migrations = [] }: AnyServerDefinition): void {
  const isFormed =
    schema === undefined ||
    (typeof schema?.version === "number" && typeof schema.fields === "object" && schema.fields !== null);
  if (!isFormed)
    throw new TypeError("Cannot define a server as its schema must be { version: number, fields: object }");
  const fieldsByName = (schema?.fields ?? {}) as Readonly<Record<string, { readonly type?: unknown }>>;
  const names = keys(fieldsByName);
  for (let i = 0; i < names.length; i++) {
    const what = `Cannot define a server: field "${at(names, i)}" cannot be used`;
    const field = { ...fieldsByName[at(names, i)] };
    checkNames(what, field, fieldNames);
    const { type } = field;
    if (!apply(arrayIncludes, fieldTypes, [type])) {
      const got = typeof type === "string" ? `"${type}"` : typeof type;
      throw new TypeError(
        `${what} as its type must be one of ${apply(arrayJoin, fieldTypes, [", "])}: got ${got}`,
      );
    }
  }
  if (!isArray(migrations)) throw new TypeError("Cannot define a server as its migrations must be a list");
  for (let i = 0; i < migrations.length; i++) {
    const { from, to, up, down } = (migrations[i] ?? {}) as Partial<Migration>;
    const isMigration = typeof from === "number" && typeof to === "number" && typeof up === "function";
    if (!isMigration || (down !== undefined && typeof down !== "function"))
      throw new TypeError(
        `Cannot define a server as each migration must be { from: number, to: number, up: function, down?: function }: number ${i + 1} is not`,
      );
  }
}

function keyOf(name: unknown, usual: string): string {
  const key = `${host.moduleBeingEvaluated()}#${typeof name === "string" && name !== "" ? name : usual}`;
  if (setHas(fresh, key)) throw new RangeError(`Cannot define ${key} twice: give each a name of its own`);
  setAdd(fresh, key);
  return key;
}

function copy<D>(from: Map<string, D>): Map<string, D> {
  const copied = new make.Map<string, D>();
  mapEach(from, (value, key) => void mapSet(copied, key, value));
  return copied;
}

function found<E>(entry: E | undefined, key: string): E {
  if (entry === undefined)
    throw new ReferenceError(`Cannot find the definition ${key}: its module no longer has it`);
  return entry;
}
