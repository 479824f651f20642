// Which console lines are shown.
import type { LogLine } from "../../../../src/index.ts";
import { logLevels, type LogLevel } from "../../../../src/model/runs/log-line.ts";

/** Those of at least this level whose text has these words in it, whatever their case. */
export function filterLines(
  lines: readonly LogLine[],
  { search, level }: { readonly search: string; readonly level: LogLevel | null },
): readonly LogLine[] {
  const words = search.toLowerCase();
  const lowest = level === null ? 0 : logLevels.indexOf(level);
  if (words === "" && lowest === 0) return lines;
  return lines.filter(
    (line) =>
      logLevels.indexOf(line.level) >= lowest && (words === "" || line.text.toLowerCase().includes(words)),
  );
}

export function readLevel(text: string | undefined): LogLevel | null {
  return logLevels.find((level) => level === text) ?? null;
}
