// What a host does with a request, drawn at random: it checks, answers, throws, hangs, and destroys the sandbox.
import {
  CapabilityRefusal,
  type Capability,
  type CapabilityContext,
  type CapabilityGrants,
  type Runtime,
} from "../../src/index.ts";
import type { Dice } from "./dice.ts";
import { valueMaker } from "./values.ts";

// Names that objects have anyway are names like others. Every other one is checked by a schema.
export const offeredNames = ["a", "b", "c", "constructor", "__proto__", "hasOwnProperty"] as const;

export interface Quota {
  readonly calls: number;
  readonly bytes: number;
  readonly concurrent: number;
}

export type Features = Readonly<Record<string, Quota>> & CapabilityGrants;

interface Behaviour {
  readonly args: (value: unknown) => unknown;
  readonly run: (args: readonly unknown[], context: CapabilityContext) => unknown;
  readonly result: (value: unknown) => unknown;
}

/** What the host does in one round, by name. */
export type Plan = ReadonlyMap<string, Behaviour>;

export function planOf(dice: Dice, runtime: Runtime): Plan {
  return new Map(
    offeredNames.map((name, index) => [
      name,
      { args: checkOf(dice, index), run: runOf(dice, runtime), result: checkOf(dice, index) },
    ]),
  );
}

const isSchema = (index: number): boolean => index % 2 === 1;
const never = (): Promise<never> => new Promise(() => {});

function checkOf(dice: Dice, index: number): Behaviour["args"] {
  const any = valueMaker(dice);
  const passes: Behaviour["args"] = isSchema(index) ? (value) => ({ value }) : () => true;
  if (dice.chance(0.7)) return passes;
  return dice.pick<Behaviour["args"]>([
    () => "something else",
    () => ({ issues: [{ message: "x".repeat(1e5) }] }),
    () => ({ issues: any() }),
    () => ({ value: any() }),
    any,
    () => raise(any),
    async () => raise(any),
    never,
  ]);
}

function runOf(dice: Dice, runtime: Runtime): Behaviour["run"] {
  const any = valueMaker(dice);
  return dice.pick<Behaviour["run"]>([
    any,
    any,
    (args) => args,
    ([value]) => value,
    () => raise(any),
    async () => raise(any),
    never,
    (_, { signal }) => new Promise((__, fail) => signal.addEventListener("abort", () => fail(any()))),
    (_, { sandboxId }) => runtime.destroy(sandboxId),
    () => raise(() => new CapabilityRefusal("x".repeat(1e5))),
  ]);
}

function raise(make: () => unknown): never {
  throw make();
}

/** A host whose plan changes from round to round, and that counts calls. */
export class Host {
  /** Where a quota was exceeded, or something was done for a destroyed sandbox. */
  readonly excesses: string[] = [];
  #plan: Plan = new Map();
  #grants: ReadonlyMap<string, Features> = new Map();
  readonly #used = new Map<string, { calls: number; open: number }>();

  /** From here on there are only these sandboxes. */
  begin(plan: Plan, grants: ReadonlyMap<string, Features>): void {
    this.#plan = plan;
    this.#grants = grants;
    this.#used.clear();
  }

  offers(): Record<string, Capability> {
    return Object.fromEntries(offeredNames.map((name, index) => [name, this.#offer(name, index)]));
  }

  #offer(name: string, index: number): Capability {
    const check = (part: "args" | "result"): NonNullable<Capability["args"]> => {
      const validate = (value: unknown): never => this.#plan.get(name)?.[part](value) as never;
      return isSchema(index) ? { "~standard": { validate } } : validate;
    };
    return {
      args: check("args"),
      result: check("result"),
      run: (args, context) => this.#run(name, args, context),
      timeoutMs: 10 + 20 * index,
      resultBytes: 2_000,
    };
  }

  async #run(name: string, args: readonly unknown[], context: CapabilityContext): Promise<unknown> {
    const leave = this.#enter(name, context.sandboxId);
    // Given up is over, whether it knows it or not.
    context.signal.addEventListener("abort", leave);
    try {
      return await this.#plan.get(name)?.run(args, context);
    } finally {
      leave();
    }
  }

  #enter(name: string, sandboxId: string): () => void {
    const key = `${sandboxId} ${name}`;
    const used = this.#used.get(key) ?? { calls: 0, open: 0 };
    this.#used.set(key, used);
    used.calls++;
    used.open++;
    const quota = this.#grants.get(sandboxId)?.[name];
    if (quota === undefined || used.calls > quota.calls || used.open > quota.concurrent)
      this.excesses.push(`${key}: ${JSON.stringify(used)} of ${JSON.stringify(quota)}`);
    let isInside = true;
    return () => {
      if (isInside) used.open--;
      isInside = false;
    };
  }
}
