// What the report of the API finds in files of declarations.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { surfacesOf, unusedIn, type Surface } from "../../../tools/api/surface.ts";

const files: Readonly<Record<string, string>> = {
  "index.d.ts": `
    export { make, type Options as MakeOptions } from "./make.ts";
    export type * from "./types.ts";
    export type { Held } from "./held.ts";`,
  "make.d.ts": `
    import type { Thing } from "./types.ts";
    import type { Hidden } from "./hidden.ts";
    /** Makes a thing. */
    export declare function make(options?: Options): Thing;
    export declare function make(name: string, more: Hidden): Thing;
    export interface Options {
        /** How it is called. */
        readonly name?: string;
    }`,
  "types.d.ts": `
    import type { Readable } from "node:stream";
    export interface Thing extends Base { readonly stream: Readable; read<Hidden>(as: Hidden): Hidden; }
    interface Base { readonly id: string; }
    export interface Idle { readonly is: "idle"; }
    export {};`,
  "hidden.d.ts": `
    declare const table: { readonly a: 1 };
    export type Hidden = keyof typeof table;`,
  "held.d.ts": `export declare class Held { #private; }`,
  "other.d.ts": `
    import type { Thing } from "./types.ts";
    export declare const use: (thing: Thing) => void;`,
};

suite("surfacesOf", () => {
  let folder: string;
  let surfaces: readonly Surface[];
  const namesOf = (list: readonly { readonly name: string }[] = []): readonly string[] =>
    list.map(({ name }) => name);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "vivarium-api-"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    surfaces = surfacesOf(
      new Map([
        ["main", join(folder, "index.d.ts")],
        ["main/other", join(folder, "other.d.ts")],
      ]),
    );
  });
  after(() => rmSync(folder, { recursive: true }));

  test("lists what is exported by name, under another name and by a star", () => {
    assert.deepEqual(namesOf(surfaces[0]?.exports), ["Held", "Idle", "MakeOptions", "Thing", "make"]);
  });

  test("has every overload, without comments", () => {
    assert.deepEqual(surfaces[0]?.exports.at(-1)?.declaration.texts, [
      "function make(options?: Options): Thing;",
      "function make(name: string, more: Hidden): Thing;",
    ]);
  });

  test("tells a class of which only the type is exported", () => {
    const [held] = surfaces[0]?.exports ?? [];
    assert.deepEqual([held?.name, held?.declaration.isValue, held?.isTypeOnly], ["Held", true, true]);
  });

  test("finds what signatures use and no entry exports, through other types too", () => {
    assert.deepEqual(namesOf(surfaces[0]?.hidden), ["Base", "Hidden", "table"]);
  });

  test("names the entry of what another one exports, and goes no further there", () => {
    assert.deepEqual(surfaces[1]?.elsewhere, [{ name: "Thing", entry: "main" }]);
    assert.deepEqual(surfaces[1]?.hidden, []);
  });

  test("finds exported types that nothing at run time has to do with", () => {
    assert.deepEqual(unusedIn(surfaces).get("main"), ["Held", "Idle"]);
  });
});
