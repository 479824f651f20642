// The states of servers as data: checked against their schema, and brought from one version to another along the
// migrations that there are.
import { create, hasOwn, isArray, keys, make, mapGet, mapHas, mapSet } from "../../model/wire/intrinsics.ts";
import type { AnyServerDefinition } from "./definitions.ts";
import { Chain } from "./mailbox.ts";
import type { Field, Migration, Schema } from "./types.ts";

type Step = (state: never) => unknown;

/** The state with its defaults filled in; throws with all that is wrong with it. */
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

/** The state in the form that the new definition wants. */
export function migrateState(
  state: unknown,
  change: {
    readonly before: AnyServerDefinition | undefined;
    readonly after: AnyServerDefinition;
    readonly from: number;
    readonly to: number;
  },
): unknown {
  const { before, after, from, to } = change;
  const [versionBefore, versionAfter] = [before?.schema?.version, after.schema?.version];
  if (versionBefore !== undefined && versionAfter !== undefined && versionBefore !== versionAfter) {
    const path = findPath(versionBefore, versionAfter, [before?.migrations, after.migrations]);
    if (path === undefined) {
      if (after.codeChange === undefined)
        throw new TypeError(
          `Cannot migrate the state as there is no way from schema ${versionBefore} to ${versionAfter}`,
        );
      return after.codeChange(state, from, to);
    }
    let migrated = state;
    path.each((step) => {
      migrated = step(migrated as never);
    });
    return migrated;
  }
  return after.codeChange === undefined ? state : after.codeChange(state, from, to);
}

// Breadth first over versions: the shortest way, forwards by `up` and backwards by `down`.
function findPath(
  from: number,
  to: number,
  lists: readonly (readonly Migration[] | undefined)[],
): Chain<Step> | undefined {
  const reached = new make.Map<number, { readonly step: Step; readonly from: number } | undefined>();
  mapSet(reached, from, undefined);
  const line = new Chain<number>();
  line.push(from);
  for (let at = line.shift(); at !== undefined; at = line.shift()) {
    if (at === to) return pathTo(to, from, reached);
    const here = at;
    eachEdge(lists, (edge) => {
      if (edge.from !== here || mapHas(reached, edge.to)) return;
      mapSet(reached, edge.to, { step: edge.step, from: here });
      line.push(edge.to);
    });
  }
  return undefined;
}

function eachEdge(
  lists: readonly (readonly Migration[] | undefined)[],
  visit: (edge: { readonly from: number; readonly to: number; readonly step: Step }) => void,
): void {
  for (let i = 0; i < lists.length; i++) {
    const list = lists[i] ?? [];
    for (let k = 0; k < list.length; k++) {
      const { from, to, up, down } = list[k] as Migration;
      visit({ from, to, step: up });
      if (down !== undefined) visit({ from: to, to: from, step: down });
    }
  }
}

function pathTo(to: number, from: number, reached: unknown): Chain<Step> {
  const backwards = new Chain<Step>();
  for (let at = to; at !== from;) {
    const arrival = mapGet(reached, at) as { readonly step: Step; readonly from: number };
    backwards.push(arrival.step);
    at = arrival.from;
  }
  const path = new Chain<Step>();
  backwards.eachBackwards((step) => path.push(step));
  return path;
}

function fill(
  state: Record<string, unknown>,
  schema: Schema<Record<string, unknown>>,
): Record<string, unknown> {
  const filled = create(null) as Record<string, unknown>;
  const names = keys(state);
  for (let i = 0; i < names.length; i++) filled[names[i] as string] = state[names[i] as string];
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
      if (field.isOptional !== true) add(`${name} is missing`);
    } else if (!isOfType(value, field.type)) add(`${name} must be ${field.type}`);
    else {
      const verdict = field.check?.(value) ?? true;
      if (verdict !== true)
        add(typeof verdict === "string" ? `${name}: ${verdict}` : `${name} is not admitted`);
    }
  });
  return text;
}

function eachField(
  schema: Schema<Record<string, unknown>>,
  visit: (name: string, field: Field<unknown>) => void,
): void {
  const names = keys(schema.fields);
  const fields = schema.fields as Record<string, Field<unknown>>;
  for (let i = 0; i < names.length; i++) {
    visit(names[i] as string, fields[names[i] as string] as Field<unknown>);
  }
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
