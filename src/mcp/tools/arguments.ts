// The arguments of a tool, checked: a mistake becomes a sentence that says how to mend it.
import type { z } from "zod";
import { InvalidOptionsError } from "../../model/errors.ts";
import { nearest } from "../../model/option-places.ts";
import { show } from "../../model/show.ts";

type Issue = z.core.$ZodIssue;

/** The arguments as the schema makes them, or `INVALID_OPTIONS`. */
export function readArguments<I extends z.ZodObject>(schema: I, args: unknown, tool: string): z.infer<I> {
  const given = args ?? {};
  refusePrototypes(given);
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const { issues } = read.error;
  // What is misspelt is missing as well, and its name says more.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  const names = Object.keys(schema.shape);
  throw issue === undefined
    ? new InvalidOptionsError(`Cannot use these arguments of ${tool}`, "")
    : mistakeOf(issue, { given, tool, names });
}

/** A record of modules that has this name would lose it silently when it is copied. */
function refusePrototypes(given: unknown): void {
  const candidates = isObject(given) ? Reflect.get(given, "candidates") : undefined;
  for (const holder of [given, ...(Array.isArray(candidates) ? candidates : [])] as unknown[]) {
    const modules: unknown = isObject(holder) ? Reflect.get(holder, "modules") : undefined;
    if (isObject(modules) && Object.hasOwn(modules, "__proto__"))
      throw new InvalidOptionsError(
        'Cannot use modules as each must have a name that no object has by itself: got "__proto__"',
        "modules",
      );
  }
}

interface Place {
  readonly given: unknown;
  readonly tool: string;
  /** Of its arguments. */
  readonly names: readonly string[];
}

function mistakeOf(issue: Issue, { given, tool, names }: Place): InvalidOptionsError {
  const path = issue.path.map((part) => show(String(part)).slice(1, -1)).join(".");
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const near = issue.path.length === 0 ? nearest(key, names) : undefined;
    const rule = path === "" ? `one of ${names.join(", ")}` : "one that the tool's schema has";
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    return new InvalidOptionsError(
      `Cannot use an argument of ${tool} as it must be ${rule}: got ${show([path, key].filter((part) => part !== "").join("."))}${hint}`,
      path,
    );
  }
  const where = path === "" ? `the arguments of ${tool}` : path;
  const value = issue.path.reduce<unknown>(
    (at, name) => (isObject(at) ? Reflect.get(at, name) : undefined),
    given,
  );
  const got = value === undefined ? "nothing" : show(value);
  return new InvalidOptionsError(`Cannot use ${where} as it must be ${ruleOf(issue)}: got ${got}`, path);
}

const nounOf: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function ruleOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return nounOf[issue.expected] ?? issue.expected;
    case "too_small":
      return `at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_value":
      return `one of ${issue.values.map(String).join(", ")}`;
    case "invalid_union":
      return "of one of the forms that the tool's schema has";
    default:
      return `as the tool's schema says (${issue.message})`;
  }
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" || origin === "set" ? " items long" : "";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
