// What knip must know to find files, exports and dependencies that nobody uses: `npm run check:dead`.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KnipConfig } from "knip";
import { Visitor } from "rolldown/utils";
import { lateGlobals, otherScripts } from "../src/guest/globals/late-scripts.ts";
import { publicEntries } from "./tidy/forwarding.ts";
import { sourcesOf, treeAt, type SourceTree } from "./tidy/source-tree.ts";

const tree = treeAt(fileURLToPath(new URL("..", import.meta.url)));

// The programs that tools/build.ts makes are started, not imported; so is the command.
const build = readFileSync(new URL("build.ts", import.meta.url), "utf8");
const programs = [...build.matchAll(/"(?:src|dist)\/[^"]+\.[jt]s"/g)].map(([path]) =>
  path
    .slice(1, -1)
    .replace(/^dist\//, "src/")
    .replace(/\.js$/, ".ts"),
);
// Scripts of the guest runtime that are compiled on first use.
const lateScripts = [...lateGlobals.map(([name]) => name), ...otherScripts].map(
  (name) => `src/guest/late/${name}.ts`,
);

const config: KnipConfig = {
  // A type that only its own file names is still part of the signatures there; a value is not.
  ignoreExportsUsedInFile: { type: true, interface: true },
  workspaces: {
    ".": {
      entry: [
        ...publicEntries(tree),
        ...programs,
        ...lateScripts,
        ...passedOnWhole(tree),
        "test/**/*.test.ts",
        "test/types/*.ts",
        "test/unit/contract/types-agree.ts",
        "test/e2e/hostile-sandboxes.ts",
        "test/e2e/interrupting-early.ts",
        "test/hostile/bombs.ts",
        "test/browser/support/serve-sample.ts",
        "bench/peers/*.ts",
        "examples/**/*.ts",
        "tools/*.ts",
      ],
      project: ["{src,test,bench,examples,tools}/**/*.ts"],
      // Tests start these by the paths of their programs, or give them to a page.
      ignoreDependencies: ["@arethetypeswrong/cli", "axe-core", "publint"],
      ignoreBinaries: ["dd", "mkfifo", "mount", "openssl", "script", "systemd-analyze", "unshare"],
    },
    // A test reads the sources of these packages and never imports them.
    "tools/ordinary": { ignoreDependencies: [".+"] },
  },
};

/**
 * Files that are imported as a namespace which then becomes a property of an object: whoever gets the object may use any of
 * its exports. knip 6 overlooks this use where it is written `{ name }`.
 */
function passedOnWhole(of: SourceTree): readonly string[] {
  return sourcesOf(of).flatMap((path) => {
    const namespaces = new Map<string, string>();
    const passedOn: string[] = [];
    new Visitor({
      ImportDeclaration: ({ source, specifiers }) => {
        for (const { type, local } of specifiers)
          if (type === "ImportNamespaceSpecifier" && source.value.startsWith("."))
            namespaces.set(local.name, join(dirname(path), source.value));
      },
      Property: ({ shorthand, key }) => {
        const target = shorthand && key.type === "Identifier" ? namespaces.get(key.name) : undefined;
        if (target !== undefined) passedOn.push(target);
      },
    }).visit(of.parse(path).program);
    return passedOn;
  });
}

// oxlint-disable-next-line import/no-default-export -- knip reads its configuration from there
export default config;
