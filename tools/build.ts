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
const bootText = await bundleGuest();
const processText = `(()=>{"use strict";${await bundleScript("src/guest/otp/install.ts", {})}\nreturn guest.install})()`;
const ambient = readFileSync(inRoot("src/guest/ambient.d.ts"), "utf8");
for (const [name, entry] of Object.entries(programs)) await bundleProgram(name, entry, bootText);
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

async function bundleProgram(name: string, entry: string, boot: string): Promise<void> {
  const bundle = await rolldown({
    input: inRoot(entry),
    platform: "node",
    external: ["isolated-vm", "esbuild", /^typescript/, /^rolldown/],
    transform: {
      define: {
        GUEST_BOOT_TEXT: JSON.stringify(boot),
        GUEST_PROCESS_TEXT: JSON.stringify(processText),
        GUEST_AMBIENT_TEXT: JSON.stringify(ambient),
      },
    },
  });
  await bundle.write({ file: inRoot(`dist/programs/${name}.js`), format: "esm" });
  await bundle.close();
}
