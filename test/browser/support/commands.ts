// Commands that serve the page, as users start them: each in a process of its own, until Ctrl-C.
import { spawn } from "node:child_process";
import { chmodSync } from "node:fs";
import { root } from "../../e2e/program.ts";
import type { Folder } from "../../support/folders.ts";

export interface Command extends AsyncDisposable {
  /** What the pattern first finds in all that it writes. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ctrl-C; resolves with its exit code. */
  interrupt(): Promise<number | null>;
}

/** The address of a page, with its token. */
export const linkForm: RegExp = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w%.~-]+/;

/** `vivarium` as it was built. */
export function startCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): Command {
  const child = spawn(process.execPath, [`${root}dist/cli/main.js`, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 240_000,
    killSignal: "SIGKILL",
  });
  let text = "";
  let hasEnded = false;
  let look: () => void = () => undefined;
  const read = (part: string): void => {
    text += part;
    look();
  };
  child.stdout.setEncoding("utf8").on("data", read);
  child.stderr.setEncoding("utf8").on("data", read);
  const ended = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      hasEnded = true;
      look();
      resolve(code);
    }),
  );
  const interrupt = async (): Promise<number | null> => {
    child.kill("SIGINT");
    return await ended;
  };
  return {
    until: (pattern) =>
      new Promise((resolve, reject) => {
        look = () => {
          const found = pattern.exec(text);
          if (found !== null) resolve(found);
          else if (hasEnded) reject(new Error(`it ended without ${pattern} and said: ${text}`));
        };
        look();
      }),
    interrupt,
    [Symbol.asyncDispose]: async () => void (await interrupt()),
  };
}

/** A program that stands for a browser: it writes the address that it is given into the file `opened`, whole or not at all. */
export function fakeBrowser(folder: Folder): string {
  const opened = folder.at("opened");
  folder.write({
    browser: `#!/bin/sh\nprintf '%s' "$*" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`,
  });
  chmodSync(folder.at("browser"), 0o755);
  return folder.at("browser");
}
