// Starts a program on a data folder again and again, kills it with SIGKILL each time at another moment, and lets the last
// one run to its end.
import { spawn } from "node:child_process";
import { watch } from "node:fs";
import { root, runNode, type Ended } from "../e2e/program.ts";

/** When a process is killed: when it has written this to stderr, or when its folder has changed so often. */
export type Moment = { readonly stderr: RegExp } | { readonly changes: number };

export interface KilledRun {
  /** What each process that was killed had written to stderr. */
  readonly killed: readonly string[];
  readonly last: Ended;
}

/** Kills a process of `args` at each moment, then runs one more to its end. */
export async function runKilled(
  args: readonly string[],
  folder: string,
  moments: readonly Moment[],
): Promise<KilledRun> {
  const killed: string[] = [];
  for (const moment of moments) killed.push(await killAt(args, folder, moment));
  return { killed, last: await runNode(args) };
}

/** Returns what it had written to stderr; rejects where it ended by itself before its moment. */
async function killAt(args: readonly string[], folder: string, moment: Moment): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // In a session of its own, so that nothing but the kernel ends its cells.
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if ("stderr" in moment && moment.stderr.test(stderr)) child.kill("SIGKILL");
  });
  let changes = 0;
  const watcher = watch(folder, () => {
    changes++;
    if ("changes" in moment && changes >= moment.changes) child.kill("SIGKILL");
  });
  child.once("error", reject);
  child.once("close", (code, signal) => {
    watcher.close();
    const when = "stderr" in moment ? String(moment.stderr) : `${moment.changes} changes of its folder`;
    if (signal === "SIGKILL") resolve(stderr);
    else reject(new Error(`it must be killed at ${when}: it ended with ${code} after ${changes}\n${stderr}`));
  });
  return promise;
}
