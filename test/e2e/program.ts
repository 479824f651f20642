// Runs a program as a user would, in a process of its own, and returns how it ended.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));

export interface Ended {
  /** The exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  /** What it reads from stdin. Default: nothing. */
  readonly stdin?: string;
  /** Called with all that was written to stderr so far; the signal it first returns is sent. */
  readonly onStderr?: (text: string) => NodeJS.Signals | undefined;
  /** The same of stdout. */
  readonly onStdout?: (text: string) => NodeJS.Signals | undefined;
  /** Called with the number of its process. */
  readonly onStart?: (pid: number | undefined) => void;
}

/** Runs `file` with arguments to its end. One that takes too long is killed, which the code then shows. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<Ended> {
  const { cwd = root, env = process.env, timeoutMs = 300_000, stdin, onStderr, onStdout } = options;
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const child = spawn(file, args, {
    cwd,
    env,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    stdio: ["pipe", "pipe", "pipe"],
  });
  options.onStart?.(child.pid);
  // It may end without having read all of it.
  child.stdin.on("error", () => undefined).end(stdin ?? "");
  let stdout = "";
  let stderr = "";
  let isSignalled = false;
  const ask = (signal: NodeJS.Signals | undefined): void => {
    isSignalled ||= signal !== undefined && child.kill(signal);
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (!isSignalled) ask(onStdout?.(stdout));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (!isSignalled) ask(onStderr?.(stderr));
  });
  child.once("error", reject);
  child.once("close", (code, signal) => resolve({ code: code ?? signal, stdout, stderr }));
  return promise;
}

/** Runs a program of ours with this Node. */
export function runNode(args: readonly string[], options?: ProgramOptions): Promise<Ended> {
  return runProgram(process.execPath, args, options);
}

/** The `vivarium` command, as it was built. */
export function vivarium(...args: readonly string[]): Promise<Ended> {
  return runNode(["dist/cli/main.js", ...args]);
}

/** That a command printed nothing but why it cannot be run, the rule on the first line, and ended with 2. */
export function assertRefused({ code, stdout, stderr }: Ended, rule: string | RegExp): void {
  assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
  const [line = ""] = stderr.split("\n");
  if (typeof rule === "string") assert.equal(line, rule);
  else assert.match(line, rule);
}
