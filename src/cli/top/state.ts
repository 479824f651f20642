// What the keys of `vivarium top` do: a pure function from a state and a key to the next state, and what is to be done.
import type { SandboxInfo, Status } from "../../index.ts";
import type { Key } from "../display/screen.ts";

export const sortNames = ["created", "runs", "cpu", "heap", "status", "id"] as const;
export type SortName = (typeof sortNames)[number];

/** In the order in which `f` goes through them; null is all. */
export const filterNames = [
  null,
  "running",
  "failed",
  "suspended",
  "creating",
  "reloading",
  "stopping",
] as const;
export type FilterName = (typeof filterNames)[number] & (Status | null);

export interface TopState {
  readonly sort: SortName;
  readonly filter: FilterName;
  /** The sandbox that keys are about; null where there is none. */
  readonly selected: string | null;
  readonly paused: boolean;
  readonly page: "table" | "help" | "confirm";
}

export const firstState: TopState = {
  sort: "created",
  filter: null,
  selected: null,
  paused: false,
  page: "table",
};

/** What a key asks for beside another state. */
export type Wish =
  | { readonly kind: "none" | "quit" | "refresh" }
  | { readonly kind: "destroy"; readonly id: string };

export interface Pressed {
  readonly state: TopState;
  readonly wish: Wish;
}

/** What is on the page: the ids in their order, and how many rows there are for them. */
export interface Shown {
  readonly ids: readonly string[];
  readonly rows: number;
}

export function press(state: TopState, key: Key, shown: Shown): Pressed {
  if ((key.ctrl && key.name === "c") || (key.name === "q" && state.page !== "confirm"))
    return { state, wish: { kind: "quit" } };
  if (state.page === "confirm") return confirm(state, key);
  if (state.page === "help") return stay({ ...state, page: "table" });
  const steps = stepsOf(key.name, shown);
  if (steps !== undefined) return stay({ ...state, selected: moved(state.selected, steps, shown.ids) });
  switch (key.name) {
    case "s":
      return stay({ ...state, sort: next(sortNames, state.sort) });
    case "f":
      return {
        state: { ...state, filter: next(filterNames, state.filter), selected: null },
        wish: { kind: "refresh" },
      };
    case "p":
    case "space":
      return {
        state: { ...state, paused: !state.paused },
        wish: { kind: state.paused ? "refresh" : "none" },
      };
    case "k":
      return stay(state.selected === null ? state : { ...state, page: "confirm" });
    case "?":
    case "h":
      return stay({ ...state, page: "help" });
    default:
      return stay(state);
  }
}

/** Only `y` does it; whatever else is pressed leaves all as it is. */
function confirm(state: TopState, key: Key): Pressed {
  const after: TopState = { ...state, page: "table" };
  if (key.name !== "y" || state.selected === null) return stay(after);
  return { state: after, wish: { kind: "destroy", id: state.selected } };
}

function stay(state: TopState): Pressed {
  return { state, wish: { kind: "none" } };
}

function stepsOf(name: string, { ids, rows }: Shown): number | undefined {
  const page = Math.max(1, rows - 1);
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: -ids.length,
    end: ids.length,
  };
  return Object.hasOwn(steps, name) ? steps[name] : undefined;
}

function moved(selected: string | null, steps: number, ids: readonly string[]): string | null {
  if (ids.length === 0) return null;
  const at = selected === null ? -1 : ids.indexOf(selected);
  // The first key selects the first one, whichever way it goes.
  const target = at === -1 && Math.abs(steps) < ids.length ? 0 : at + steps;
  return ids[Math.min(ids.length - 1, Math.max(0, target))] ?? null;
}

function next<T>(all: readonly T[], one: T): T {
  return all[(all.indexOf(one) + 1) % all.length] ?? one;
}

const orders: Readonly<Record<SortName, (a: SandboxInfo, b: SandboxInfo) => number>> = {
  created: (a, b) => a.createdAt - b.createdAt,
  runs: (a, b) => b.usage.runs - a.usage.runs,
  cpu: (a, b) => b.usage.cpuMs - a.usage.cpuMs,
  heap: (a, b) => b.usage.heapBytes - a.usage.heapBytes,
  status: (a, b) => compare(a.status, b.status),
  id: (a, b) => compare(a.id, b.id),
};

/** Equal ones stay in the order of their creation. */
export function sorted(sandboxes: readonly SandboxInfo[], sort: SortName): readonly SandboxInfo[] {
  return sandboxes.toSorted(orders[sort]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
