// The sandbox's clock: the machine's, or a virtual one that stands still until a timer moves it.

const realNow = Date.now;

let latest = 0;
let origin = realNow();
let virtual: number | undefined;

/** From here on time is virtual and stands at `now`. */
export function freezeClock(now: number): void {
  virtual = now;
  origin = now;
}

export function isVirtual(): boolean {
  return virtual !== undefined;
}

/** Milliseconds since the epoch. */
export function clockNow(): number {
  return virtual ?? realNow();
}

/** As `clockNow`, but it never goes back when the machine's clock does. */
export function steadyNow(): number {
  if (virtual !== undefined) return virtual;
  const now = realNow();
  if (now > latest) latest = now;
  return latest;
}

export function timeOrigin(): number {
  return origin;
}

export function sinceOrigin(): number {
  return steadyNow() - origin;
}

/** Moves a virtual clock forward to the moment a timer is due; has no effect on the machine's. */
export function advanceTo(moment: number): void {
  if (virtual !== undefined && moment > virtual) virtual = moment;
}
