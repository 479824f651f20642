// The first version of the counter: it counts by one.
import { server, supervisor } from "vivarium/guest";

interface State {
  readonly count: number;
}

export const Counter = server({
  init: (): State => ({ count: 0 }),
  handleCall(message: "count" | "read", state: State) {
    const count = message === "count" ? state.count + 1 : state.count;
    return { reply: count, state: { count } };
  },
  schema: { version: 1, fields: { count: { type: "number" } } },
});

const root = supervisor({ children: [{ id: "counter", start: Counter }] });
export { root as supervisor };
