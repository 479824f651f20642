// Runs a program in a terminal of its own, by the `script` of util-linux, and types into it when it has written what is waited for.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";

export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

const waitMs = 30_000;

/** Fails where the machine has no `script`, as a terminal cannot be had without it. */
export class Pty implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #text = "";
  #seen = 0;
  #look: () => void = () => undefined;

  constructor(command: readonly string[], { columns = 80, rows = 24, env = {}, cwd }: PtyOptions = {}) {
    const found = spawnSync("script", ["--version"]);
    assert.equal(found.status, 0, "these tests need the command script, of the package util-linux");
    const quoted = command.map((part) => `'${part.replaceAll("'", `'\\''`)}'`).join(" ");
    const line = `stty cols ${columns} rows ${rows}; exec ${quoted}`;
    this.#child = spawn("script", ["-qec", line, "/dev/null"], {
      env: { ...process.env, TERM: "xterm-256color", ...env },
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child.stdin?.on("error", () => undefined);
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#text += text;
      this.#look();
    });
    const ended = Promise.withResolvers<number | null>();
    this.#child.once("close", (code) => {
      ended.resolve(code);
      this.#look();
    });
    this.#ended = ended.promise;
  }

  /** All that was written so far, with its escape sequences. */
  get text(): string {
    return this.#text;
  }

  /** Resolves with what was written since the last time, without escape sequences, when that has this in it. */
  async until(wanted: RegExp): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const late = setTimeout(
      () => reject(new Error(`no ${wanted} in ${waitMs} ms:\n${this.#rest()}`)),
      waitMs,
    );
    this.#look = () => {
      if (wanted.test(this.#rest())) resolve(this.#take());
      else if (this.#child.exitCode !== null)
        reject(new Error(`it ended without ${wanted}:\n${this.#rest()}`));
    };
    this.#look();
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      this.#look = () => undefined;
    }
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** The exit code, when it has ended. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill("SIGKILL");
    await this.#ended;
  }

  #rest(): string {
    return stripVTControlCharacters(this.#text.slice(this.#seen));
  }

  #take(): string {
    const rest = this.#rest();
    this.#seen = this.#text.length;
    return rest;
  }
}
