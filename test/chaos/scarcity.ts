// Starts where something is scarce, and starts that are killed at random moments. `node test/chaos/scarcity.ts` kills at 50
// moments per environment, or at as many as `--moments N` gives; a test does it a few times.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { commandOf, isAlive } from "../support/processes.ts";
import { until } from "../support/waiting.ts";

const program = fileURLToPath(new URL("scarce-start.ts", import.meta.url));
const isRoot = process.getuid?.() === 0;
/** A user of its own, so that its threads are counted separately. */
const unprivileged = { uid: 64_900 + (process.pid % 90), gid: 64_900 };
const goneMs = 10_000;
const answerMs = 120_000;

export interface Environment {
  readonly name: string;
  /** What a shell does before the program takes its place. */
  readonly before: string;
  /** It means nothing to root, or can only be made by root. */
  readonly as: "unprivileged" | "root";
  readonly env?: Readonly<Record<string, string>>;
}

export const launch: readonly Environment[] = [
  { name: "ulimit -u 40", before: "ulimit -u 40", as: "unprivileged" },
  { name: "ulimit -n 24", before: "ulimit -n 24", as: "unprivileged" },
  { name: "ulimit -n 64", before: "ulimit -n 64", as: "unprivileged" },
  { name: "ulimit -v 4000000", before: "ulimit -v 4000000", as: "unprivileged" },
  { name: "no /proc", before: "mount -t tmpfs none /proc", as: "root" },
  { name: "read-only TMPDIR", before: "true", as: "unprivileged", env: { TMPDIR: "/sys" } },
];

/** Why a environment cannot be made here; undefined when it can. */
export function obstacleTo({ as }: Environment): string | undefined {
  if (as === "root" && !isRoot) return "it needs root, to hide /proc";
  return undefined;
}

function start({ before, as, env }: Environment, argument: string): ChildProcess {
  const shell = ["bash", "-c", `${before} && exec "$0" "$@"`, process.execPath, program, argument];
  const [command = "", ...args] = [...(as === "root" ? ["unshare", "-m"] : asUnprivileged()), ...shell];
  return spawn(command, args, {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

// A checkout in a folder that others may not enter is readable by that user with one capability, which no limit depends on.
function asUnprivileged(): readonly string[] {
  if (!isRoot) return [];
  const { uid, gid } = unprivileged;
  const mayRead = spawnSync("test", ["-r", program], { uid, gid }).status === 0;
  const reach = mayRead ? [] : ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  return ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", ...reach];
}

/** The result of a runtime's start in an environment: `works`, or one error with its code. */
export async function tryIn(environment: Environment): Promise<string> {
  const child = start(environment, "once");
  const exit = once(child, "exit") as Promise<[number | null, string | null]>;
  const timer = setTimeout(() => child.kill("SIGKILL"), answerMs);
  let last = "nothing";
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) last = line;
  const [code, signal] = await exit;
  clearTimeout(timer);
  await until("its children are gone", () => offspringOf(child.pid as number).length === 0, goneMs);
  return code === 0 ? last : `${last}, then ended with ${signal ?? code}`;
}

/** Kills the process of a runtime that starts, after a delay, and returns the processes that are left. */
export async function killIn(environment: Environment, afterMs: number): Promise<readonly string[]> {
  const child = start(environment, "again");
  const exit = once(child, "exit");
  const begun = once(createInterface(child.stdout as NodeJS.ReadableStream), "line");
  const first = await Promise.race([begun, exit.then(() => "ended" as const)]);
  if (first === "ended") return ["nothing began: the process ended before its first line"];
  await sleep(afterMs);
  const pid = child.pid as number;
  child.kill("SIGKILL");
  await exit;
  try {
    await until("its children are gone", () => offspringOf(pid).length === 0, goneMs);
    return [];
  } catch {
    const left = offspringOf(pid);
    const commands = left.map(commandOf);
    for (const orphan of left) process.kill(orphan, "SIGKILL");
    return commands;
  }
}

// Cells and compilers have the pid of their starter as an argument.
function offspringOf(pid: number): number[] {
  const isOurs = new RegExp(`(?:cell-host|compiler-host)\\.c?js ${pid} `);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => isOurs.test(commandOf(other)) && isAlive(other));
}

/** Moments spread over the time that a start takes, each somewhere in its own part of it. */
export function momentsOf(count: number, withinMs: number): number[] {
  return Array.from({ length: count }, (_, index) => ((index + Math.random()) / count) * withinMs);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { moments: { type: "string", default: "50" } } });
  const moments = Number(values.moments);
  if (!isRoot) console.log("this is not root: it is done as this user, whose other threads count as well");
  let orphans = 0;
  let wrong = 0;
  for (const environment of launch) {
    const obstacle = obstacleTo(environment);
    const said = obstacle === undefined ? await tryIn(environment) : `not tried: ${obstacle}`;
    if (obstacle === undefined && !/^works$|^[A-Z_]+: /.test(said)) wrong++;
    console.log(`${environment.name}: ${said}`);
  }
  const usual: Environment = { name: "usual limits", before: "true", as: "unprivileged" };
  for (const environment of [usual, ...launch.slice(0, 1)]) {
    const startedMs = performance.now();
    await tryIn(environment);
    const withinMs = performance.now() - startedMs;
    const left: string[] = [];
    for (const afterMs of momentsOf(moments, withinMs)) left.push(...(await killIn(environment, afterMs)));
    orphans += left.length;
    console.log(
      `${environment.name}: killed at ${moments} moments of ${Math.round(withinMs)} ms, ${left.length} left`,
    );
    for (const command of left) console.log(`  ${command}`);
  }
  process.exitCode = orphans + wrong > 0 ? 1 : 0;
}

if (import.meta.main) await main();
