// The names that users give: which are valid, and why another one is not.
import { InvalidIdError, InvalidOptionsError } from "./errors.ts";
import { show } from "./show.ts";

declare const brand: unique symbol;

/** The valid name of one sandbox: 1–128 of `[A-Za-z0-9._:-]`. Never used as a path. */
export type SandboxId = string & { readonly [brand]: "SandboxId" };

export const sandboxIdForm: RegExp = /^[A-Za-z0-9._:-]{1,128}$/;
export const sandboxIdRule = "1–128 of A–Z a–z 0–9 . _ : -";
export const moduleNameForm: RegExp = /^[A-Za-z0-9_$@][A-Za-z0-9_$@./-]{0,255}$/;
export const moduleNameRule = "1–256 of A–Z a–z 0–9 _ $ @ . / - without a .. segment";
const exportNameMax = 256;

/** Admits a sandbox id or throws `INVALID_ID`. */
export function parseSandboxId(value: unknown): SandboxId {
  if (typeof value === "string" && sandboxIdForm.test(value)) return value as SandboxId;
  throw new InvalidIdError("this sandbox id", sandboxIdRule, value);
}

const ownModuleForm = /^vivarium(?:\/|$)/;

/** Whether a module of this name comes from the runtime itself. */
export function isOwnModuleName(name: string): boolean {
  return ownModuleForm.test(name);
}

/** Admits a module name or throws `INVALID_ID`, which names `place`, where it was given. `..` may not appear as a segment, so that names never leave the root. */
export function parseModuleName(value: unknown, place = "this module name"): string {
  if (typeof value === "string" && isOwnModuleName(value)) {
    const rule = "other than vivarium and vivarium/…, which are the runtime's own";
    throw new InvalidIdError(place, rule, value);
  }
  const isAdmitted =
    typeof value === "string" && moduleNameForm.test(value) && !value.split("/").includes("..");
  if (isAdmitted) return value;
  if (typeof value !== "string") throw new InvalidIdError(place, "a text, the name of a module", value);
  throw new InvalidIdError(place, moduleNameRule, value);
}

/** The target of a call. */
export interface Target {
  readonly module: string;
  readonly export: string;
}

/** Splits `"module.export"` at its last dot or throws `INVALID_OPTIONS`. */
export function parseTarget(value: unknown): Target {
  if (typeof value === "string") {
    const dot = value.lastIndexOf(".");
    const exportName = value.slice(dot + 1);
    if (dot > 0 && exportName !== "" && exportName.length <= exportNameMax) {
      return { module: parseModuleName(value.slice(0, dot)), export: exportName };
    }
  }
  throw new InvalidOptionsError(
    `Cannot call as the target must be "module.export": got ${show(value)}`,
    "target",
  );
}
