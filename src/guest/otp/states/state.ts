// The states of servers as data: checked against their schema and migrated between its versions.
import {
  append,
  create,
  each,
  hasOwn,
  isArray,
  keys,
  make,
  mapGet,
  mapHas,
  mapSet,
} from "../../../model/wire/intrinsics.ts";
import type { AnyServerDefinition } from "../definitions.ts";
import { Chain } from "../chain.ts";
import type { Field, Migration, Schema } from "../types.ts";

/** The state with its defaults filled in; throws with everything that is wrong with it. */
export function admitState(definition: AnyServerDefinition, state: unknown): unknown {
  const { schema } = definition;
  if (schema === undefined) return state;
  if (typeof state !== "object" || state === null)
    throw new TypeError("Cannot take the state as its schema wants an object");
  const filled = fill(state as Record<string, unknown>, schema as Schema<Record<string, unknown>>);
  const wrong = problems(filled, schema as Schema<Record<string, unknown>>);
  if (wrong !== "") throw new TypeError(`Cannot take the state as its schema does not admit it: ${wrong}`);
  return filled;
}

/** A server's definition before and after a reload, with the versions of its module. */
export interface Change {
  readonly before: AnyServerDefinition | undefined;
  readonly after: AnyServerDefinition;
  readonly from: number;
  readonly to: number;
}

/** How a state is migrated: unchanged, along migrations, by `codeChange`, or by the host. */
export interface Way {
  readonly way: "kept" | "migrations" | "codeChange" | "host" | "none";
  /** The versions of the schema that it passes; empty without migrations. */
  readonly versions: readonly number[];
}

/** How a state would be migrated. */
export function wayOf(change: Change, isByHost: boolean): Way {
  if (isByHost) return { way: "host", versions: [] };
  const { after } = change;
  const [from, to] = schemasOf(change);
  if (from === undefined || to === undefined || from === to)
    return { way: after.codeChange === undefined ? "kept" : "codeChange", versions: [] };
  const path = findPath(from, to, listsOf(change));
  if (path === undefined)
    return { way: after.codeChange === undefined ? "none" : "codeChange", versions: [] };
  const versions = [from];
  path.each((edge) => append(versions, edge.to));
  return { way: "migrations", versions };
}

/** Migrates a state to the new definition. */
export async function migrateState(state: unknown, change: Change): Promise<unknown> {
  const { after, from, to } = change;
  const { way } = wayOf(change, false);
  const [versionBefore = 0, versionAfter = 0] = schemasOf(change);
  if (way === "none") throw new TypeError(`there is no way from schema ${versionBefore} to ${versionAfter}`);
  if (way === "kept") return state;
  if (way === "codeChange") return after.codeChange?.(state, from, to);
  let migrated = state;
  const path = findPath(versionBefore, versionAfter, listsOf(change)) as Chain<Edge>;
  for (let edge = path.shift(); edge !== undefined; edge = path.shift())
    migrated = await edge.migrate(migrated);
  return migrated;
}

function schemasOf({ before, after }: Change): [number | undefined, number | undefined] {
  return [before?.schema?.version, after.schema?.version];
}

// The new code has the migrations upwards, the old code those back down.
function listsOf({ before, after }: Change): readonly (readonly Migration[] | undefined)[] {
  return [after.migrations, before?.migrations];
}

interface Edge {
  readonly from: number;
  readonly to: number;
  migrate(state: unknown): unknown;
}

// Breadth first over versions: the shortest path, forwards by `up` and backwards by `down`.
function findPath(
  from: number,
  to: number,
  lists: readonly (readonly Migration[] | undefined)[],
): Chain<Edge> | undefined {
  const reached = new make.Map<number, Edge | undefined>();
  mapSet(reached, from, undefined);
  const line = new Chain<number>();
  line.push(from);
  for (let at = line.shift(); at !== undefined; at = line.shift()) {
    if (at === to) return pathTo(to, from, reached);
    const here = at;
    eachEdge(lists, (edge) => {
      if (edge.from !== here || mapHas(reached, edge.to)) return;
      mapSet(reached, edge.to, edge);
      line.push(edge.to);
    });
  }
  return undefined;
}

function eachEdge(lists: readonly (readonly Migration[] | undefined)[], visit: (edge: Edge) => void): void {
  for (let i = 0; i < lists.length; i++) {
    each(lists[i] ?? [], ({ from, to, up, down }) => {
      visit({ from, to, migrate: up });
      if (down !== undefined) visit({ from: to, to: from, migrate: down });
    });
  }
}

function pathTo(to: number, from: number, reached: unknown): Chain<Edge> {
  const backwards = new Chain<Edge>();
  for (let at = to; at !== from;) {
    const arrival = mapGet(reached, at) as Edge;
    backwards.push(arrival);
    at = arrival.from;
  }
  const path = new Chain<Edge>();
  backwards.eachBackwards((edge) => path.push(edge));
  return path;
}

function fill(
  state: Record<string, unknown>,
  schema: Schema<Record<string, unknown>>,
): Record<string, unknown> {
  const filled = create(null) as Record<string, unknown>;
  each(keys(state), (name) => {
    filled[name] = state[name];
  });
  eachField(schema, (name, field) => {
    if (filled[name] === undefined && hasOwn(field, "default")) filled[name] = field.default;
  });
  return { ...filled };
}

function problems(state: Record<string, unknown>, schema: Schema<Record<string, unknown>>): string {
  let text = "";
  const add = (problem: string): void => {
    text += text === "" ? problem : `; ${problem}`;
  };
  eachField(schema, (name, field) => {
    const value = state[name];
    if (value === undefined) {
      if (field.optional !== true) add(`${name} is missing`);
    } else if (!isOfType(value, field.type)) add(`${name} must be ${field.type}`);
    else {
      const result = field.check?.(value) ?? true;
      if (result !== true) add(typeof result === "string" ? `${name}: ${result}` : `${name} is not admitted`);
    }
  });
  return text;
}

function eachField(
  schema: Schema<Record<string, unknown>>,
  visit: (name: string, field: Field<unknown>) => void,
): void {
  const { fields } = schema;
  each(keys(fields), (name) => {
    const field = fields[name];
    if (field !== undefined) visit(name, field);
  });
}

function isOfType(value: unknown, type: Field<unknown>["type"]): boolean {
  switch (type) {
    case "any":
      return true;
    case "array":
      return isArray(value);
    case "map":
      return value instanceof make.Map;
    case "set":
      return value instanceof make.Set;
    case "object":
      return typeof value === "object" && value !== null && !isArray(value);
    default:
      return typeof value === type;
  }
}
