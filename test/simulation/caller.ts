// One of several callers of a runtime: what it needs to make operations, and to judge what comes of them.
import type { Runtime } from "../../src/api/types/runtime.ts";
import type { Sandbox } from "../../src/api/types/sandbox.ts";
import type { CheckpointMode } from "../../src/model/sandboxes/process.ts";
import { Dice } from "./dice.ts";
import type { Claim } from "./ledger.ts";
import { brokenSource, sourceOf, type Loading, type Program } from "./program.ts";
import { hasMet, Touches, type Touch } from "./touches.ts";
import type { Ended, World } from "./world.ts";

/** What is known of a sandbox that was created. */
export interface Kind {
  readonly who: string;
  readonly isServer: boolean;
  readonly ticks: boolean;
  readonly checkpoint: CheckpointMode;
}

/** What all callers of a run share. */
export class Company {
  readonly touches = new Touches();
  readonly kinds = new Map<string, Kind>();
  /** States that were put back: what was counted before is no measure. */
  readonly unsureStates = new Set<string>();
}

const births = ["create", "fork", "import"] as const;
const ends = ["destroy", "collect"] as const;

export class Caller {
  readonly world: World;
  readonly dice: Dice;
  readonly company: Company;
  readonly number: number;
  readonly #step: string;
  #last = 0;

  /** At one of its steps. Each has dice and names of its own, so that the others are the same without it. */
  constructor(world: World, company: Company, at: { readonly number: number; readonly step: number }) {
    this.world = world;
    this.company = company;
    this.number = at.number;
    this.#step = `${at.number}.${at.step}`;
    this.dice = new Dice(world.plan.seed, `caller ${this.#step}`);
  }

  /** A name that nothing else has. */
  next(): string {
    return `${this.#step}.${++this.#last}`;
  }

  /** A number that nothing else has. */
  nextNumber(): number {
    const [number = 0, step = 0] = this.#step.split(".").map(Number);
    return number * 10_000 + step * 100 + ++this.#last;
  }

  get runtime(): Runtime | undefined {
    return this.world.runtime;
  }

  id(): string {
    return `s${this.dice.between(0, this.world.plan.ids - 1)}`;
  }

  token(name: string): string {
    return `${name}:${this.next()}`;
  }

  get isGuilty(): boolean {
    return this.world.trouble.has("guilt");
  }

  /** Code for a sandbox. */
  program(who: string, kind: Pick<Kind, "isServer" | "ticks">): Program {
    const { dice } = this;
    return {
      tag: `t${this.next()}`,
      who,
      loading: this.#loading(),
      ...kind,
      refusesState: dice.chance(0.1),
    };
  }

  /** The source of code; now and then it is none. */
  source(program: Program): string {
    return this.dice.chance(0.03) ? brokenSource : sourceOf(program);
  }

  #loading(): Loading {
    const { dice } = this;
    const kind = dice.weighted<Loading["kind"]>({
      quick: 80,
      slow: 6,
      spin: 6,
      throw: 3,
      never: 1,
      memory: 2,
      crash: 2,
    });
    if (kind === "crash" && !this.isGuilty) return { kind: "quick" };
    if (kind === "slow" || kind === "spin") return { kind, ms: dice.pick([5, 40, 300, 1_200]) };
    return { kind };
  }

  /** A signal that may be aborted, where that is part of the run. */
  signal(): { readonly signal?: AbortSignal } {
    const { dice, world } = this;
    const isAborted = dice.chance(0.2);
    const delayMs = dice.between(0, dice.pick([10, 200, 2_000]));
    if (!isAborted || !world.trouble.has("abort")) return {};
    const controller = new AbortController();
    world.clock.after(delayMs, () => controller.abort());
    return { signal: controller.signal };
  }

  /** The handle of a sandbox; undefined where there is none. */
  async handle(id: string): Promise<Sandbox | undefined> {
    try {
      return await this.runtime?.get(id);
    } catch {
      return undefined;
    }
  }

  /** Does something to a sandbox that others may meet. */
  async change<T>(
    id: string,
    kind: string,
    act: { readonly boundMs: number; readonly name: string; readonly do: () => PromiseLike<T> | undefined },
  ): Promise<{ readonly ended: Ended<T>; readonly touch: Touch }> {
    const { touches, kinds } = this.company;
    const who = kinds.get(id)?.who;
    if (who !== undefined) this.world.suspended.delete(who);
    const boundMs = act.boundMs * (1 + touches.count(id));
    const touch = touches.begin(id, kind);
    const ended = await this.world.attempt(`${act.name} ${id}`, boundMs, act.do);
    touches.end(touch);
    return { ended, touch };
  }

  /** Whether what the store has of a sandbox can be said for certain. */
  isCertain(touch: Touch): boolean {
    return !hasMet(touch, ...births, ...ends, "reopen") && !this.world.disk.unsure.has(touch.id);
  }

  /** Whether the sandbox that something was done to may be another one by now. */
  isReplaced(touch: Touch): boolean {
    return hasMet(touch, ...births) && hasMet(touch, ...ends);
  }

  /** Settles a claim to be the head. */
  settleClaim(touch: Touch, claim: Claim, revision: number | undefined): void {
    const { ledger } = this.world;
    if (revision === undefined) ledger.refuse(claim);
    else if (this.isReplaced(touch)) ledger.doubt(claim);
    else ledger.hold(touch.id, claim, revision);
  }
}
