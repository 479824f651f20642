// What is said when no descriptor is free: the system's own words name neither the limit nor how it is raised.
import { openKernel } from "./kernel.ts";

const codeOfShortage = "EMFILE";
// Threads and the loader of modules pass on only the system's words.
const wordsOfShortage = /\bEMFILE\b|too many open files/i;
const openFiles = 7;
const limitBytes = 16;

/** Whether something failed because this process may open no more descriptors. */
export function isOutOfDescriptors(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === codeOfShortage || wordsOfShortage.test(textOf(error));
}

/** What an error says, as the end of a sentence “Cannot … as …”. A lack of descriptors is named with its limit. */
export function wordsOf(error: unknown): string {
  if (!isOutOfDescriptors(error)) return textOf(error);
  const limit = descriptorsMax();
  const number = limit === undefined ? "" : ` ${limit},`;
  return `the limit on open descriptors (ulimit -n),${number} must leave room for more: none was free`;
}

/** The limit, without opening anything; undefined where this Node cannot ask for it. */
export function descriptorsMax(): number | undefined {
  const limits = Buffer.alloc(limitBytes);
  if (openKernel()?.call("prlimit64", 0, openFiles, 0, limits) !== 0) return undefined;
  return Number(limits.readBigUInt64LE(0));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
