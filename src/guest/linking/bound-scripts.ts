// Scripts that import something and whose functions may still be called: what they import stays current, also after a reload.
import { append, at } from "../../model/wire/intrinsics.ts";
import { unbind, type ModuleRecord } from "./records.ts";

/** Oldest first. */
export const boundScripts: ModuleRecord[] = [];
const scriptsMax = 1_000;

/** From here on the script is bound anew with the modules. Of too many the oldest keeps what it has. */
export function keepBound(record: ModuleRecord): void {
  append(boundScripts, record);
  if (boundScripts.length <= scriptsMax) return;
  unbind(at(boundScripts, 0));
  for (let i = 1; i < boundScripts.length; i++) boundScripts[i - 1] = at(boundScripts, i);
  boundScripts.length = scriptsMax;
}
