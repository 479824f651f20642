// Builds the package: the types as they are laid out, the library as few files, as each costs a millisecond of every start,
// the example that `vivarium demo` runs, and the programs that run in processes and threads of their own as one file each, so
// that they start fast and need nothing beside them.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown, type Plugin } from "rolldown";
import { build as buildPage } from "vite";
import manifest from "../package.json" with { type: "json" };
import { languageNames } from "../src/guest/globals/language.ts";
import { lateGlobals, otherScripts } from "../src/guest/globals/late-scripts.ts";
import { keepReachable } from "./build/declarations.ts";
import { programNames, programUrl, type ProgramName } from "../src/execution/programs.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The oldest Node that will do, as `node-version.cjs` reads it. */
const neededNode = Number(/\d+/.exec(manifest.engines.node)?.[0]);
const inRoot = (path: string): string => `${root}${path}`;

/** What users import or run: each a file under its name. */
const entries = {
  index: "src/index.ts",
  "evolution/index": "src/evolution/index.ts",
  "guest/author": "src/guest/author.ts",
  "guest/author-capabilities": "src/guest/author-capabilities.ts",
  "server/index": "src/server/index.ts",
  "shipping/index": "src/shipping/index.ts",
  "telemetry/index": "src/telemetry/index.ts",
  "testing/index": "src/testing/index.ts",
  "cli/main": "src/cli/main.ts",
} as const;
/** The entry that is a program. */
const command = "cli/main";
/** The file of an entry: two folders below the root, wherever its name is, as `cli/demo.ts` expects. */
const flat = (name: string): string => name.replaceAll("/", "-");
/** What every runtime needs, wherever it is imported from; what only a command uses is left where it is. */
const isCore =
  /\/src\/(?!cli|client|contract|evolution|mcp|server|shipping|telemetry|testing|guest|index\.ts|store\/folder\/maintenance)/;
/** Loaded at run time, from the packages that are installed. */
const packages = [
  "esbuild",
  /^typescript/,
  /^rolldown/,
  /^@opentelemetry/,
  /^@?hono/,
  /^zod/,
  /^@modelcontextprotocol/,
];

/** A cell has its engine from the file that its host names in the arguments: it may not look for it. */
const engineOfHost: Plugin = {
  name: "engine-of-host",
  resolveId: (id) => (id === "isolated-vm" ? "\0engine.cjs" : null),
  load: (id) => (id === "\0engine.cjs" ? "module.exports = require(process.argv[4]);" : null),
};

const programs = {
  "cell-host": "src/execution/cell-host/main.ts",
  "compiler-host": "src/code/compiler-host/main.ts",
  watchdog: "src/execution/enforcement/watchdog-thread.ts",
  starter: "src/jail/spawn/starter-thread.ts",
  "store-writer": "src/store/folder/writer-thread.ts",
} as const satisfies Record<ProgramName, string>;

rmSync(inRoot("dist"), { recursive: true, force: true });
compile("tsconfig.build.json");
writeEntries(await bundleLibrary());
await bundleClient();
// After the library, as the demo imports it by its name and so by what was just built.
compile("tsconfig.demo.json");
makeExecutable("dist/cli/main.js");
const guestTexts = {
  GUEST_BOOT_TEXT: enclosed(await bundleScript("src/guest/boot.ts"), "boot"),
  GUEST_PROCESS_TEXT: enclosed(await bundleScript("src/guest/otp/install.ts"), "install"),
};
const lateTexts = await bundleLateScripts();
const ambient = ["src/guest/ambient.d.ts", "src/guest/ambient-fetch.d.ts"]
  .map((path) => readFileSync(inRoot(path), "utf8"))
  .join("\n");
writeFileSync(inRoot("dist/guest/ambient.d.ts"), ambient);
keepReachable(inRoot("dist"), declarations());
for (const name of programNames) await bundleProgram(name, programs[name]);
// So that Node finds what it needs to know of a program without a look into the folders above it.
writeFileSync(inRoot("dist/programs/package.json"), '{ "type": "module" }\n');

// What a server gives to browsers.
await buildPage({ configFile: inRoot("dashboard/vite.config.ts"), logLevel: "warn" });

function compile(config: string): void {
  execFileSync("tsc", ["-p", inRoot(config)], { stdio: "inherit", shell: false });
}

/** What the package says its types are. */
function declarations(): readonly string[] {
  return Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === "object" ? [inRoot(entry.types)] : [],
  );
}

/** Makes a file a command: the system reads from its first line what runs it. */
function makeExecutable(path: string): void {
  writeFileSync(inRoot(path), `#!/usr/bin/env node\n${readFileSync(inRoot(path), "utf8")}`);
  chmodSync(inRoot(path), 0o755);
}

/**
 * What users import: files that an old Node can read too, and that it is told by that it is too old. All imports of a module are
 * read before any of it runs, so that the rest is loaded by `require`, which takes ES modules, and not by an import.
 */
function writeEntries(exportsOf: ReadonlyMap<string, readonly string[]>): void {
  for (const [name, names] of exportsOf) {
    const up = "../".repeat(name.split("/").length);
    const path = JSON.stringify(`${up}dist/entries/${flat(name)}.js`);
    const start = `import tooOld from "${up}node-version.cjs";\nimport { createRequire } from "node:module";\n`;
    const text =
      name === command
        ? // A command says it without a stack; and only an old Node reads the file that says it.
          `if (Number.parseInt(process.versions.node, 10) >= ${neededNode}) await import(${path});\n` +
          `else {\n\tconst { default: tooOld } = await import("${up}node-version.cjs");\n` +
          `\tconsole.error(tooOld);\n\tprocess.exitCode = 1;\n}\n`
        : `${start}if (tooOld !== "") throw new Error(tooOld);\n` +
          `export const { ${names.join(", ")} } = load();\n${loading(path)}`;
    writeFileSync(inRoot(`dist/${name}.js`), text);
  }
}

// A bundler does not follow this `require`, so that what was bundled does not find its code.
function loading(path: string): string {
  return `
function load() {
	try {
		return createRequire(import.meta.url)(${path});
	} catch (cause) {
		if (cause.code !== "MODULE_NOT_FOUND" && cause.code !== "ERR_INVALID_ARG_VALUE") throw cause;
		const message = "Cannot load vivarium as it must be installed whole and not be bundled: mark it as external (docs/bundlers.md)";
		throw Object.assign(new Error(message, { cause }), { code: "PACKAGE_INCOMPLETE" });
	}
}
`;
}

/**
 * The entries, and one file with what they share: it lies two folders below the root, as `programUrl` expects. Returns what each
 * entry exports.
 */
async function bundleLibrary(): Promise<ReadonlyMap<string, readonly string[]>> {
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, inRoot(path)]));
  // No names of files: they would tell where this was built.
  const experimental = { attachDebugInfo: "none" } as const;
  const bundle = await rolldown({ input, platform: "node", external: packages, experimental });
  const { output } = await bundle.write({
    dir: inRoot("dist"),
    format: "esm",
    entryFileNames: ({ name }) => `entries/${flat(name)}.js`,
    chunkFileNames: "shared/[name].js",
    comments: false,
    codeSplitting: { groups: [{ name: "core", test: isCore }] },
  });
  await bundle.close();
  const made = output.flatMap((chunk) =>
    chunk.type === "chunk" && chunk.isEntry ? [[chunk.name ?? "", chunk.exports] as const] : [],
  );
  return new Map(made);
}

/** What talks to a server from any machine: one file that imports nothing, so that a browser takes it as it is. */
async function bundleClient(): Promise<void> {
  const bundle = await rolldown({ input: inRoot("src/client/index.ts"), platform: "neutral" });
  // An old Node is told as by any entry; others, which may call themselves any version of Node, are not asked.
  const banner =
    `if (!globalThis.Bun && !globalThis.Deno && Number.parseInt(globalThis.process?.versions?.node, 10) < ${neededNode})\n` +
    `\tthrow new Error(\`vivarium needs Node.js ${neededNode} or later: this is \${process.versions.node} (see https://nodejs.org, or use nvm)\`);\n`;
  await bundle.write({ file: inRoot("dist/client/index.js"), format: "esm", comments: false, banner });
  await bundle.close();
}

/** A part of the guest runtime as one script that sets `guest`; guests see the names of classes where they are kept. */
async function bundleScript(entry: string, areNamesKept = false): Promise<string> {
  const bundle = await rolldown({ input: inRoot(entry), platform: "neutral" });
  const keepNames = { class: true, function: false };
  const minify = areNamesKept ? { compress: { keepNames }, mangle: { keepNames } } : true;
  // A script that is compiled late must not mark its exports by a function that a guest may have replaced.
  const generatedCode = { symbols: false };
  const { output } = await bundle.generate({
    format: "iife",
    name: "guest",
    minify,
    esModule: false,
    generatedCode,
  });
  await bundle.close();
  // Every isolate has a copy of the text: with a single letter beyond Latin it would take twice the memory.
  return output[0].code.replaceAll(/[^\0-\x7f]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** A script that gives what a part of the guest runtime exports. What it uses of the language are variables of its own. */
function enclosed(text: string, name: string): string {
  const used = languageNames.split(",").filter((word) => new RegExp(`\\b${word}\\b`).test(text));
  return `"use strict";(({${used.join(",")}})=>{${text}\nreturn guest.${name}})(globalThis)`;
}

/** Each script that an isolate compiles at its first use, as the body of a function, by its name. */
async function bundleLateScripts(): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const name of [...lateGlobals.map(([script]) => script), ...otherScripts])
    texts[name] = `"use strict";${await bundleScript(`src/guest/late/${name}.ts`, true)}\nreturn guest.make`;
  return texts;
}

async function bundleProgram(name: ProgramName, entry: string): Promise<void> {
  const texts = Object.entries({ ...guestTexts, GUEST_LATE_TEXTS: lateTexts, GUEST_AMBIENT_TEXT: ambient });
  const bundle = await rolldown({
    input: inRoot(entry),
    platform: "node",
    external: packages,
    plugins: [engineOfHost],
    transform: {
      define: Object.fromEntries(texts.map(([constant, text]) => [constant, JSON.stringify(text)])),
    },
  });
  const file = fileURLToPath(programUrl(name));
  await bundle.write({ file, format: file.endsWith(".cjs") ? "cjs" : "esm" });
  await bundle.close();
}
