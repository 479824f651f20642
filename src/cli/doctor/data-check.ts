// Whether a data folder can be written: a small file is written to it, and removed. The folder's own files are not touched.
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { memoryText, millisecondsText } from "../display/units.ts";
import { reasonOf } from "../reasons.ts";
import type { Clock } from "../../index.ts";
import type { Check } from "./checks.ts";

const name = "Data folder";
const freeBytesMin = 2 ** 30;
const slowMs = 50;

export function checkData(path: string, clock: Clock): Check {
  const folder = existing(resolve(path));
  const probe = join(folder, `.vivarium-doctor-${process.pid}`);
  try {
    const startMs = clock.monotonic();
    const file = openSync(probe, "wx", 0o600);
    try {
      writeSync(file, "x");
      fsyncSync(file);
    } finally {
      closeSync(file);
      rmSync(probe, { force: true });
    }
    return judged(path, { folder, tookMs: clock.monotonic() - startMs, freeBytes: freeBytesOf(folder) });
  } catch (error) {
    const advice = "Give a folder that this user may write to.";
    return { name, verdict: "bad", found: `${path} cannot be written: ${reasonOf(error)}`, advice };
  }
}

interface Written {
  readonly folder: string;
  readonly tookMs: number;
  readonly freeBytes: number;
}

function judged(path: string, { folder, tookMs, freeBytes }: Written): Check {
  const isNew = folder !== resolve(path);
  const found = `${path} ${isNew ? "can be made" : "can be written"}, ${memoryText(freeBytes)} free, a write to the disk takes ${millisecondsText(tookMs)}`;
  if (freeBytes < freeBytesMin) return { name, verdict: "warn", found, advice: "Make room on that disk." };
  if (tookMs > slowMs)
    return {
      name,
      verdict: "warn",
      found,
      advice: "Every commit waits for the disk: a faster one makes it quicker.",
    };
  return { name, verdict: "ok", found };
}

/** The folder, or the one above it that is there already. */
function existing(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined || dirname(path) === path ? path : existing(dirname(path));
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
