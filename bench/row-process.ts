// Measures one row in a process of its own, so that no row is affected by the JIT and heap of another.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { measure, type Result } from "./measure.ts";
import type { Row } from "./row.ts";
import { rows } from "./rows.ts";

type Message = { readonly round: number } | { readonly result: Result } | { readonly failure: string };

const rowMs = 900_000;

/** Measures a row; rejects when it cannot be measured, or takes longer than a quarter of an hour. */
export function measureApart(row: Row, onRound: (round: number) => void): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const child = fork(fileURLToPath(import.meta.url), [row.name], { timeout: rowMs, killSignal: "SIGKILL" });
  child.on("message", (message: Message) => {
    if ("round" in message) onRound(message.round);
    else if ("result" in message) resolve(message.result);
    else reject(new Error(message.failure));
  });
  child.once("error", reject);
  child.once("exit", (code, signal) =>
    reject(new Error(`its process ended by ${signal ?? `exit code ${code}`}`)),
  );
  return promise;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const row = rows.find(({ name }) => name === process.argv[2]) as Row;
  const tell = (message: Message): void => void process.send?.(message);
  try {
    tell({ result: await measure(row, (round) => tell({ round })) });
  } catch (error) {
    tell({ failure: error instanceof Error ? error.message : String(error) });
  }
  process.disconnect?.();
}
