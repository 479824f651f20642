// The browser that tests of the dashboard use: one that is installed, or Debian's package, unpacked below node_modules without
// being installed, so that nothing of the machine is changed and nobody must be root.
import { execFile } from "node:child_process";
import {
  accessSync,
  constants,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const bringMs = 300_000;
const outputBytesMax = 64 * 2 ** 20;
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const folders = ["/usr/bin", "/usr/local/bin", "/opt/google/chrome"];
/** Where one lies that was brought. */
const cache = fileURLToPath(new URL("../../node_modules/.cache/chromium", import.meta.url));
const wanted = ["chromium", "fonts-dejavu-core"];

/** What to do where there is none. */
export const chromiumAdvice =
  "Install Chromium (Debian: apt-get install chromium), or name one: VIVARIUM_CHROMIUM=/path/to/chromium";

/** How to start browsers in tests: without a display, and without connections of their own. */
export const chromiumArguments: readonly string[] = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** `VIVARIUM_CHROMIUM` names one; as `none` it hides those that are installed. Null where there is none. */
export function findChromium(named: string | undefined = process.env["VIVARIUM_CHROMIUM"]): string | null {
  const brought = join(cache, "chromium");
  if (named !== undefined && named !== "" && named !== "none") return canRun(named) ? named : null;
  const installed =
    named === "none" ? [] : folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [...installed, brought].find(canRun) ?? null;
}

/** Finds one, or brings one. Resolves to null, or to why there is none. */
export async function bringChromium(): Promise<string | null> {
  if (findChromium() !== null) return null;
  const made = `${cache}-${process.pid}`;
  try {
    await unpackInto(made, AbortSignal.timeout(bringMs));
    rmSync(cache, { recursive: true, force: true });
    renameSync(made, cache);
    return null;
  } catch (error) {
    const { message, stderr = "" } = error as { readonly message: string; readonly stderr?: string };
    return [message.split("\n")[0], stderr.trim().split("\n").at(-1)].filter(Boolean).join(": ");
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

async function unpackInto(folder: string, signal: AbortSignal): Promise<void> {
  const [packages, root] = [join(folder, "packages"), join(folder, "root")];
  for (const path of [packages, root, join(folder, "lists", "partial"), join(folder, "archives", "partial")])
    mkdirSync(path, { recursive: true });
  // What is there of the browser itself does not count: its package may be installed without the program.
  writeFileSync(join(folder, "status"), withoutBrowser(readFileSync("/var/lib/dpkg/status", "utf8")));
  const apt = (...words: readonly string[]): Promise<{ readonly stdout: string }> =>
    run("apt-get", [...aptOptions(folder), ...words], { cwd: packages, signal, maxBuffer: outputBytesMax });
  await apt("update");
  const { stdout } = await apt("--print-uris", "-qq", "-y", "--no-install-recommends", "install", ...wanted);
  const missing = [...stdout.matchAll(/^'[^']*' ([^_\s]+)_/gm)].map(([, name = ""]) => name);
  await apt("-q", "download", ...new Set(["chromium", ...missing]));
  for (const file of globSync("*.deb", { cwd: packages }))
    await run("dpkg-deb", ["-x", file, root], { cwd: packages, signal });
  for (const done of ["packages", "lists", "archives", "status"])
    rmSync(join(folder, done), { recursive: true, force: true });
  writeFileSync(join(folder, "fonts.conf"), fonts);
  const program = join(folder, "chromium");
  writeFileSync(program, launcher, { mode: 0o755 });
  await run(program, [...chromiumArguments, "--dump-dom", "about:blank"], { signal });
}

const aptOptions = (folder: string): readonly string[] =>
  [
    `Dir::State::status=${join(folder, "status")}`,
    `Dir::State::lists=${join(folder, "lists")}`,
    `Dir::Cache=${folder}`,
    "Debug::NoLocking=1",
    "Acquire::Retries=3",
    // The user that apt fetches as may not reach these folders.
    `APT::Sandbox::User=${process.getuid?.() === 0 ? "root" : "_apt"}`,
  ].flatMap((option) => ["-o", option]);

function withoutBrowser(status: string): string {
  return status
    .split("\n\n")
    .filter((stanza) => !/^Package: chromium/m.test(stanza))
    .join("\n\n");
}

const launcher = `#!/bin/sh
# Starts the unpacked browser with the libraries that were unpacked beside it.
here=$(cd "$(dirname "$0")" && pwd)
for folder in "$here"/root/usr/lib/*-linux-gnu "$here"/root/lib/*-linux-gnu; do
  libraries="$libraries:$folder:$folder/nss:$folder/pulseaudio"
done
export LD_LIBRARY_PATH="$here/root/usr/lib/chromium$libraries\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="$here/fonts.conf"
export XDG_CACHE_HOME="$here/cache"
exec "$here/root/usr/lib/chromium/chromium" "$@"
`;

const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir prefix="relative">root/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
