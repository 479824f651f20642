// Processes that own a data folder, for tests that end them.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface FolderProcess {
  readonly child: ChildProcess;
  /** What it prints, line by line. */
  readonly lines: AsyncIterableIterator<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/**
 * `hold` opens the folder and says so; `idle` saves two sandboxes, and waits for one; `write` saves one after the other and
 * prints the id of each that was acknowledged.
 */
export function startProcess(path: string, task: "hold" | "idle" | "write"): FolderProcess {
  const program = new URL("data-folder-program.ts", import.meta.url);
  const child = spawn(process.execPath, [program.pathname, path, task], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit").then(([code, signal]: (number | string | null)[]) => ({
    code: code as number | null,
    signal: signal as string | null,
  }));
  return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator](), ended };
}
