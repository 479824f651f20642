// The counter after its upgrade: it counts by ten, which is part of its state. The migration works both ways.
import { server, supervisor } from "vivarium/guest";

interface State {
  readonly count: number;
  readonly step: number;
}

export const Counter = server({
  init: (): State => ({ count: 0, step: 10 }),
  handleCall(message: "count" | "read", state: State) {
    const count = message === "count" ? state.count + state.step : state.count;
    return { reply: count, state: { ...state, count } };
  },
  schema: { version: 2, fields: { count: { type: "number" }, step: { type: "number" } } },
  migrations: [
    {
      from: 1,
      to: 2,
      up: ({ count }: { readonly count: number }): State => ({ count, step: 10 }),
      down: ({ count }: State) => ({ count }),
    },
  ],
});

const root = supervisor({ children: [{ id: "counter", start: Counter }] });
export { root as supervisor };
