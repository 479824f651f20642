// Compares what expressions give in a sandbox with what they give in Node itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Runtime } from "../../src/index.ts";
import { valueOf } from "./outcomes.ts";
import { createMain } from "./runtimes.ts";

// Runs in both: a text that says all of a value, also how an expression threw, but not the words of its message.
const helpers = `
const shownIn = (value, seen) => {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return value + "n";
  if (typeof value === "function") return "function " + value.name;
  if (typeof value === "symbol") return String(value);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  if (seen.includes(value)) return "#" + seen.indexOf(value);
  seen.push(value);
  const inner = (item) => shownIn(item, seen);
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const named = Object.keys(value).filter((key) => !ArrayBuffer.isView(value) && !(Array.isArray(value) && /^\\d+$/.test(key)))
    .map((key) => key + ": " + inner(value[key]));
  const list = (of) => of.map(inner);
  const holes = (of) => Array.from({ length: of.length }, (_, i) => (i in of ? inner(of[i]) : "hole"));
  const parts = value instanceof Error
      ? ["name" in value ? value.name : "", inner(value.code), "cause" in value ? "cause " + inner(value.cause) : ""]
    : value instanceof Map ? [...value].map((pair) => list(pair).join(" => "))
    : value instanceof Set ? list([...value])
    : value instanceof Date ? [value.getTime()]
    : value instanceof RegExp ? [String(value), value.lastIndex]
    : value instanceof ArrayBuffer ? [new Uint8Array(value).join(" ")]
    : ArrayBuffer.isView(value) ? [value.byteOffset, value.byteLength, inner(value.buffer)]
    : Array.isArray(value) ? holes(value)
    : ["Number", "String", "Boolean", "BigInt"].includes(tag) ? [inner(value.valueOf())] : [];
  return tag + "(" + [...parts, ...named].join(", ") + ")";
};
const shown = (value) => shownIn(value, []);
const tried = async (act) => {
  try { return shown(await act()); }
  catch (error) {
    const isDom = Object.prototype.toString.call(error) === "[object DOMException]";
    return "threw " + error?.name + (isDom || error?.name === "QuotaExceededError" ? " of DOM, " + error.code : "");
  }
};
`;

/** A test for each expression, which may await. */
export function testAlike(runtime: Runtime, about: string, expressions: readonly string[]): void {
  test(`${about} as in Node`, async () => {
    const acts = expressions.map((text) => `async () => (${text}\n)`).join(",\n");
    const program = `${helpers}\nconst acts = [${acts}];`;
    await using sandbox = await createMain(
      runtime,
      `${program}\nexport const all = () => Promise.all(acts.map(tried));`,
    );
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as (
      text: string,
    ) => () => Promise<string[]>;
    // A timeout of Node's own does not keep the process alive, and neither does a runtime that is idle.
    const alive = setInterval(() => {}, 1_000);
    const expected = await AsyncFunction(
      `"use strict";${program}\nreturn Promise.all(acts.map(tried));`,
    )().finally(() => clearInterval(alive));
    const got = valueOf(await sandbox.call<string[]>("main.all"));
    // Only those that differ, as the others would hide them in what a failure prints.
    const differing = expressions.flatMap((text, i) =>
      got[i] === expected[i] ? [] : [{ text, got: got[i], expected: expected[i] }],
    );
    assert.deepEqual(differing, []);
  });
}
