// One agent: what it may reach of the runtime, and how much of it at a time. Every id that it gives is read as one of its own,
// so that there is no text with which it could name another's sandbox.
import type { Runtime, Sandbox, SandboxInfo, SandboxSpec } from "../index.ts";
import { InvalidIdError, SandboxNotFoundError, VivariumError } from "../model/errors.ts";
import { parseSandboxId } from "../model/ids.ts";
import { joinSignal } from "../std/abort.ts";
import { randomName } from "../std/random.ts";
import type { McpConfig } from "./config.ts";
import type { McpNeed } from "./gate.ts";
import type { Owner } from "./owner.ts";

/** The label by which an agent's sandboxes are found; which are its own, the id says. */
const ownerLabel = "mcp-agent";
const idLengthMax = 128;

/** What an agent has under way: the same for all requests that are its. */
export class AgentLoad {
  calls = 0;
  /** Sandboxes that are being made. */
  reserved = 0;
  readonly ending: AbortController = new AbortController();

  #idle: PromiseWithResolvers<void> | undefined;

  get isIdle(): boolean {
    return this.calls === 0;
  }

  endCall(): void {
    this.calls--;
    if (this.isIdle) this.#idle?.resolve();
  }

  /** Resolves when no call is under way. */
  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }
}

/** Sandboxes that a call makes. */
export interface Making {
  readonly needs: readonly McpNeed[];
  /** How many of them may live at a time. Default: all. */
  readonly atOnce?: number;
  /** How many of them may live on when the call is over. */
  readonly staying: number;
}

export interface AgentParts {
  readonly runtime: Runtime;
  readonly config: McpConfig;
  readonly owner: Owner;
  /** How long a sandbox of its lives that nothing is asked of; null for as long as the agent. */
  readonly idleMs: number | null;
  readonly load: AgentLoad;
}

export class Agent {
  readonly runtime: Runtime;
  readonly config: McpConfig;
  readonly owner: Owner;
  readonly idleMs: number | null;
  readonly #load: AgentLoad;

  constructor({ runtime, config, owner, idleMs, load }: AgentParts) {
    this.#load = load;
    this.runtime = runtime;
    this.config = config;
    this.owner = owner;
    this.idleMs = idleMs;
  }

  get isIdle(): boolean {
    return this.#load.isIdle;
  }

  /** The whole id: agents may leave their prefix away. */
  idOf(given: string): string {
    if (this.owns(given)) return parseSandboxId(given);
    parseSandboxId(given);
    const id = `${this.owner.prefix}${given}`;
    if (id.length <= idLengthMax) return parseSandboxId(id);
    const rule = `at most ${idLengthMax - this.owner.prefix.length} characters, without the prefix ${this.owner.prefix}`;
    throw new InvalidIdError("this sandbox id", rule, given);
  }

  owns(id: string): boolean {
    return id.startsWith(this.owner.prefix);
  }

  /** An id for something new: the one that is wished for, or one that is made up. */
  newId(wished: string | undefined): string {
    return this.idOf(wished ?? randomName("s"));
  }

  /** A spec with what its sandboxes are labelled with, where they are placed, and what its token makes of it. */
  specOf<S extends Pick<SandboxSpec, "limits" | "profile">>(
    given: S,
  ): S & Required<Pick<SandboxSpec, "labels" | "placement">> {
    const { prefix, tenant, caller } = this.owner;
    return this.config.gate.admit(caller, {
      ...given,
      labels: { [ownerLabel]: prefix },
      placement: { tenant },
    });
  }

  /** What such a sandbox needs of the token's quotas. */
  needOf(id: string, spec: Pick<SandboxSpec, "limits" | "profile">): McpNeed {
    return { id, memoryBytes: this.config.gate.memoryOf(spec) };
  }

  /** Counts runs; throws where the token's quota is used up. */
  count(evaluations: number): void {
    this.config.gate.countEvaluations(this.owner.caller, evaluations);
  }

  /** Its living sandboxes, in the order of their creation. */
  async list(): Promise<readonly SandboxInfo[]> {
    const found = await this.runtime.list({ labels: { [ownerLabel]: this.owner.prefix } });
    return found.filter(({ id }) => this.owns(id));
  }

  async get(given: string): Promise<Sandbox> {
    return this.about(given, (id) => this.runtime.get(id));
  }

  /** What is known of a sandbox, living or gone. */
  async info(given: string): Promise<SandboxInfo> {
    return this.about(given, (id) => this.runtime.info(id));
  }

  /** Does something about one id; where that is not there, the answer names it as it was given. */
  async about<T>(given: string, act: (id: string) => Promise<T>): Promise<T> {
    const id = this.idOf(given);
    try {
      return await act(id);
    } catch (error) {
      if (error instanceof VivariumError && error.code === "SANDBOX_NOT_FOUND")
        throw new SandboxNotFoundError(given);
      throw error;
    }
  }

  /** Makes sandboxes, where so many more may live, of this agent and of its token. */
  async making<T>({ needs, atOnce = needs.length, staying }: Making, make: () => Promise<T>): Promise<T> {
    this.#load.reserved += staying;
    try {
      await this.#checkRoom(staying);
      const room = await this.config.gate.reserve(this.owner.caller, needs, { atOnce });
      try {
        return await make();
      } finally {
        await room.release();
      }
    } finally {
      this.#load.reserved -= staying;
    }
  }

  async #checkRoom(staying: number): Promise<void> {
    if (staying === 0) return;
    const max = this.config.bounds.sandboxes;
    const living = await this.list();
    if (living.length + this.#load.reserved <= max) return;
    throw new VivariumError(
      "QUOTA_EXCEEDED",
      `Cannot create ${staying === 1 ? "a sandbox" : `${staying} sandboxes`} as an agent must have at most ${max}: ${living.length} live; destroy some`,
    );
  }

  /** Carries one tool call out within its bounds; its signal ends with the caller's, the agent's, or when its time is over. */
  async calling<T>(signal: AbortSignal, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { calls, callMs } = this.config.bounds;
    if (this.#load.calls >= calls)
      throw new VivariumError(
        "QUOTA_EXCEEDED",
        `Cannot begin another call as an agent must have at most ${calls} under way: wait for one`,
      );
    this.#load.calls++;
    const late = `Cannot finish this as a tool call must end within ${callMs} ms: it was still under way`;
    const overdue = new VivariumError("CANCELLED", late);
    const toReason = (): Error => overdue;
    const own = AbortSignal.any([signal, this.#load.ending.signal]);
    const held = joinSignal(own, { clock: this.config.clock, ms: callMs, toReason });
    try {
      return await act(held.signal ?? own);
    } catch (error) {
      const isOverdue = held.signal?.reason === overdue;
      throw isOverdue && error instanceof VivariumError && error.code === "CANCELLED" ? overdue : error;
    } finally {
      this.#load.endCall();
      held.release();
    }
  }

  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.#load.ending.abort(new Error("the session ended"));
  }

  /** Ends what is under way and destroys all of its sandboxes, those that were being made included. */
  async end(): Promise<void> {
    await this.stop();
    const late = Promise.withResolvers<void>();
    const timer = this.config.clock.after(endMs, late.resolve);
    await Promise.race([this.#load.idle(), late.promise]);
    timer.cancel();
    const ids = (await this.list()).map(({ id }) => id);
    if (ids.length > 0) await this.runtime.batch.destroy(ids, { deadlineMs: endMs });
  }
}

const endMs = 30_000;
