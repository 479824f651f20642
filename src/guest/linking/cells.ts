// Exported variables: each is a cell, and an import is a slot of the importing module's, which is set when the cell changes.
import { at, make } from "../../model/wire/intrinsics.ts";

export type Setter = (value: unknown) => void;

/** An exported variable. */
export interface Cell {
  value: unknown;
  /** Whether it has a value yet. */
  isSet: boolean;
  readonly name: string;
  /** Of the imports that are bound to it. */
  readonly setters: Setter[];
}

export function makeCell(name: string): Cell {
  return { value: undefined, isSet: false, name, setters: [] };
}

/** What a read of a variable throws that has no value yet. */
export function unset({ name }: Cell): Error {
  return new make.ReferenceError(`Cannot access '${name}' before initialization`);
}

/** Gives an exported variable a value, here and in every module that imports it. */
export function publishCell(cell: Cell, value: unknown): void {
  cell.value = value;
  cell.isSet = true;
  const { setters } = cell;
  for (let i = 0; i < setters.length; i++) at(setters, i)(value);
}

/** From here on the import is not set any more. */
export function removeSetter({ setters }: Cell, setter: Setter): void {
  let kept = 0;
  for (let i = 0; i < setters.length; i++) {
    if (at(setters, i) !== setter) setters[kept++] = at(setters, i);
  }
  setters.length = kept;
}
