// What a run ends with whose target is no function.
import { unset } from "./linking/cells.ts";
import { hasModule, openView, type View } from "./modules.ts";

/** The target does not exist, or is no function: `what` is "module", or the type of what is there. */
export class Missing {
  readonly what: string;
  readonly name: string;
  constructor(what: string, name: string) {
    this.what = what;
    this.name = name;
  }
}

/** Why a target cannot be called. */
export function missing(target: View): Missing | Error {
  const { module, name } = target;
  const cell = openView(target);
  if (!cell.isSet) return unset(cell);
  if (!hasModule(module)) return new Missing("module", module);
  const { value } = cell;
  return new Missing(value === null ? "null" : typeof value, name);
}
