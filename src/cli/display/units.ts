// Numbers with their units, in a few characters and the same everywhere.

export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Bytes in powers of 1,024, as limits are given. */
export function memoryText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  // What would be shown as 1024.0 belongs to the next unit.
  while (value >= 1_023.95 && unit < units.length - 1) [value, unit] = [value / 1_024, unit + 1];
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A duration with two units at most: `4 s`, `1 min 20 s`, `3 h 5 min`, `2 d 4 h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, "h", minutes % 60, "min");
  return two(Math.floor(hours / 24), "d", hours % 24, "h");
}

// oxlint-disable-next-line max-params -- two numbers, each with its unit
function two(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

/** Milliseconds as precisely as they are worth it: `0.42 ms`, `12 ms`, `1.50 s`. */
export function millisecondsText(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`;
  return `${ms >= 10 ? ms.toFixed(0) : ms.toFixed(2)} ms`;
}
