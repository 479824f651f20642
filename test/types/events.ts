// What the compiler knows of events, options and errors.
import {
  createRuntime,
  LoadError,
  type AnyEvent,
  type ErrorCode,
  type EventMap,
  type EventName,
  type Events,
  type RuntimeOptions,
  type Usage,
  VivariumError,
} from "vivarium";
import { Tracker } from "vivarium/evolution";
import type { Equal, Expect } from "./expect.ts";

declare const events: Events;
declare const any: AnyEvent;

export function heard(): void {
  const stop = events.on("sandbox.run.stop", ({ sandboxId, durationMs, usage }) => {
    void (sandboxId satisfies string);
    void (durationMs satisfies number);
    void (usage satisfies Usage);
  });
  void (stop satisfies () => void);
  // @ts-expect-error there is no such event
  events.on("sandbox.run.end", () => {});
  // @ts-expect-error and no such field
  events.on("cell.started", ({ sandboxId }) => sandboxId);
  events.publish("fitness.adjusted", { sandboxId: "a", delta: 1, score: 2, reason: "luck" });
  // @ts-expect-error only the runtime says that a cell is gone
  events.publish("cell.exited", { cell: 1, pid: 1, cause: "", detail: "", sandboxes: 0 });
  if (any.name === "cell.exited") void (any.event.cause satisfies string);
}

export async function options(): Promise<void> {
  await using runtime = await createRuntime({ cells: { count: 2 }, limits: { timeoutMs: 1 } });
  void (runtime.retention(new Tracker().retention) satisfies () => void);
  // @ts-expect-error a policy answers at once
  runtime.retention(async (living) => living);
  const { fitness } = await runtime.metrics();
  void (fitness["island"]?.scores.counts satisfies readonly number[] | undefined);
  // @ts-expect-error there is no such option
  await createRuntime({ cell: 2 });
  // @ts-expect-error counts are numbers
  await createRuntime({ cells: { count: "2" } });
}

export function caught(error: unknown): ErrorCode | undefined {
  if (error instanceof LoadError)
    void (error.phase satisfies "parse" | "compile" | "link" | "evaluate" | (string & {}));
  return error instanceof VivariumError ? error.code : undefined;
}

export type Checks = [
  Expect<Equal<AnyEvent["name"], EventName>>,
  Expect<Equal<EventMap["gc.collected"]["expired"], number>>,
  Expect<Equal<Parameters<typeof createRuntime>, [options?: RuntimeOptions | undefined]>>,
];
