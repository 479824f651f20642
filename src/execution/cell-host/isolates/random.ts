// Random bytes for guests, from the system.

/** As many as a guest may ask for at once. */
const lengthMax = 65_536;

/** So many bytes, as a text of letters up to 255. */
export function randomText(length: number): string {
  // Loaded with the first request: few guests ask for it, and every start of a cell would take longer.
  const { randomBytes } = process.getBuiltinModule("node:crypto");
  return randomBytes(Math.min(Math.max(0, Math.trunc(length)), lengthMax)).toString("latin1");
}
