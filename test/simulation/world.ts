// Everything around the runtime in one run: time, cells, compiler, disk, and the promises that are open.
import { completeConfig } from "../../src/api/options/config.ts";
import { assemble, type Replaceable } from "../../src/api/wiring/create-runtime.ts";
import type { Runtime } from "../../src/api/types/runtime.ts";
import { VivariumError } from "../../src/model/errors.ts";
import { Life, SimulatedClock } from "./clock.ts";
import { Dice } from "./dice.ts";
import { restartNumbers } from "./fake-box.ts";
import type { FakeCell } from "./fake-cell.ts";
import { fakeCompiler } from "./fake-compiler.ts";
import { fakeLauncher } from "./fake-launcher.ts";
import { Disk, FakeStore } from "./fake-store.ts";
import { Ledger } from "./ledger.ts";
import { EventBook } from "./event-book.ts";
import type { Plan } from "./plan.ts";
import { programOf } from "./program.ts";
import { ScriptBook } from "./script-book.ts";
import { StreamBook } from "./stream-book.ts";
import { Trace } from "./trace.ts";
import { Trouble } from "./trouble.ts";
import { forgetWaits } from "../../src/std/keep-alive.ts";

const MiB = 2 ** 20;
/** How long a cell that fell silent may be waited for, and a store that hangs. */
const silenceMs = 80_000;
const hungMs = 45_000;

export const limits = {
  memoryBytes: 32 * MiB,
  timeoutMs: 1_000,
  timeoutMsMax: 2_000,
  loadMs: 800,
  compileMs: 800,
  stepMs: 300,
} as const;

/** How an operation ended; `lost` where the machine it ran on is gone. */
export type Ended<T> =
  | { readonly as: "value"; readonly value: T }
  | { readonly as: "error"; readonly error: VivariumError }
  | { readonly as: "lost" };

interface Open {
  readonly name: string;
  readonly fromMs: number;
  readonly boundMs: number;
  readonly allowedMs: number;
  readonly lose: () => void;
}

export class World {
  readonly plan: Plan;
  readonly clock = new SimulatedClock();
  readonly trouble: Trouble;
  readonly disk = new Disk();
  readonly ledger = new Ledger(() => this.clock.nowMs);
  readonly trace = new Trace(() => this.clock.nowMs);
  readonly streams = new StreamBook(this.ledger);
  readonly scripts = new ScriptBook(this.ledger);
  readonly events = new EventBook(this.ledger, (id) => this.#release(id));
  readonly cells = new Set<FakeCell>();
  readonly #open = new Set<Open>();
  #life: Life | undefined;
  #store: FakeStore | undefined;
  #runtime: Runtime | undefined;
  #lives = 0;
  /** Another runtime is about to be started. */
  isReopening = false;
  /** The runtime offers no capability in this life. */
  hasCapability = true;
  /** Sandboxes that were suspended, by the name in their code. */
  readonly suspended = new Set<string>();

  constructor(plan: Plan) {
    restartNumbers();
    this.plan = plan;
    this.trouble = new Trouble(new Set(plan.troubles));
  }

  get runtime(): Runtime | undefined {
    return this.#runtime;
  }

  get life(): Life | undefined {
    return this.#life;
  }

  get store(): FakeStore | undefined {
    return this.#store;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Cells whose process lives. */
  living(): FakeCell[] {
    return [...this.cells].filter(({ isDead }) => !isDead);
  }

  /** Starts a runtime on the disk as it is; undefined where it could not start. */
  async start(): Promise<Runtime | undefined> {
    const { clock, trouble, disk, plan } = this;
    const life = new Life(clock);
    const diceFor = (purpose: string): Dice => new Dice(plan.seed, `${purpose}/${this.#lives}`);
    this.#lives++;
    const store = new FakeStore({ disk, clock, dice: diceFor("store"), trouble });
    this.#life = life;
    this.#store = store;
    const config = completeConfig({
      clock: life,
      store,
      limits,
      cells: { ...plan.cells, warm: 0, sliceMs: 25, startMs: 2_000, memoryBytesMax: 1_024 * MiB },
      capacity: { memoryBytes: 64 * 1_024 * MiB },
      collector: { intervalMs: 30_000 },
      watchIntervalMs: 3_600_000,
      capabilities: this.hasCapability ? { effect: (args) => this.#effect(args) } : {},
    });
    const before = [...disk.kept.keys()];
    const guard = { close: () => Promise.resolve() };
    const ended = await this.attempt("start", 40_000, () =>
      assemble(config, {
        jail: guard as unknown as Replaceable["jail"],
        watchdog: guard as unknown as Replaceable["watchdog"],
        launch: fakeLauncher(this, life, diceFor("cells")),
        openCompiler: () => fakeCompiler({ clock, dice: diceFor("compiler"), trouble }),
      }),
    );
    if (ended.as === "value") {
      this.#runtime = ended.value;
      this.events.follow(ended.value);
      return ended.value;
    }
    for (const id of before)
      if (!disk.kept.has(id)) this.ledger.blame("erased", `a start that failed removed ${id} from the store`);
    if (ended.as === "error" && !mayFailStart(ended.error))
      this.ledger.blame("start", `the runtime did not start: ${ended.error.code} ${ended.error.message}`);
    if (life.pending > 0) this.ledger.blame("timers", `a start that failed left ${life.pending} timers`);
    this.stop();
    return undefined;
  }

  /** The machine stops at this moment. */
  crash(): void {
    this.trace.add(() => "the machine stops");
    this.#store?.crash();
    if (this.#store?.hasLostPower === true) this.ledger.answered.clear();
    this.stop();
  }

  /** The runtime is gone. */
  stop(): void {
    if (this.#life !== undefined) this.#life.isOver = true;
    forgetWaits();
    if (this.#store !== undefined) this.#store.isOver = true;
    for (const cell of this.cells) cell.cut();
    this.cells.clear();
    this.#runtime = undefined;
    this.events.forget();
    this.suspended.clear();
    for (const open of this.#open) open.lose();
    this.#open.clear();
    const heads = new Map(
      this.disk.all().map((stored) => {
        const { revision, heads } = stored.revisions.at(-1) ?? { revision: 0, heads: {} };
        const source = stored.modules["main"]?.find(({ version }) => version === heads["main"])?.source;
        return [stored.id, { revision, tag: programOf(source ?? "")?.tag ?? "" }] as const;
      }),
    );
    this.ledger.reopen(heads);
  }

  /** Does something that must be settled within a bound, and that may fail in no way but those that are documented. */
  attempt<T>(name: string, boundMs: number, act: () => PromiseLike<T> | undefined): Promise<Ended<T>> {
    const { clock, trouble, trace, ledger } = this;
    const { promise, resolve } = Promise.withResolvers<Ended<T>>();
    const open: Open = {
      name,
      fromMs: clock.nowMs,
      boundMs: boundMs + this.#standingMs(),
      allowedMs: trouble.allowedMs,
      lose: () => resolve({ as: "lost" }),
    };
    trace.add(() => `${name} …`);
    this.#open.add(open);
    this.#watch(open);
    const settle = (ended: Ended<T>): void => {
      if (!this.#open.delete(open)) return;
      trace.add(() => `${name} = ${shown(ended)}`);
      resolve(ended);
    };
    let acting: PromiseLike<T> | undefined;
    try {
      acting = act();
    } catch (error) {
      acting = Promise.reject(error as Error);
    }
    if (acting === undefined) settle({ as: "lost" });
    acting?.then(
      (value) => settle({ as: "value", value }),
      (error: unknown) => {
        if (error instanceof VivariumError && error.code !== "INTERNAL") settle({ as: "error", error });
        else {
          if (this.#open.has(open)) ledger.blame("internal", `${name} rejects with ${stackOf(error)}`);
          settle({ as: "error", error: new VivariumError("INTERNAL", String(error)) });
        }
      },
    );
    return promise;
  }

  #release(id: string): void {
    for (const who of this.suspended) if (who.startsWith(`${id}#`)) this.suspended.delete(who);
  }

  // What has gone wrong already, and was not noticed yet by anyone.
  #standingMs(): number {
    const silent = this.living().filter(({ host }) => host.thread.isStuck).length;
    return silent * silenceMs + (this.#store?.isHung === true ? hungMs : 0);
  }

  #watch(open: Open): void {
    const dueMs = (): number => open.fromMs + open.boundMs + this.trouble.allowedMs - open.allowedMs;
    this.clock.after(dueMs() - this.clock.nowMs, () => {
      if (!this.#open.has(open)) return;
      if (this.clock.nowMs < dueMs()) return this.#watch(open);
      const waitedMs = this.clock.nowMs - open.fromMs;
      this.ledger.blame("pending", `${open.name} is still pending after ${waitedMs} ms`);
      this.#open.delete(open);
      open.lose();
    });
  }

  async #effect(args: readonly unknown[]): Promise<string> {
    const token = String(args[0]);
    this.ledger.effect(token);
    this.trace.add(() => `capability of ${token}`);
    const dice = new Dice(this.plan.seed, `effect ${token}`);
    await this.clock.sleep(dice.between(0, dice.pick([5, 200, 800])));
    return token;
  }
}

// What a machine in trouble may answer to a start.
function mayFailStart({ code }: VivariumError): boolean {
  return code === "CELL_START_FAILED" || code === "STORE_FAILED" || code === "CELLS_UNAVAILABLE";
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function shown(ended: Ended<unknown>): string {
  if (ended.as === "lost") return "lost";
  if (ended.as === "error") return `${ended.error.code}: ${ended.error.message}`.slice(0, 300);
  return (JSON.stringify(ended.value) ?? "nothing").slice(0, 300);
}
