// Both sides of every test, put together: what passed, what differs, and which exceptions still apply.
import { matchesGlob } from "node:path";
import type { Exception } from "./exceptions.ts";
import type { ReferenceVerdict } from "./reference.ts";
import type { Verdict } from "./verdict.ts";

export interface Compared {
  readonly path: string;
  /** The parts of the language that the test is about, as its header names them. */
  readonly features: readonly string[];
  readonly reference: ReferenceVerdict;
  readonly here: Verdict;
}

export interface Difference {
  readonly path: string;
  readonly features: readonly string[];
  readonly why: string;
}

export interface Comparison {
  readonly passed: number;
  /** Tests that fail here, with those that fail in the bare isolate too. */
  readonly failed: number;
  readonly failedOnBoth: number;
  /** Pass in the bare isolate, fail here, and no exception says why. */
  readonly differences: readonly Difference[];
  readonly excepted: readonly {
    readonly exception: Exception;
    readonly differences: readonly Difference[];
  }[];
  /** Exceptions whose tests were tried and none fails any more. */
  readonly outdated: readonly Exception[];
}

export function compare(all: readonly Compared[], exceptions: readonly Exception[]): Comparison {
  const failing = all.filter(({ here }) => !here.ok);
  const differing = failing
    .filter(({ reference }) => reference === "module")
    .map(({ path, features, here }) => ({ path, features, why: here.ok ? "" : here.why }));
  const applies = (exception: Exception, path: string): boolean => matchesGlob(path, exception.tests);
  const excepted = exceptions.map((exception) => ({
    exception,
    differences: differing.filter(({ path }) => applies(exception, path)),
  }));
  return {
    passed: all.length - failing.length,
    failed: failing.length,
    failedOnBoth: failing.length - differing.length,
    differences: differing.filter(({ path }) => !exceptions.some((exception) => applies(exception, path))),
    excepted: excepted.filter(({ differences }) => differences.length > 0),
    outdated: exceptions.filter(
      (exception) =>
        all.some(({ path }) => applies(exception, path)) &&
        !differing.some(({ path }) => applies(exception, path)),
    ),
  };
}
