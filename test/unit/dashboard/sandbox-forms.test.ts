// What is typed into the forms of a sandbox: arguments, messages, times and limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  readArguments,
  readJson,
  readLimits,
  readTimeout,
} from "../../../dashboard/src/views/sandboxes/arguments.ts";
import { readVersion } from "../../../dashboard/src/views/sandboxes/versions.ts";
import { defaultLimits } from "../../../src/model/limits.ts";

function problemOf(read: { readonly problem: string } | { readonly value: unknown }): string {
  return "problem" in read ? read.problem : assert.fail("it was taken");
}

test("arguments are a list in JSON, and nothing is the empty list", () => {
  assert.deepEqual(readArguments('[1, {"a": null}]'), { value: [1, { a: null }] });
  assert.deepEqual(readArguments("  \n"), { value: [] });
});

test("arguments that are no list, or no JSON, are refused in a sentence", () => {
  assert.match(problemOf(readArguments("7")), /as they must be a list.*got a number$/);
  assert.match(problemOf(readArguments("null")), /got null$/);
  assert.match(problemOf(readArguments('{"a": 1}')), /got an object$/);
  assert.match(problemOf(readArguments("[1,")), /^Cannot use the arguments as they must be JSON: /);
});

test("a message may be any JSON", () => {
  assert.deepEqual(readJson("null", "message"), { value: null });
  assert.match(problemOf(readJson("x", "message")), /^Cannot use the message as it must be JSON: /);
});

test("a time is whole milliseconds within its bounds, and nothing is none", () => {
  assert.deepEqual(readTimeout("", 10), { value: undefined });
  assert.deepEqual(readTimeout(" 10 ", 10), { value: 10 });
  for (const text of ["0", "11", "1.5", "-1", "x", "Infinity"])
    assert.match(problemOf(readTimeout(text, 10)), /must be 1–10 ms: got/, text);
});

test("only limits that differ are changed, and an empty field turns one off that can be off", () => {
  const present = { ...defaultLimits, cpuMs: 500 };
  assert.deepEqual(readLimits({ cpuMs: "500", timeoutMs: "30000" }, present), { value: {} });
  assert.deepEqual(readLimits({ cpuMs: "", timeoutMs: " 20 " }, present), {
    value: { cpuMs: null, timeoutMs: 20 },
  });
});

test("limits out of their bounds, and none where there must be one, are refused", () => {
  assert.match(
    problemOf(readLimits({ timeoutMs: "" }, defaultLimits)),
    /^Cannot set timeoutMs as it must be 1–3600000: got nothing$/,
  );
  for (const text of ["1", "1e99", "x", "9000000.5"])
    assert.match(problemOf(readLimits({ memoryBytes: text }, defaultLimits)), /^Cannot set memoryBytes/);
});

test("a version of the address is a whole number from 1 on", () => {
  assert.equal(readVersion("12"), 12);
  for (const text of ["0", "-1", "1.5", "x", "", undefined]) assert.equal(readVersion(text), null);
});
