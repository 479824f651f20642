// Opens an address in the browser of whoever sits here, by the program that the system has for that. It is a convenience: where
// there is none, or it fails, the caller learns so and goes on.
import { spawn } from "node:child_process";
import { systemClock, type Clock } from "../std/clock.ts";

export interface OpenPageOptions {
  /** `BROWSER` names a program that comes first. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
  readonly clock?: Clock;
}

/** An opener that runs for longer is the browser itself. */
const openMs = 2_000;
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  // What `start` does, which is no program but a word of its shell.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
const usual: readonly string[] = ["xdg-open"];

/** Resolves within seconds: whether a program has taken the address. Addresses that are not of the web are given to none. */
export async function openPage(address: string, options: OpenPageOptions = {}): Promise<boolean> {
  const { env = process.env, platform = process.platform, clock = systemClock } = options;
  const url = URL.parse(address);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return false;
  const own = env["BROWSER"] ?? "";
  for (const [program = "", ...args] of [...(own === "" ? [] : [[own]]), openers[platform] ?? usual])
    if (await isTaken([program, ...args, url.href], env, clock)) return true;
  return false;
}

/** Says where a page is, and opens it where that is wanted. */
export async function openOrSay(
  address: string,
  note: (text: string) => void,
  options?: OpenPageOptions,
): Promise<void> {
  if (!(await openPage(address, options)))
    note("No browser was found here: open the address of the dashboard in one.");
}

function isTaken(
  [program = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  clock: Clock,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // No shell reads the address, and the browser outlives the command.
  const child = spawn(program, args, { env, detached: true, stdio: "ignore", shell: false });
  const timer = clock.after(openMs, () => resolve(true));
  child.once("error", () => resolve(false));
  child.once("exit", (code) => resolve(code === 0));
  child.unref();
  return promise.finally(() => timer.cancel());
}
