// One line of a guest's console.

export type LogLevel = "debug" | "log" | "info" | "warn" | "error";

export const logLevels: readonly LogLevel[] = ["debug", "log", "info", "warn", "error"];

export interface LogLine {
  readonly level: LogLevel;
  readonly text: string;
  /** Milliseconds since the epoch, on the runtime's clock. */
  readonly at: number;
}
