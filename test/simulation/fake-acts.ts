// What each export of a simulated guest does when it is called, and each top level when it is loaded.
import type { Dice } from "./dice.ts";
import type { Evaluated, FakeBox } from "./fake-box.ts";
import type { Loading } from "./program.ts";

/** What goes on inside an isolate: it computes for so long, and then something comes of it. */
export interface Act {
  readonly spinMs: number;
  /** The isolate's own timer cannot end it. */
  readonly isHard: boolean;
  readonly end: ActEnd;
}

export type ActEnd =
  | { readonly do: "answer"; readonly answer: () => number | string }
  /** It waits for a timer, for the host, or for nothing that will ever come. */
  | { readonly do: "wait"; readonly forMs: number; readonly answer: () => number | string }
  | { readonly do: "ask"; readonly answer: () => string }
  | { readonly do: "memory" }
  | { readonly do: "crash" };

/** What something that gives nothing answers. */
export const nothing = "V[-1]";
const thrown = (message: string): string => `T${JSON.stringify(["Error", message, ""])}`;
const foreverMs = 10_000_000;

const soft = (end: ActEnd, spinMs = 0): Act => ({ spinMs, isHard: false, end });

/** A call of an export, with its token and a time. */
export function actOf(name: string, box: FakeBox, { token, ms }: { token: string; ms: number }): Act {
  const seen = box.visible;
  const answer = (): string => JSON.stringify(answerOf(token, box, seen));
  switch (name) {
    case "count":
      return soft({
        do: "answer",
        answer: () => {
          seen.count++;
          return answer();
        },
      });
    case "ask":
      return soft({ do: "ask", answer });
    case "wait":
      return soft({ do: "wait", forMs: ms, answer });
    case "never":
      return soft({ do: "wait", forMs: foreverMs, answer });
    case "spin":
      return soft({ do: "answer", answer }, ms);
    case "hang":
      return { spinMs: foreverMs, isHard: true, end: { do: "answer", answer } };
    case "fail":
      return soft({ do: "answer", answer: () => thrown(token) });
    case "eat":
      return soft({ do: "memory" }, Math.min(ms, 20));
    case "crash":
      return soft({ do: "crash" }, Math.min(ms, 20));
    case "score":
      return soft({ do: "answer", answer: () => 7 });
    default:
      return soft({ do: "answer", answer });
  }
}

function answerOf(token: string, box: FakeBox, seen: Evaluated): unknown[] {
  return [token, seen.program.tag, box.instance, seen.number, seen.count];
}

/** A message to the server: it counts. */
export function askOf(box: FakeBox, token: string): () => string {
  return () => {
    box.state++;
    return JSON.stringify([token, box.visible.program.tag, box.instance, 0, box.state]);
  };
}

/** The top level of modules. */
export function loadActOf(loading: Loading, dice: Dice): Act {
  const done = (): string => nothing;
  switch (loading.kind) {
    case "quick":
      return soft({ do: "answer", answer: done }, dice.chance(0.2) ? dice.between(1, 5) : 0);
    case "slow":
      return soft({ do: "wait", forMs: loading.ms, answer: done });
    case "spin":
      return soft({ do: "answer", answer: done }, loading.ms);
    case "throw":
      return soft({ do: "answer", answer: () => thrown("the top level failed") });
    case "never":
      return soft({ do: "answer", answer: () => "N" });
    case "memory":
      return soft({ do: "memory" });
    case "crash":
      return soft({ do: "crash" });
  }
}
