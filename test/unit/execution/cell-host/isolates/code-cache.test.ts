// Which scripts are compiled from code that is there, and how much of it is kept.
import assert from "node:assert/strict";
import type ivm from "isolated-vm";
import { suite, test } from "node:test";
import { CodeCache } from "../../../../../src/execution/cell-host/isolates/code-cache.ts";
import {
  GuestIsolate,
  type CachedCode,
  type ScriptText,
} from "../../../../../src/execution/cell-host/isolates/guest-isolate.ts";
import { SharedIsolate } from "../../../../../src/execution/cell-host/isolates/shared-isolate.ts";

const MiB = 2 ** 20;
const main = (text: string): { text: string; filename: string } => ({ text, filename: "vivarium:main" });

suite("CodeCache", () => {
  test("a text is compiled as it is at first, then with its code to be kept, then from that", () => {
    const codes = new CodeCache<string>();
    assert.deepEqual(codes.planFor(main("1")), {});
    assert.deepEqual(codes.planFor(main("1")), { produceCachedData: true });
    codes.keep(main("1"), "code of 1", 10);
    for (let i = 0; i < 2; i++) assert.deepEqual(codes.planFor(main("1")), { cachedData: "code of 1" });
  });

  test("another text of the same length gets no code of this one", () => {
    const codes = new CodeCache<string>();
    codes.keep(main("1"), "code of 1", 10);
    assert.deepEqual(codes.planFor(main("2")), {});
    assert.deepEqual(codes.planFor(main("2")), { produceCachedData: true });
  });

  test("the same text under another name is compiled by itself, and does not replace the code that is kept", () => {
    const codes = new CodeCache<string>();
    codes.keep(main("1"), "code of 1", 10);
    const other = { text: "1", filename: "vivarium:other" };
    for (let i = 0; i < 3; i++) assert.deepEqual(codes.planFor(other), {});
    assert.deepEqual(codes.planFor(main("1")), { cachedData: "code of 1" });
  });

  test("the code that was used least recently is dropped beyond 8 MiB, and too much at once is not kept", () => {
    const codes = new CodeCache<string>();
    for (const text of ["1", "2", "3"]) codes.keep(main(text), text, 2.5 * MiB);
    codes.planFor(main("1"));
    codes.keep(main("4"), "4", 2.5 * MiB);
    const kept = ["1", "2", "3", "4"].filter((text) => codes.planFor(main(text)).cachedData !== undefined);
    assert.deepEqual(kept, ["1", "3", "4"]);
    codes.keep(main("5"), "5", 9 * MiB);
    assert.deepEqual(codes.planFor(main("5")), {});
  });

  test("texts that came once are forgotten beyond 1 MiB, and a longer one is never noted", () => {
    const codes = new CodeCache<string>();
    codes.planFor(main("first"));
    for (let i = 0; i < 300; i++) codes.planFor(main(`${i}`.padEnd(2_048)));
    assert.deepEqual(codes.planFor(main("first")), {});
    const long = main("x".repeat(MiB));
    for (let i = 0; i < 3; i++) assert.deepEqual(codes.planFor(long), {});
  });
});

type Options = Partial<ScriptText> & { readonly produceCachedData?: boolean };

/** An isolate that notes with what it compiles. */
function noting(codes: CodeCache<CachedCode>): { readonly isolate: GuestIsolate; readonly asked: Options[] } {
  const asked: Options[] = [];
  const compile = (_: string, options: Options): unknown => {
    asked.push(options);
    const script = { run: () => Promise.resolve(1), runSync: () => 1 };
    const made = { copy: () => new ArrayBuffer(10) };
    return options.produceCachedData === true ? { ...script, cachedData: made } : script;
  };
  const later = (text: string, options: Options): Promise<unknown> => Promise.resolve(compile(text, options));
  const fake = { compileScriptSync: compile, compileScript: later, cpuTime: 0n } as unknown as ivm.Isolate;
  return {
    isolate: new GuestIsolate(new SharedIsolate(fake, 8), { context: {} as ivm.Context, codes }),
    asked,
  };
}

suite("an isolate", () => {
  const script = { ...main("1"), lineOffset: -1 };
  const kindOf = (options: Options | undefined): string =>
    options?.cachedData !== undefined ? "cached" : options?.produceCachedData === true ? "kept" : "plain";

  test("takes the code that others of its cell have kept, on either lane, with its own options", async () => {
    const codes = new CodeCache<CachedCode>();
    const isolates = Array.from({ length: 4 }, () => noting(codes));
    for (const [i, { isolate }] of isolates.entries()) {
      if (i % 2 === 0) isolate.evaluateNow(script, 10);
      else await isolate.evaluateLater(script, 10);
    }
    const asked = isolates.map(({ asked: [options] }) => options);
    assert.deepEqual(asked.map(kindOf), ["plain", "kept", "cached", "cached"]);
    for (const options of asked) {
      assert.deepEqual([options?.filename, options?.lineOffset], ["vivarium:main", -1]);
      assert.equal(options !== undefined && "text" in options, false);
    }
  });

  test("leaves a script that comes with its code alone", () => {
    const { isolate, asked } = noting(new CodeCache<CachedCode>());
    const own = {} as CachedCode;
    for (let i = 0; i < 3; i++) isolate.evaluateNow({ ...script, cachedData: own }, 10);
    assert.deepEqual(
      asked.map(({ cachedData }) => cachedData === own),
      [true, true, true],
    );
    assert.deepEqual(
      asked.map(({ produceCachedData }) => produceCachedData),
      [undefined, undefined, undefined],
    );
  });
});
