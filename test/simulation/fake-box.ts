// One sandbox inside a simulated cell: its modules, variables and processes, who is inside and who waits.
import type { BoxLimits, Lane, LoadCommand, ChangedStates } from "../../src/execution/protocol/messages.ts";
import type { Timer } from "../../src/std/clock.ts";
import { programOf, type Program } from "./program.ts";

export type ActivityKind = "run" | "tell" | "load" | "reload" | "manage";

/** One operation on its way through a box. */
export interface Activity {
  readonly op: number;
  readonly kind: ActivityKind;
  readonly lane: Lane;
  readonly timeoutMs: number;
  /** Which run it is of those that callers asked for; empty for none. */
  readonly token: string;
  startedMs: number;
  /** Of a series: the answers before the case that it is at; undefined where that is not known. */
  before?: readonly (number | string)[] | undefined;
}

/** Who is inside an isolate at this moment. */
export interface Running {
  readonly activity: Activity;
  readonly slot: number;
  readonly timer: Timer;
}

/** Code as it was evaluated, with its variable. */
export interface Evaluated {
  readonly program: Program;
  readonly number: number;
  count: number;
}

export interface PreparedStates extends Evaluated {
  readonly state: number;
  readonly way: "kept" | "host";
}

export interface Pending {
  readonly activity: Activity;
  deadline: Timer | undefined;
  /** Goes on when what it waits for is there. */
  readonly goOn: () => void;
}

/** A generator of a guest's. */
export interface FakeStream {
  readonly token: string;
  readonly count: number;
  readonly ms: number;
  /** The part that is produced next. */
  at: number;
}

let lastNumber = 0;

/** Numbers that tell isolates and evaluations apart; they begin anew with each run. */
export function restartNumbers(): void {
  lastNumber = 0;
}

function nextNumber(): number {
  return ++lastNumber;
}

export class FakeBox {
  readonly key: number;
  readonly instance: number = nextNumber();
  readonly hasProcesses: boolean;
  readonly isCheckpointed: boolean;
  /** All such boxes of its cell are in one isolate. */
  readonly isDense: boolean;
  limits: BoxLimits;
  current: Evaluated;
  prepared: PreparedStates | undefined;
  /** The state of its server. */
  state = 0;
  isHeld: boolean;
  areServersHeld = false;
  /** Under which name they are. */
  heldAs = "";
  isLoaded = false;
  isLost = false;
  isBusy = false;
  /** It was dropped, or its cell is gone. */
  isDiscarded = false;
  /** When its cell ended under it. */
  discardedMs = 0;
  running: Running | undefined;
  /** Runs that have begun in it. */
  begun = 0;
  ticks = 0;
  readonly queue: { readonly op: number; readonly start: () => void }[] = [];
  readonly pending = new Map<number, Pending>();
  readonly requests = new Map<number, number>();
  /** Generators that wait for the next part to be asked for. */
  readonly streams = new Map<number, FakeStream>();
  /** Asks that its server has taken and not answered. */
  readonly taken = new Set<number>();
  held: (() => void)[] = [];

  constructor(command: LoadCommand) {
    const { key, limits, processes, modules } = command;
    this.key = key;
    this.limits = limits;
    this.isDense = command.isDense;
    this.hasProcesses = processes !== null;
    this.isCheckpointed = processes?.isCheckpointed === true;
    this.isHeld = (command as { readonly isHeld?: boolean }).isHeld === true;
    this.current = evaluated(modules);
    if (processes !== null && processes.capture !== "") this.state = stateIn(processes.capture);
  }

  changeLimits(limits: BoxLimits): void {
    this.limits = limits;
  }

  /** What whoever enters sees. */
  get visible(): Evaluated {
    return this.prepared ?? this.current;
  }

  get who(): string {
    return this.visible.program.who;
  }

  /** What it has to say of its state. */
  changes(): ChangedStates[] {
    if (!this.isCheckpointed) return [];
    const capture = JSON.stringify({ servers: [serverOf(this.state)] });
    return [{ key: this.key, capture, begun: [...this.taken] }];
  }

  /** The text that answers a question about its processes. */
  told(verb: string): string {
    switch (verb) {
      case "capture":
        return JSON.stringify({ servers: [serverOf(this.state)], children: [] });
      case "hold":
        return JSON.stringify([
          { pid: 2, name: "counter", module: "main", ...serverOf(this.prepared?.state ?? this.state) },
        ]);
      case "prepared":
        return JSON.stringify({
          servers: this.prepared === undefined ? [] : [serverOf(this.prepared.state)],
          report: this.#report(),
        });
      case "report":
        return JSON.stringify(this.#report());
      default:
        return JSON.stringify([row(1, "supervisor"), row(2, "server")]);
    }
  }

  #report(): unknown[] {
    if (this.prepared === undefined) return [];
    const { way } = this.prepared;
    return [{ path: "counter", name: "counter", module: "main", way, versions: [], problem: null }];
  }
}

// The wrapper has no braces of its own between its beginning and the program, nor behind it but one.
export function unwrapped(text: string): string {
  return text.slice(text.indexOf("{", text.indexOf("return ")), text.lastIndexOf("]"));
}

/** The code of a sandbox's main module, evaluated. */
export function evaluated(modules: LoadCommand["modules"]): Evaluated {
  const text = modules.find(([name]) => name === "main")?.[1] ?? modules[0]?.[1] ?? "";
  const program = programOf(unwrapped(text));
  if (program === undefined) throw new TypeError(`a cell was given what is no program: ${text}`);
  return { program, number: nextNumber(), count: 0 };
}

function serverOf(state: number): { path: string; key: string; version: null; state: string } {
  return { path: "counter", key: "main.counter", version: null, state: JSON.stringify(state) };
}

/** The counter in a capture; 0 where it has none. */
function stateIn(capture: string): number {
  const { servers = [] } = JSON.parse(capture) as { servers?: { state: string }[] };
  return servers[0] === undefined ? 0 : Number(JSON.parse(servers[0].state));
}

function row(pid: number, kind: string): unknown {
  const counts = { queueLength: 0, queueMax: 1, messages: 0, restarts: 0 };
  const place = kind === "supervisor" ? { path: "", parent: null } : { path: "counter", parent: 1 };
  const name = kind === "supervisor" ? null : "counter";
  return { pid, name, kind, status: "idle", links: [], trappingExits: false, ...counts, ...place };
}
