// Pure: what a process said when it ended, in one line.

/** V8 writes why it gives up between lines of marks. */
const reason = /^(?:Check failed|Debug check failed|Fatal JavaScript|FATAL ERROR|unreachable code)/;

/** The line that says why, else the first that says anything. */
export function lastWordsIn(said: string): string {
  const lines = said.split("\n").map((line) => line.replace(/^#+/, "").trim());
  return lines.find((line) => reason.test(line)) ?? lines.find((line) => line !== "") ?? "";
}
