// Which imports become package modules, and how often a package is bundled.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bundled } from "../../../../src/code/compiler/compiler.ts";
import type { Artifact } from "../../../../src/code/modules/artifact.ts";
import { defaultLimits } from "../../../../src/model/limits.ts";
import { anywhere } from "../../../../src/model/sandboxes/placement.ts";
import { packagesFor } from "../../../../src/orchestration/code/build.ts";
import { Packages, type PackageSettings } from "../../../../src/orchestration/code/packages.ts";
import { Profiles } from "../../../../src/security/profiles.ts";
import { Folder } from "../../../support/folders.ts";

const profiles = new Profiles({}, "medium");
const packages = {
  "node_modules/a/package.json": { name: "a", version: "1.0.0" },
  "node_modules/@b/c/package.json": { name: "@b/c", version: "2.0.0" },
};

class Bundler {
  readonly asked: string[] = [];
  readonly #folder: Folder;

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  packages(settings: Partial<PackageSettings> = {}): Packages {
    const complete = { npmImports: ["a", "@b/c"], npmFolder: this.#folder.path, npmBytesMax: 1_000 };
    return new Packages(
      { ...complete, ...settings },
      {
        compiler: { bundle: (specifier, root) => this.#bundle(specifier, root) },
        // As much of an artifact as is looked at here.
        compile: async ({ source }) => ({
          ok: true,
          artifact: { source, imports: [] as readonly string[] } as Artifact,
        }),
      },
    );
  }

  async #bundle(specifier: string, root: string): Promise<Bundled> {
    this.asked.push(`${specifier} from ${root === this.#folder.path ? "folder" : root}`);
    const files = [this.#folder.at("node_modules/a/package.json")];
    return { ok: true, source: `export const name = "${specifier}";`, from: `${specifier}@1`, files };
  }
}

const owner = (profile: string) => ({
  id: "s",
  placement: anywhere,
  limits: defaultLimits,
  profile: profiles.find(profile),
  modules: new Map([["own", null]]),
});

const importing = (...imports: readonly string[]) => new Map([["main", { imports, dynamicImports: [] }]]);

test("bare imports that no module has and the profile admits become modules of their names", async () => {
  using folder = new Folder(packages);
  const bundler = new Bundler(folder);
  const imports = importing(
    "a",
    "a/deep",
    "own",
    "./own",
    "vivarium/guest",
    "vivarium",
    "fs",
    "../a",
    "other",
  );
  const parts = { packages: bundler.packages({ npmImports: ["a", "vivarium", "fs"] }) };
  folder.write({ "node_modules/fs/package.json": {} });
  const found = await packagesFor(imports, owner("medium"), parts);
  assert.deepEqual([...found.keys()], ["a", "a/deep", "fs"]);
  assert.match(found.get("a")?.source ?? "", /^\/\/ npm package a@1\nexport/);
  assert.deepEqual([...(await packagesFor(imports, owner("high"), parts)).keys()], []);
  assert.deepEqual([...(await packagesFor(importing("@b/c", "fs"), owner("low"), parts)).keys()], ["@b/c"]);
});

test("nothing is imported where no folder is named", async () => {
  using folder = new Folder(packages);
  const bundler = new Bundler(folder);
  const parts = { packages: bundler.packages({ npmFolder: undefined }) };
  assert.equal((await packagesFor(importing("a"), owner("medium"), parts)).size, 0);
  assert.deepEqual(bundler.asked, []);
});

test("a package is bundled once for all, and again when it was installed anew", async () => {
  using folder = new Folder(packages);
  const bundler = new Bundler(folder);
  const parts = { packages: bundler.packages() };
  const get = () => packagesFor(importing("a"), owner("medium"), parts);
  await Promise.all([get(), get()]);
  await get();
  assert.deepEqual(bundler.asked, ["a from folder"]);
  folder.write({ "node_modules/a/package.json": { name: "a", version: "1.0.10" } });
  await get();
  assert.equal(bundler.asked.length, 2);
});

test("a package longer than npmBytesMax is refused, whatever sourceBytes is", async () => {
  using folder = new Folder(packages);
  const bundler = new Bundler(folder);
  const parts = { packages: bundler.packages({ npmBytesMax: 43 }) };
  const fits = await packagesFor(importing("a"), { ...owner("medium") }, parts);
  assert.equal(fits.get("a")?.source.length, 43);
  const tight = { packages: bundler.packages({ npmBytesMax: 42 }) };
  await assert.rejects(
    packagesFor(importing("a"), owner("medium"), tight),
    /as it must be at most npmBytesMax of createRuntime\(\), 42 bytes, with all that it imports: it is 43$/,
  );
});
