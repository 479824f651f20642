// Builds the package: the library as it is laid out, the example that `vivarium demo` runs, and the programs that run in
// processes and threads of their own as one file each, so that they start fast and need nothing beside them.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const inRoot = (path: string): string => `${root}${path}`;

const programs = {
  "cell-host": "src/execution/cell-host/main.ts",
  "compiler-host": "src/code/compiler-host/main.ts",
  watchdog: "src/execution/enforcement/watchdog-thread.ts",
  starter: "src/jail/spawn/starter-thread.ts",
  "store-writer": "src/store/folder/writer-thread.ts",
} as const;

rmSync(inRoot("dist"), { recursive: true, force: true });
compile("tsconfig.build.json");
// After the library, as the demo imports it by its name and so by what was just built.
compile("tsconfig.demo.json");
makeExecutable("dist/cli/main.js");
copyFileSync(inRoot("src/guest/ambient.d.ts"), inRoot("dist/guest/ambient.d.ts"));
const guestTexts = {
  GUEST_BOOT_TEXT: `(()=>{"use strict";${await bundleScript("src/guest/boot.ts")}\nreturn guest.boot})()`,
  GUEST_EXTRAS_TEXT: `"use strict";${await bundleScript("src/guest/globals/extras.ts")}\nreturn guest.makeExtras`,
  GUEST_PROCESS_TEXT: `(()=>{"use strict";${await bundleScript("src/guest/otp/install.ts")}\nreturn guest.install})()`,
};
const ambient = readFileSync(inRoot("src/guest/ambient.d.ts"), "utf8");
for (const [name, entry] of Object.entries(programs)) await bundleProgram(name, entry);
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

/** A part of the guest runtime as one script that sets `guest`. */
async function bundleScript(entry: string): Promise<string> {
  const bundle = await rolldown({ input: inRoot(entry), platform: "neutral" });
  const { output } = await bundle.generate({ format: "iife", name: "guest", minify: true });
  await bundle.close();
  // Every isolate has a copy of the text: with a single letter beyond Latin it would take twice the memory.
  return output[0].code.replaceAll(/[^\0-\x7f]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

async function bundleProgram(name: string, entry: string): Promise<void> {
  const texts = Object.entries({ ...guestTexts, GUEST_AMBIENT_TEXT: ambient });
  const bundle = await rolldown({
    input: inRoot(entry),
    platform: "node",
    external: ["isolated-vm", "esbuild", /^typescript/, /^rolldown/],
    transform: {
      define: Object.fromEntries(texts.map(([constant, text]) => [constant, JSON.stringify(text)])),
    },
  });
  await bundle.write({ file: inRoot(`dist/programs/${name}.js`), format: "esm" });
  await bundle.close();
}
