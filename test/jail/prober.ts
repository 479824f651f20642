// A cell that has been taken over: the real cell host, sealed as ever, beside which the probes run with native calls.
// Started with the cell's own arguments, then the targets, then the cell host.
import { writeSync } from "node:fs";
import { openKernel } from "../../src/std/kernel.ts";
import { toFrame } from "../../src/std/frames.ts";
import { apiProbes } from "./api-probes.ts";
import { bombs } from "./bombs.ts";
import { fileProbes } from "./file-probes.ts";
import { networkProbes } from "./network-probes.ts";
import { openNative } from "./native.ts";
import { errorNames, type Finding, type Probe, type Targets, type Tools } from "./probe.ts";
import { processProbes } from "./process-probes.ts";

const pipeFd = 3;
const bombMs = 20;
const probeMsMax = 5_000;

// What an escaped guest would have: machine code of its own. It is loaded before the seal, as nothing can be after it.
const kernel = openKernel();
const native = openNative();
const kept: Uint8Array[] = [];
const [, , , , , targetsText = "{}", cellHost = ""] = process.argv;
const targets = JSON.parse(targetsText) as Targets & {
  readonly bomb?: keyof typeof bombs;
  readonly alone?: true;
};
// System calls by FFI stand for machine code, which asks no permission; they are used until Node's own are probed.
const permission = process.permission as { drop?: (scope: string) => void } | undefined;
const drop = permission?.drop?.bind(permission);
if (permission !== undefined && drop !== undefined)
  permission.drop = (scope) => (scope === "ffi" ? undefined : drop(scope));
if (targets.alone !== true) await import(cellHost);

if (kernel === undefined) say({ t: "probed", findings: {} });
else if (targets.bomb !== undefined) setInterval(bombs[targets.bomb], bombMs, native);
else {
  const tools: Tools = { kernel, targets, text, start: native.start };
  const findings: Record<string, Finding> = {};
  for (const probe of [...fileProbes, ...networkProbes, ...processProbes])
    findings[probe.id] = await find(probe, tools);
  drop?.("ffi");
  for (const probe of apiProbes) findings[probe.id] = await find(probe, tools);
  say({ t: "probed", findings, env: process.env, argv: process.argv, execArgv: process.execArgv });
}

async function find({ act }: Probe, tools: Tools): Promise<Finding> {
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, probeMsMax, "nothing happened");
  // Some refusals of Node's are thrown outside of any call.
  const onThrown = (error: Error & { code?: string }): void => resolve(error.code ?? error.message);
  process.on("uncaughtException", onThrown);
  try {
    const how = await Promise.race([Promise.resolve(act(tools)).then((result) => ({ result })), late]);
    if (typeof how === "string") return `stopped: ${how}`;
    const { result } = how;
    if (typeof result !== "number" || result >= 0) return "open";
    return `stopped: ${errorNames[-result] ?? `error ${-result}`}`;
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return `stopped: ${String(code ?? message)}`;
  } finally {
    clearTimeout(timer);
    process.off("uncaughtException", onThrown);
  }
}

function text(value: string): Uint8Array {
  const bytes = Buffer.from(`${value}\0`);
  kept.push(bytes);
  return bytes;
}

// The pipe is read all the while, so that it never stays full.
function say(message: object): void {
  const frame = toFrame(message);
  for (let at = 0; at < frame.length;) {
    try {
      at += writeSync(pipeFd, frame, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}
