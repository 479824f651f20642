// Parts of arguments that several tools have.
import { z } from "zod";
import type { Limits, SandboxSpec } from "../../index.ts";
import { InvalidLimitsError, InvalidOptionsError } from "../../model/errors.ts";
import type { Agent } from "../agent.ts";

/** The name of a module that is given without one. */
export const usualModule = "main";

const source = z.string().min(1);

export const idInput = z
  .string()
  .min(1)
  .max(128)
  .describe("Id of a sandbox of yours, with or without your prefix.");

export const modulesInput = z
  .record(z.string().min(1).max(256), source)
  .describe(
    'Sources by the names of modules. Modules import each other by these names, as in `import { f } from "./util"`.',
  );

export const sourceInput = source.describe(
  `Source of one module, named \`${usualModule}\`; TypeScript, JavaScript or JSX.`,
);

export const argsInput = z.array(z.unknown()).max(1_000).describe("Arguments, as JSON. Default: none.");

export const timeoutInput = z.number().int().min(1).describe("Wall time of one run in milliseconds.");

export const limitsInput = z
  .strictObject({
    memoryBytes: z.number().int().min(1),
    timeoutMs: z.number().int().min(1),
    cpuMs: z.number().int().min(1),
    fuel: z
      .number()
      .int()
      .min(1)
      .describe("Loop turns and function entries of one run: a deterministic bound."),
    processes: z.number().int().min(1),
    idleMs: z.number().int().min(1).describe("Time without a run until it is destroyed."),
  })
  .partial()
  .describe("Bounds of the sandbox. Default: those of the runtime.");

export const mutationInput = z
  .unknown()
  .describe("What was changed, in your own words: any JSON, remembered for lineage.");

/** The modules that were given, as one source or by names. */
export function readModules(
  {
    source,
    modules,
  }: {
    readonly source?: string | undefined;
    readonly modules?: Readonly<Record<string, string>> | undefined;
  },
  what: string,
): Readonly<Record<string, string>> {
  if ((source === undefined) === (modules === undefined))
    throw new InvalidOptionsError(
      `Cannot ${what} as it must have either source or modules: it has ${source === undefined ? "neither" : "both"}`,
      "modules",
    );
  if (modules !== undefined && Object.keys(modules).length === 0)
    throw new InvalidOptionsError(`Cannot ${what} as modules must have at least one: it is empty`, "modules");
  return modules ?? { [usualModule]: source ?? "" };
}

/** Results are shown in part anyway, so none needs to be longer. */
const resultBytesMax = 2 ** 20;

/** The limits of an agent's sandbox: what it asks for, as far as it may, and what bounds it anyway. */
export function limitsFor(agent: Agent, given: z.infer<typeof limitsInput> = {}): Partial<Limits> {
  const { timeoutMs, memoryBytes } = agent.config.bounds;
  requireAtMost("limits.timeoutMs", given.timeoutMs, timeoutMs);
  requireAtMost("limits.memoryBytes", given.memoryBytes, memoryBytes);
  if (agent.idleMs !== null) requireAtMost("limits.idleMs", given.idleMs, agent.idleMs);
  const idleMs = given.idleMs ?? agent.idleMs ?? undefined;
  return {
    ...withoutUndefined(given),
    timeoutMs: given.timeoutMs ?? Math.min(usualTimeoutMs, timeoutMs),
    timeoutMsMax: timeoutMs,
    resultBytes: resultBytesMax,
    ...(idleMs !== undefined && { idleMs }),
  };
}

const usualTimeoutMs = 10_000;

/** Throws `INVALID_LIMITS` where an agent asks for more than it may have. */
export function requireAtMost(name: string, value: number | undefined, max: number): void {
  if (value !== undefined && value > max)
    throw new InvalidLimitsError(`Cannot set ${name} as it must be at most ${max} here: got ${value}`, name);
}

/** The spec without what was not given, as `exactOptionalPropertyTypes` wants it. */
export function withoutUndefined<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  // What is left has the same names, without those that had no value.
  return Object.fromEntries(known) as { [K in keyof T]: Exclude<T[K], undefined> };
}

export type AncestryInput = {
  readonly parentIds?: readonly string[] | undefined;
  readonly mutation?: unknown;
};

/** The ancestry that was told, with the agent's own ids. */
export function ancestryOf(
  agent: Agent,
  { parentIds, mutation }: AncestryInput,
): Pick<SandboxSpec, "ancestry"> {
  if (parentIds === undefined && mutation === undefined) return {};
  const ids = parentIds?.map((id) => agent.idOf(id));
  return {
    ancestry: { ...(ids !== undefined && { parentIds: ids }), ...(mutation !== undefined && { mutation }) },
  };
}
