// The agents of a server: what each has under way is known from one request of its to the next.
import type { Runtime } from "../index.ts";
import { Agent, AgentLoad } from "./agent.ts";
import type { McpConfig } from "./config.ts";
import type { Owner } from "./owner.ts";

export interface AgentsParts {
  readonly runtime: Runtime;
  readonly config: McpConfig;
  readonly idleMs: number;
}

/** How many are remembered before those that have nothing under way are forgotten. */
const rememberedMax = 1_000;

export class Agents {
  readonly #parts: AgentsParts;
  readonly #loads = new Map<string, AgentLoad>();

  constructor(parts: AgentsParts) {
    this.#parts = parts;
  }

  get(owner: Owner): Agent {
    if (this.#loads.size >= rememberedMax) this.#forgetIdle();
    const load = this.#loads.get(owner.prefix) ?? new AgentLoad();
    this.#loads.set(owner.prefix, load);
    return new Agent({ ...this.#parts, owner, load });
  }

  forget({ prefix }: Owner): void {
    this.#loads.delete(prefix);
  }

  /** Ends what any of them has under way. */
  stop(): void {
    for (const { ending } of this.#loads.values()) ending.abort(new Error("the server is closing"));
  }

  #forgetIdle(): void {
    for (const [prefix, load] of this.#loads) if (load.isIdle) this.#loads.delete(prefix);
  }
}
