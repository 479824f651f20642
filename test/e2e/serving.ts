// A server as a user starts it: the command, in a process of its own, with a token and a free port.
import { spawn } from "node:child_process";
import { root } from "./program.ts";

export interface Serving extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** What programs are told by. */
  readonly env: Readonly<Record<"VIVARIUM_URL" | "VIVARIUM_TOKEN", string>>;
}

export interface ServingOptions {
  /** The program and the arguments before `serve`. Default: the command as it was built. */
  readonly command?: readonly [file: string, ...args: string[]];
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

const startMs = 60_000;

/** Starts it, and reads from what it prints where it is and its token. */
export async function startServing(options: ServingOptions = {}): Promise<Serving> {
  const {
    command = [process.execPath, `${root}dist/cli/main.js`],
    args = [],
    cwd = root,
    env = process.env,
  } = options;
  const [file, ...before] = command;
  const child = spawn(file, [...before, "serve", "--port", "0", ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 600_000,
    killSignal: "SIGKILL",
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const told = Promise.withResolvers<{ readonly url: string; readonly token: string }>();
  let text = "";
  const read = (part: string): void => {
    text += part;
    const [url] = /https?:\/\/[\w.:[\]-]+/.exec(text) ?? [];
    const [, token] = /token:?\s+([\w.~+/-]{16,}=*)\s/i.exec(text) ?? [];
    if (url !== undefined && token !== undefined) told.resolve({ url, token });
  };
  child.stdout.setEncoding("utf8").on("data", read);
  child.stderr.setEncoding("utf8").on("data", read);
  const late = AbortSignal.timeout(startMs);
  late.addEventListener("abort", () => told.reject(new Error(`the server said only: ${text}`)), {
    once: true,
  });
  void ended.then(() => told.reject(new Error(`the server ended and said: ${text}`)));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  try {
    const { url, token } = await told.promise;
    return {
      url,
      token,
      env: { VIVARIUM_URL: url, VIVARIUM_TOKEN: token },
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
