// The forms that values of requests and answers have, each with the rule that a message says: what a value must be.
import { z } from "@hono/zod-openapi";
import { sandboxIdForm, sandboxIdRule, moduleNameForm, moduleNameRule } from "../../model/ids.ts";

const hourMs = 3_600_000;
export const dayMs: number = 24 * hourMs;
export const countMax: number = Number.MAX_SAFE_INTEGER;

/** How many items a list of a request may have. */
const itemsMax = 100_000;
/** How many names an object of the caller's own names may have. */
const namesMax = 10_000;
const wordLengthMax = 256;

export function integer(min: number, max: number) {
  const rule = { error: `${min}–${max}` };
  return z.int(rule).min(min, rule).max(max, rule);
}

/** A number that JSON can say, so that it is finite. */
export function number(min?: number) {
  const rule = { error: min === undefined ? "a finite number" : `a number of at least ${min}` };
  const any = z.number(rule);
  return min === undefined ? any : any.min(min, rule);
}

export const flag = () => z.boolean({ error: "true or false" });

/** A text that is not empty. */
export function text(max: number = wordLengthMax) {
  const rule = { error: `a text of 1–${max} characters` };
  return z.string(rule).min(1, rule).max(max, rule);
}

/** A text that may be empty, as sources may. */
export function longText(max: number) {
  const rule = { error: `a text of at most ${max} characters` };
  return z.string(rule).max(max, rule);
}

export function word<const W extends string>(words: readonly W[]) {
  return z.enum(words, { error: `among ${words.join(", ")}` });
}

export const sandboxId = () =>
  z.string({ error: sandboxIdRule }).regex(sandboxIdForm, { error: sandboxIdRule });

export const moduleName = () =>
  z.string({ error: moduleNameRule }).regex(moduleNameForm, { error: moduleNameRule });

/** Of the server's own making. */
export const handleId = () =>
  z.string({ error: sandboxIdRule }).regex(sandboxIdForm, { error: sandboxIdRule });

/** A list; a longer one is refused before any of its items is looked at. */
export function list<T extends z.ZodType>(item: T, max: number = itemsMax) {
  const rule = { error: `a list of at most ${max}` };
  return z.array(item, rule).max(max, rule);
}

/** A list that is not empty. */
export function filledList<T extends z.ZodType>(item: T, max: number = itemsMax) {
  const rule = { error: `a list of 1–${max}` };
  return z.array(item, rule).min(1, rule).max(max, rule);
}

/**
 * An object whose names are the caller's. How many it has is looked at first; `__proto__`, which zod would leave out without
 * a word, is refused.
 */
export function table<K extends z.ZodType<string, string>, V extends z.ZodType>(
  name: K,
  value: V,
  max: number = namesMax,
) {
  type Given = z.input<z.ZodRecord<K, V>>;
  const bounded = (given: Given, context: z.RefinementCtx): Given => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
    const isMany = Object.keys(given).length > max;
    if (!isMany && !Object.hasOwn(given, "__proto__")) return given;
    const message = isMany ? `an object of at most ${max} names` : "an object without the name __proto__";
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  return z.preprocess(bounded, z.record(name, value, { error: "an object" }));
}

/** An object whose form the runtime itself checks, whole: here it is only known to be one, and not copied. */
export function opaque<T>(description: string) {
  return z
    .custom<T>((value) => typeof value === "object" && value !== null && !Array.isArray(value), "an object")
    .openapi({ type: "object", description });
}

/** A time on the runtime's clock. */
export const moment = () => z.number().openapi({ description: "milliseconds since the epoch" });

/** How long the server tries. */
export const deadline = {
  deadlineMs: integer(1, dayMs)
    .optional()
    .openapi({ description: "how long all of it may take; default: as long as it takes" }),
};
export const Deadline = z.strictObject(deadline).openapi("Deadline");

/** In a query all is text. */
const fromText = (given: unknown): unknown =>
  typeof given === "string" && /^-?\d{1,16}(?:\.\d{1,16})?$/.test(given) ? Number(given) : given;
const flagFromText = (given: unknown): unknown =>
  given === "true" ? true : given === "false" ? false : given;
const listFromText = (given: unknown): unknown => (typeof given === "string" ? [given] : given);

export const queryInteger = (min: number, max: number) => z.preprocess(fromText, integer(min, max));
export const queryFlag = () => z.preprocess(flagFromText, flag());
/** A parameter that may be repeated. */
export const queryList = <T extends z.ZodType>(item: T, max = 100) =>
  z.preprocess(listFromText, list(item, max));
export const queryDeadline = {
  deadlineMs: queryInteger(1, dayMs)
    .optional()
    .openapi({ description: "how long all of it may take; default: as long as it takes" }),
};
