// What an attack is: a sandbox's code, and what its owner does with it over and over.
import type { Outcome, Runtime, Sandbox, SandboxSpec } from "vivarium";

/** The spec of a sandbox without its place, which the bench chooses. */
export type AttackSpec = Omit<SandboxSpec, "placement">;

export interface Attacker {
  readonly runtime: Runtime;
  /** Its number among the attackers. */
  readonly number: number;
  /** Makes another sandbox of the same owner. */
  readonly create: (spec: AttackSpec) => Promise<Sandbox>;
}

export interface Attack {
  readonly name: string;
  readonly about: string;
  /** The sandbox of one attacker. */
  readonly spec: AttackSpec;
  /** Done once with the sandbox. */
  readonly begin?: (sandbox: Sandbox) => Promise<unknown>;
  /** Done over and over until the end; `round` counts. */
  readonly act?: (sandbox: Sandbox, attacker: Attacker, round: number) => Promise<unknown>;
}

/** An attack by calls of one function. */
export function calling(
  name: string,
  about: string,
  options: { readonly main: string; readonly timeoutMs?: number } & Omit<AttackSpec, "modules">,
): Attack {
  const { main, timeoutMs = 1_000, ...rest } = options;
  const act = (sandbox: Sandbox): Promise<Outcome> => sandbox.call("main.attack", { timeoutMs });
  return { name, about, spec: { modules: { main }, ...rest }, act };
}
