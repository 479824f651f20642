// How long the texts may be that leave a cell in one report. Both sides derive it from the sandbox's `resultBytes`: the guest
// runtime keeps to it, so that the host never refuses what an honest cell sends.

/** One encoded state of a checkpointed server. */
export const stateBytesMaxFor = (resultBytes: number): number => resultBytes;

/** All states that are captured together, as JSON. */
export const captureBytesMaxFor = (resultBytes: number): number => 1.5 * resultBytes + 65_536;

/** All answers that leave together with states, besides the one of the run that ends. */
export const answersBytesMaxFor = (resultBytes: number): number => resultBytes;

/** Everything else in a report: console lines of one frame, requests, failures, samples. */
const restBytesMax = 4 * 2 ** 20;

/** Console lines in one frame, each character counted as the six bytes that it may take there. */
export const logFrameBytesMax = 2 ** 20;

/** How long a frame may be: quoting its texts once more at most doubles them, as they hold no control characters. */
export function frameBytesMaxFor(resultBytes: number): number {
  const texts = resultBytes + answersBytesMaxFor(resultBytes) + captureBytesMaxFor(resultBytes);
  return 2 * texts + restBytesMax;
}

/** How long the JSON of an event of a process may be. */
export const processDetailMax = 8_192;
