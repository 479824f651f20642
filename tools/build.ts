// Builds the package: the types as they are laid out, the library as few files, as each costs a millisecond of every start,
// the example that `vivarium demo` runs, and the programs that run in processes and threads of their own as one file each, so
// that they start fast and need nothing beside them.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { programNames, programUrl, type ProgramName } from "../src/execution/programs.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const inRoot = (path: string): string => `${root}${path}`;

/** What users import or run: each a file under its name. */
const entries = {
  index: "src/index.ts",
  "evolution/index": "src/evolution/index.ts",
  "guest/author": "src/guest/author.ts",
  "telemetry/index": "src/telemetry/index.ts",
  "testing/index": "src/testing/index.ts",
  "cli/main": "src/cli/main.ts",
} as const;
/** What every runtime needs, wherever it is imported from; what only a command uses is left where it is. */
const isCore = /\/src\/(?!cli|evolution|telemetry|testing|guest|index\.ts|store\/folder\/maintenance)/;
/** Loaded at run time, from the packages that are installed. */
const packages = ["isolated-vm", "esbuild", /^typescript/, /^rolldown/, /^@opentelemetry/];

const programs = {
  "cell-host": "src/execution/cell-host/main.ts",
  "compiler-host": "src/code/compiler-host/main.ts",
  watchdog: "src/execution/enforcement/watchdog-thread.ts",
  starter: "src/jail/spawn/starter-thread.ts",
  "store-writer": "src/store/folder/writer-thread.ts",
} as const satisfies Record<ProgramName, string>;

rmSync(inRoot("dist"), { recursive: true, force: true });
compile("tsconfig.build.json");
await bundleLibrary();
// After the library, as the demo imports it by its name and so by what was just built.
compile("tsconfig.demo.json");
makeExecutable("dist/cli/main.js");
copyFileSync(inRoot("src/guest/ambient.d.ts"), inRoot("dist/guest/ambient.d.ts"));
const bootText = await bundleGuest();
const processText = `(()=>{"use strict";${await bundleScript("src/guest/otp/install.ts", {})}\nreturn guest.install})()`;
const ambient = readFileSync(inRoot("src/guest/ambient.d.ts"), "utf8");
for (const name of programNames) await bundleProgram(name, programs[name], bootText);
// So that Node finds what it needs to know of a program without a look into the folders above it.
writeFileSync(inRoot("dist/programs/package.json"), '{ "type": "module" }\n');

function compile(config: string): void {
  execFileSync("tsc", ["-p", inRoot(config)], { stdio: "inherit", shell: false });
}

/** Makes a file a command: the system reads from its first line what runs it. */
function makeExecutable(path: string): void {
  writeFileSync(inRoot(path), `#!/usr/bin/env node\n${readFileSync(inRoot(path), "utf8")}`);
  chmodSync(inRoot(path), 0o755);
}

/** The entries, and one file with what they share: it lies two folders below the root, as `programUrl` expects. */
async function bundleLibrary(): Promise<void> {
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, inRoot(path)]));
  const bundle = await rolldown({ input, platform: "node", external: packages });
  await bundle.write({
    dir: inRoot("dist"),
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name].js",
    comments: false,
    codeSplitting: { groups: [{ name: "core", test: isCore }] },
  });
  await bundle.close();
}

/** The guest runtime as one script that evaluates to its boot function. */
async function bundleGuest(): Promise<string> {
  const extras = `"use strict";${await bundleScript("src/guest/globals/extras.ts", {})}\nreturn guest.makeExtras`;
  const boot = await bundleScript("src/guest/boot.ts", { GUEST_EXTRAS_TEXT: JSON.stringify(extras) });
  return `(()=>{"use strict";${boot}\nreturn guest.boot})()`;
}

async function bundleScript(entry: string, define: Record<string, string>): Promise<string> {
  const bundle = await rolldown({ input: inRoot(entry), platform: "neutral", transform: { define } });
  const { output } = await bundle.generate({ format: "iife", name: "guest", minify: true });
  await bundle.close();
  return output[0].code;
}

async function bundleProgram(name: ProgramName, entry: string, boot: string): Promise<void> {
  const bundle = await rolldown({
    input: inRoot(entry),
    platform: "node",
    external: packages,
    transform: {
      define: {
        GUEST_BOOT_TEXT: JSON.stringify(boot),
        GUEST_PROCESS_TEXT: JSON.stringify(processText),
        GUEST_AMBIENT_TEXT: JSON.stringify(ambient),
      },
    },
  });
  const file = fileURLToPath(programUrl(name));
  await bundle.write({ file, format: file.endsWith(".cjs") ? "cjs" : "esm" });
  await bundle.close();
}
