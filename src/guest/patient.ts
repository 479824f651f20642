// Asks the cell again where it has no time. The cell's main thread serves all guests: one that asks too much is told to wait,
// and waits on its own thread, where it keeps nobody from anything.

const { wait } = Atomics;
const SharedBuffer = SharedArrayBuffer;
const Integers = Int32Array;
const pauseMsMax = 8;
let never: Int32Array | undefined;

/** As `ask`, which answers null when the cell has no time, and is then asked again. A run that is ended meanwhile ends there. */
// oxlint-disable-next-line max-params -- as the cell's function
export function patient<F extends (name: never, a: never, b: never, c: never) => unknown>(ask: F): F {
  // oxlint-disable-next-line max-params -- as the cell's function
  const again = (name: never, a: never, b: never, c: never): unknown => {
    for (let pauseMs = 1; ; pauseMs = pauseMs < pauseMsMax ? pauseMs * 2 : pauseMs) {
      const answer = ask(name, a, b, c);
      if (answer !== null) return answer;
      never ??= new Integers(new SharedBuffer(4));
      wait(never, 0, 0, pauseMs);
    }
  };
  // The same but for null, which no function of the cell answers otherwise.
  return again as F;
}
