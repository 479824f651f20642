// Module namespace objects: sealed, without a prototype, their names sorted. They are made on demand. A reload after which a
// module exports the same names leaves it its object; otherwise there is a new one, and the old one shows the old module.
import {
  append,
  at,
  defineProperty,
  preventExtensions,
  setPrototypeOf,
  toStringTag,
} from "../../model/wire/intrinsics.ts";
import { unset, type Cell } from "./cells.ts";

export type Namespace = Record<PropertyKey, unknown>;

/** The cell that a property shows now. */
interface Property {
  cell: Cell;
}

export interface Space {
  readonly object: Namespace;
  readonly names: readonly string[];
  readonly properties: readonly Property[];
}

/** What a namespace shows: sorted names, and the cell of each. */
export interface Exports {
  readonly names: readonly string[];
  readonly cells: readonly Cell[];
}

export function makeSpace({ names, cells }: Exports): Space {
  const object: Namespace = {};
  const properties: Property[] = [];
  for (let i = 0; i < names.length; i++) {
    const property = { cell: at(cells, i) };
    append(properties, property);
    const get = getterOf(property);
    defineProperty(object, at(names, i), { __proto__: null, get, enumerable: true } as PropertyDescriptor);
  }
  defineProperty(object, toStringTag, { __proto__: null, value: "Module" } as PropertyDescriptor);
  setPrototypeOf(object, null);
  preventExtensions(object);
  // An object with accessors is a slow dictionary where another one had the same names; what is a prototype never is one.
  setPrototypeOf({}, object);
  return { object, names, properties };
}

/** The getter of a property. All of them have the same source. */
export function getterOf(property: Property): () => unknown {
  return () => {
    const { cell } = property;
    if (!cell.isSet) throw unset(cell);
    return cell.value;
  };
}

/** Makes an object show other cells; false where it has other names. */
export function retarget(space: Space, { names, cells }: Exports): boolean {
  if (space.names.length !== names.length) return false;
  for (let i = 0; i < names.length; i++) if (space.names[i] !== names[i]) return false;
  for (let i = 0; i < names.length; i++) at(space.properties, i).cell = at(cells, i);
  return true;
}
