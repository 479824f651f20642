// What the compiler knows of outcomes and failures.
import {
  unwrap,
  type BatchOutcome,
  type BatchResult,
  type Failure,
  type FailureKind,
  type GuestFailure,
  type Outcome,
  type Sandbox,
  type Success,
  type Usage,
  type VivariumError,
} from "vivarium";
import type { Equal, Expect } from "./expect.ts";

declare const outcome: Outcome<number>;
declare const created: BatchResult<Sandbox>;
declare const called: BatchOutcome<string>;

export function narrowed(): number | FailureKind {
  // @ts-expect-error a value is there only once `ok` was asked
  void outcome.value;
  // @ts-expect-error and so is an error
  void outcome.error;
  return outcome.ok ? outcome.value : outcome.error.kind;
}

export function exhausted(kind: FailureKind): string {
  switch (kind) {
    case "timeout":
    case "cpu":
    case "memory":
    case "output-limit":
      return "a limit";
    default: {
      // @ts-expect-error there are other kinds
      const none: never = kind;
      return none;
    }
  }
}

export function unwrapped(): number {
  return unwrap(outcome);
}

export function batched(): void {
  if (created.ok) void (created.value satisfies Sandbox);
  else void (created.error satisfies VivariumError);
  if (called.ok) void (called.value satisfies string);
  else void (called.error satisfies GuestFailure);
}

export type Checks = [
  Expect<Equal<Outcome<number>, Success<number> | Failure>>,
  Expect<Equal<Outcome["usage"], Usage>>,
  Expect<Equal<Extract<Outcome<number>, { ok: true }>["value"], number>>,
  Expect<Equal<Extract<Outcome<number>, { ok: false }>["error"], GuestFailure>>,
  Expect<Equal<BatchOutcome<number>["sandboxId"], string>>,
  Expect<Equal<BatchOutcome<number>["index"], number>>,
];
