// What is decided about the time of a compilation: when it is over, when it has to give way to others, and when to look
// again. What counts is the processor time that the compilation has used, not the time that it waited for anything.

/** A compilation as it stands. */
export interface CompileProgress {
  /** Processor time used for it; undefined where the system does not report that. */
  readonly usedMs: number | undefined;
  /** Since its process began with it. */
  readonly passedMs: number;
}

/** How long others wait behind one compilation before it counts as slow: they are sent to other processes. */
export const patienceMs = 50;

/** How long a compilation that uses no processor time may take, at least; the machine may be busy elsewhere. */
const stillMs = 30_000;
const stillFactor = 4;

/** The kernel counts processor time in steps of 10 ms. */
const lookMsMin = 20;
const lookMsMax = 1_000;

/** How long a compilation may go on while others wait and no process is free; a longer source has more. */
const sliceMsMin = 300;
const sliceFactor = 4;
/** Where it does not even use the processor. */
const sliceStillFactor = 10;

const costMsMin = 1;
const lengthPerMs = 2_048;

/** What a compilation may be expected to cost. */
export function costMsOf(sourceLength: number): number {
  return costMsMin + sourceLength / lengthPerMs;
}

/** How long a compilation may go on at first before it gives way to others. */
export function sliceMsOf(costMs: number): number {
  return Math.max(sliceMsMin, costMs * sliceFactor);
}

/** The work that a compilation has done so far. */
export function workMsOf({ usedMs, passedMs }: CompileProgress): number {
  return usedMs ?? passedMs;
}

/** Whether a compilation has used its time, or has not moved for very long. */
export function isLate(progress: CompileProgress, compileMs: number): boolean {
  const stillMsMax = Math.max(compileMs * stillFactor, compileMs + stillMs);
  return workMsOf(progress) >= compileMs || progress.passedMs >= stillMsMax;
}

/** Whether a compilation has gone on for long enough that it may have to give way to others. */
export function isOverSlice(progress: CompileProgress, sliceMs: number): boolean {
  return workMsOf(progress) >= sliceMs || progress.passedMs >= sliceMs * sliceStillFactor;
}

/** How long until the next decision about a compilation can be due. */
export function nextLookMs(
  progress: CompileProgress,
  { compileMs, sliceMs }: { readonly compileMs: number; readonly sliceMs: number },
): number {
  const workMs = workMsOf(progress);
  const dueMs = [patienceMs - progress.passedMs, sliceMs - workMs, compileMs - workMs];
  const nextMs = Math.min(lookMsMax, ...dueMs.filter((ms) => ms > 0));
  return progress.usedMs === undefined ? nextMs : Math.max(lookMsMin, nextMs);
}
