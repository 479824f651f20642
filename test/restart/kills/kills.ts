// Kills a process that works on a data folder again and again, at random moments, and compares what the next one finds with
// what the client of the last was told.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Dice } from "../../fuzz/dice.ts";
import { isAlive } from "../../support/processes.ts";
import { until } from "../../support/waiting.ts";
import { Expected, type Line } from "./expected.ts";

export interface KillsOptions {
  readonly data: string;
  readonly seed: number;
  readonly kills: number;
  readonly durability?: "process" | "power";
  readonly onKill?: (count: number, expected: Expected) => void;
}

export interface KillsReport {
  readonly kills: number;
  readonly acknowledged: number;
  readonly faults: readonly string[];
  /** How long each start took, in milliseconds. */
  readonly openMs: readonly number[];
}

/** The longest time for which a process works before it is killed. */
const workMsMax = 1_200;
/** So many steps it does in any case, unless it is killed before it begins. */
const stepsMin = 20;
const openMsMax = 60_000;

export async function killAgainAndAgain(options: KillsOptions): Promise<KillsReport> {
  const dice = new Dice(options.seed);
  const expected = new Expected();
  const openMs: number[] = [];
  for (let count = 1; count <= options.kills; count++) {
    await oneLife({ ...options, seed: options.seed + count }, { dice, expected, openMs, isLast: false });
    options.onKill?.(count, expected);
  }
  await oneLife(options, { dice, expected, openMs, isLast: true });
  return { kills: options.kills, acknowledged: expected.acknowledged, faults: expected.faults, openMs };
}

interface Life {
  readonly dice: Dice;
  readonly expected: Expected;
  readonly openMs: number[];
  readonly isLast: boolean;
}

async function oneLife(options: KillsOptions, { dice, expected, openMs, isLast }: Life): Promise<void> {
  const child = start(options, expected, isLast);
  const errors: string[] = [];
  child.stderr?.on("data", (data: Buffer) => errors.push(String(data)));
  let pids: readonly number[] = [];
  const found = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const worked = Promise.withResolvers<void>();
  let steps = 0;
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on("line", (text) => {
    const line = parse(text);
    if (line === undefined) return;
    expected.hear(line);
    if (line.t === "done" && ++steps >= stepsMin) worked.resolve();
    if (line.t !== "found") return;
    pids = line.pids;
    openMs.push(line.openMs);
    found.resolve();
  });
  lines.on("close", ended.resolve);
  // Some are killed before they have said what they found.
  const isEarly = !isLast && dice.chance(0.15);
  const waitMs = isEarly ? dice.below(700) : dice.below(workMsMax);
  if (!isEarly) await Promise.race([found.promise, once(child, "exit"), pause(openMsMax)]);
  if (!isLast) {
    await Promise.race([pause(waitMs), once(child, "exit")]);
    // A slow machine is given the time to do something at all.
    if (!isEarly) await Promise.race([worked.promise, once(child, "exit"), pause(openMsMax)]);
    if (child.exitCode !== null)
      expected.faults.push(`it ended by itself: ${errors.join("").slice(0, 2_000)}`);
    child.kill("SIGKILL");
  }
  // What it said before it was killed is still in the pipe.
  await ended.promise;
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  if (isLast && child.exitCode !== 0) expected.faults.push(`it did not end well: ${errors.join("")}`);
  await until("its children are gone", () => pids.every((pid) => !isAlive(pid)));
}

function start(
  { data, seed, durability = "process" }: KillsOptions,
  expected: Expected,
  isLast: boolean,
): ChildProcess {
  const program = fileURLToPath(new URL("busy-process.ts", import.meta.url));
  const named = ["--data", data, "--seed", String(seed), "--durability", durability];
  const destroyed = ["--destroyed", expected.destroyed.join(",")];
  const args = [program, ...named, ...destroyed, ...(isLast ? ["--once"] : [])];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
}

// The last line may be cut off.
function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
