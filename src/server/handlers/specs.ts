// What is to be made for a caller: its id, tenant, profile and capabilities as its token allows them. A path is never opened.
import type { WireSpec } from "../../contract/run-bodies.ts";
import type { ForkOptions, ImportOptions, Individual, Limits, Runtime, SandboxSpec } from "../../index.ts";
import { parseSandboxId } from "../../model/ids.ts";
import type { Caller, Gate, Granted, Need } from "../gate.ts";
import type { Parts } from "../handler.ts";

interface Made<S> {
  readonly id: string;
  readonly spec: S;
  readonly need: Need;
}

/** A spec with the id of the sandbox that it becomes. */
export function specFor<S extends WireSpec & { readonly id?: string }>(
  { gate }: Pick<Parts, "gate">,
  caller: Caller,
  given: S,
): Made<SandboxSpec> {
  const { id, ...asked } = gate.admit(caller, given as S & Granted);
  const made = idFor(gate, caller, id);
  // What only files and functions are is refused, and all else is as a spec has it.
  return { id: made, spec: asked as SandboxSpec, need: { id: made, memoryBytes: gate.memoryOf(asked) } };
}

/** The id of a sandbox to be made. */
function idFor(gate: Gate, caller: Caller, given: string | undefined): string {
  return gate.newId(caller, given);
}

/** The parents of a fork, which are the caller's to see, and its options. */
export async function forkFor(
  { gate, runtime }: Pick<Parts, "gate" | "runtime">,
  caller: Caller,
  given: Omit<ForkOptions, "signal"> & { readonly parentIds: readonly string[] },
): Promise<Made<ForkOptions> & { readonly parentIds: readonly string[] }> {
  const { parentIds, ...options } = given;
  const id = idFor(gate, caller, options.id);
  const limits = await limitsOf(runtime, parentIds[0]);
  const need = { id, memoryBytes: limits?.memoryBytes ?? gate.memoryOf({}) };
  return { id, spec: { ...options, id }, parentIds, need };
}

/** An import's options; it is the caller's own, whoever it was before. */
export function importFor(
  { gate }: Pick<Parts, "gate">,
  caller: Caller,
  given: Omit<ImportOptions, "signal"> & { readonly individual: Individual },
): Made<ImportOptions> & { readonly individual: Individual } {
  const { individual, ...options } = given;
  const asked = gate.admit(caller, options as typeof options & Granted);
  const own: unknown = individual;
  const wanted = typeof own === "object" && own !== null && "id" in own ? own.id : undefined;
  const usual = caller.tenant === null && typeof wanted === "string" ? wanted : undefined;
  const id = options.id === undefined && usual !== undefined ? usual : idFor(gate, caller, options.id);
  // Without an id of the caller's the runtime takes that of the individual.
  const spec = options.id === undefined && usual !== undefined ? asked : { ...asked, id };
  const profile = asked.profile;
  const memoryBytes = gate.memoryOf({ limits: asked.limits ?? limitsIn(individual), profile });
  return { id, spec, individual, need: { id, memoryBytes } };
}

/** A sandbox that a request names. */
export function checkOwned(gate: Gate, caller: Caller, id: unknown): string {
  const known = parseSandboxId(id);
  gate.requireId(caller, known);
  return known;
}

/** Makes something while there is room for it. */
export async function withRoom<T>(
  { gate }: Pick<Parts, "gate">,
  {
    caller,
    needs,
    atOnce,
  }: { readonly caller: Caller; readonly needs: readonly Need[]; readonly atOnce?: number },
  act: () => Promise<T>,
): Promise<T> {
  const reserved = await gate.reserve(caller, needs, atOnce === undefined ? {} : { atOnce });
  try {
    return await act();
  } finally {
    await reserved.release();
  }
}

async function limitsOf(runtime: Runtime, id: string | undefined): Promise<Limits | undefined> {
  if (id === undefined) return undefined;
  try {
    return (await runtime.info(id)).limits;
  } catch {
    // The fork itself says why.
    return undefined;
  }
}

function limitsIn(individual: unknown): unknown {
  return typeof individual === "object" && individual !== null && "limits" in individual
    ? individual.limits
    : undefined;
}
