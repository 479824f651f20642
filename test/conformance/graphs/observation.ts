// What can be seen of a module graph, here and in Node: how its evaluation went, and what its modules then see of each other.

export interface Seen {
  /** In the order in which it happened. */
  readonly log: readonly string[];
  /** What each module sees, by number. */
  readonly peeks: readonly (readonly unknown[])[];
}

/** A graph that was evaluated, or the error that it failed with. */
export type Observation =
  | ({ readonly ok: true } & Seen)
  | {
      readonly ok: false;
      readonly type: string;
      /** Of an error that a module threw. */ readonly message: string;
    };

/** An error that nothing of the graph threw has a text that differs from engine to engine. */
export function failureOf(type: string, message: string): Observation {
  return { ok: false, type, message: type === "RangeError" ? message : "" };
}
