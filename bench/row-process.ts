// Measures one row in a process of its own, so that no row is affected by the JIT and heap of another.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { measure, type Result } from "./measure.ts";
import type { Row } from "./row.ts";
import { rows } from "./rows.ts";
import { subjectVariable } from "./subject.ts";

type Message = { readonly round: number } | { readonly result: Result } | { readonly failure: string };

export interface MeasureOptions {
  readonly onRound: (round: number) => void;
  /** At most so many rounds. Default: as many as the row has. */
  readonly roundsMax?: number;
  /** The root of another checkout, built, whose package is measured. Default: this one. */
  readonly subject?: string;
  readonly signal?: AbortSignal;
}

const rowMs = 900_000;

/** Measures a row; rejects when it cannot be measured, or takes longer than a quarter of an hour. */
export function measureApart(row: Row, options: MeasureOptions): Promise<Result> {
  const { onRound, roundsMax = row.rounds, subject, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const child = fork(fileURLToPath(import.meta.url), [row.name, String(roundsMax)], {
    timeout: rowMs,
    killSignal: "SIGKILL",
    ...(signal && { signal }),
    ...(subject !== undefined && { env: { ...process.env, [subjectVariable]: subject } }),
  });
  child.on("message", (message: Message) => {
    if ("round" in message) onRound(message.round);
    else if ("result" in message) resolve(message.result);
    else reject(new Error(message.failure));
  });
  child.once("error", reject);
  child.once("exit", (code, signalName) =>
    reject(new Error(`its process ended by ${signalName ?? `exit code ${code}`}`)),
  );
  return promise;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const row = rows.find(({ name }) => name === process.argv[2]) as Row;
  const rounds = Math.min(row.rounds, Number(process.argv[3]));
  const tell = (message: Message): void => void process.send?.(message);
  try {
    tell({ result: await measure({ ...row, rounds }, (round) => tell({ round })) });
  } catch (error) {
    tell({ failure: error instanceof Error ? error.message : String(error) });
  }
  process.disconnect?.();
}
