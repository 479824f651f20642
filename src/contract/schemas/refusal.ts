// Says what zod found in the words of Vivarium: one line that names the place, the rule and what came, of which little is shown.
import type { z } from "@hono/zod-openapi";
import {
  InvalidIdError,
  InvalidLimitsError,
  InvalidOptionsError,
  VivariumError,
} from "../../model/errors.ts";
import { hintFor } from "../../model/option-places.ts";
import { show } from "../../model/show.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

const messageLengthMax = 1_000;
const rulesMax = 4;
const plainName = /^[A-Za-z_$][\w$]{0,63}$/;
/** Objects whose names are the caller's own: what stands below them is named as they like. */
const tables: readonly PropertyKey[] = ["modules", "modulesOfEach", "labels", "capabilities", "heads"];
const idLists: readonly PropertyKey[] = ["ids", "parentIds"];
const idNames: readonly PropertyKey[] = ["id", "sandboxId", "streamId", "sessionId", "module", "supervisor"];
/** What only a caller in the server's own process can mean: files and functions. */
const ownNames: readonly string[] = ["path", "autoReload", "migrate", "verify", "onOutput", "check"];
const runLimits: readonly PropertyKey[] = ["timeoutMs", "cpuMs", "fuel"];

/** Continues "it must be", where the schema has no words of its own. */
export function ruleOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return ruleOfType(String(issue.expected));
    case "invalid_value":
      return `among ${issue.values?.map(String).join(", ") ?? ""}`;
    case "too_small":
    case "too_big":
      return `a list of ${issue.code === "too_small" ? issue.minimum : issue.maximum}`;
    case "unrecognized_keys":
      return namesOf(issue).join(", ");
    default:
      return "of another form";
  }
}

function ruleOfType(expected: string): string {
  if (expected === "nonoptional") return "there";
  return expected === "object" || expected === "array" ? `an ${expected}` : `a ${expected}`;
}

// The names that the object may have, of which one was probably meant.
function namesOf({ inst }: z.core.$ZodRawIssue): readonly string[] {
  const shape = (inst?._zod.def as { readonly shape?: object } | undefined)?.shape;
  return Object.keys(shape ?? {});
}

/** The error of the first mistake in what was given at `place`. */
export function refusalOf(issues: readonly Issue[], given: unknown, place: string): VivariumError {
  const { issue, path } = nearestMistake(issues, given, []);
  const option = shownPath(place, path);
  const got = valueAt(given, path);
  if (issue.code === "unrecognized_keys") return unknownName(issue, path, option);
  if (issue.code === "invalid_key") {
    const [inner] = issue.issues;
    const name = path.at(-1);
    const rule = inner?.message ?? "a text";
    const table = shownPath(place, path.slice(0, -1));
    return path.includes("modules") || path.includes("modulesOfEach")
      ? new InvalidIdError(`a name in ${table}`, rule, name)
      : new InvalidOptionsError(
          bounded(`Cannot use a name in ${table} as it must be ${rule}: got ${show(name)}`),
          table,
        );
  }
  const message = `Cannot use ${option} as it must be ${issue.message}: got ${got === undefined ? "none" : show(got)}`;
  const limit = limitIn(path);
  if (limit !== undefined) return new InvalidLimitsError(bounded(message), limit);
  if (isId(path, place)) return new InvalidIdError(option, issue.message, got);
  return new InvalidOptionsError(bounded(message), option);
}

function unknownName(issue: z.core.$ZodIssueUnrecognizedKeys, path: Path, option: string): VivariumError {
  const [name = ""] = issue.keys;
  if (ownNames.includes(name)) {
    const rule = "a server opens no file and runs no function of its caller's";
    const message = `Cannot use ${shownPath(option, [name])} from elsewhere as ${rule}`;
    return new VivariumError("NOT_REMOTE", message);
  }
  const names = issue.message === "" ? [] : issue.message.split(", ");
  const hint = hintFor(name, { names }) ?? "it must be known here";
  const here = names.length === 0 ? "none" : names.join(", ");
  const message = bounded(`Cannot use option ${show(name)} in ${option} as ${hint} (here: ${here})`);
  return path.at(-1) === "limits"
    ? new InvalidLimitsError(message, name.slice(0, 80))
    : new InvalidOptionsError(message, shownPath(option, [name]));
}

interface Mistake {
  readonly issue: Issue;
  readonly path: Path;
}

// Of a union the form that comes nearest to what was given.
function nearestMistake(issues: readonly Issue[], given: unknown, above: Path): Mistake {
  const [first] = issues;
  const issue: Issue = first ?? { code: "custom", path: [], message: "of another form" };
  const path = [...above, ...issue.path];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return { issue, path };
  const value = valueAt(given, path);
  const forms = issue.errors.map((form) => ({ form, strangeness: strangenessOf(form, value) }));
  const least = Math.min(...forms.map(({ strangeness }) => strangeness));
  if (least === Infinity) return { issue: { ...issue, message: rulesOf(issue.errors) }, path };
  const nearest = forms.find(({ strangeness }) => strangeness === least);
  return nearestMistake(nearest?.form ?? [], given, path);
}

// How unlike what was given is to a form: infinitely where it is no such thing at all.
function strangenessOf(form: readonly Issue[], value: unknown): number {
  return form.reduce((sum, issue) => {
    if (issue.code === "unrecognized_keys") return sum + issue.keys.length;
    if (issue.code === "invalid_union" && issue.path.length === 0)
      return sum + Math.min(...issue.errors.map((inner) => strangenessOf(inner, value)));
    if (issue.path.length === 0 && ["invalid_type", "invalid_value"].includes(issue.code)) return Infinity;
    // A list that is too long is not another form of thing, and what is out of its bounds is less strange than what is missing.
    return valueAt(value, issue.path) === undefined ? sum + 1 : sum + 0.01;
  }, 0);
}

function rulesOf(forms: readonly (readonly Issue[])[]): string {
  const rules = forms.flatMap(([issue]) => {
    if (issue === undefined) return [];
    return [issue.code === "invalid_union" ? rulesOf(issue.errors) : issue.message];
  });
  return [...new Set(rules)].slice(0, rulesMax).join(", or ");
}

function limitIn(path: Path): string | undefined {
  const known = path.slice(0, cutAt(path));
  const last = known.at(-1);
  if (known.includes("limits")) return String(last);
  return last !== undefined && runLimits.includes(last) && !known.includes("tests")
    ? String(last)
    : undefined;
}

function isId(path: Path, place: string): boolean {
  const known = path.slice(0, cutAt(path));
  const last = known.at(-1);
  // A list of ids is none itself.
  return typeof last === "number" ? idLists.includes(known.at(-2) ?? "") : idNames.includes(last ?? place);
}

function cutAt(path: Path): number {
  const at = path.findIndex((name) => tables.includes(name));
  return at === -1 ? path.length : at + 1;
}

function valueAt(given: unknown, path: Path): unknown {
  let value = given;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[name];
  }
  return value;
}

// Names are the caller's: long or strange ones are shown as any other text is.
function shownPath(place: string, path: Path): string {
  return path.reduce<string>((shown, name) => {
    if (typeof name === "number") return `${shown}[${name}]`;
    return plainName.test(String(name)) ? `${shown}.${String(name)}` : `${shown}[${show(String(name))}]`;
  }, place);
}

function bounded(message: string): string {
  return message.length > messageLengthMax ? `${message.slice(0, messageLengthMax - 1)}…` : message;
}
