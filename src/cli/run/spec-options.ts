// The options that say what a sandbox may do: limits, profile, capabilities, seed.
import type { Command } from "commander";
import type { DeterministicSpec, Limits } from "../../index.ts";
import { limitNames, type LimitName } from "../../model/limits.ts";
import { nearest } from "../../model/option-places.ts";
import { addOption, integer, mistake, repeated, text, type Rule } from "../command/options.ts";
import type { Given } from "../command/given.ts";

const group = "What the sandbox may do:";
const seedMax = 2 ** 32 - 1;

/** One limit of a sandbox. */
export const limit: Rule<readonly [LimitName, number]> = {
  rule: "NAME=NUMBER with the name of a limit",
  read: (option, given) => {
    const [name = "", value = ""] = given.split(/=(.*)/s);
    const known = limitNames.find((each) => each === name);
    if (known !== undefined && /^\d+$/.test(value)) return [known, Number(value)];
    const near = known === undefined ? nearest(name, limitNames) : undefined;
    const hint = near === undefined ? "" : `, did you mean ${near}?`;
    const rule =
      known === undefined ? `NAME=NUMBER with NAME one of ${limitNames.join(", ")}` : `${name}=NUMBER`;
    throw mistake(option, rule, given, hint);
  },
};

export function addSpecOptions(command: Command): void {
  const ofLimit = "a limit, as memoryBytes=33554432 or fuel=100000; may be repeated";
  addOption(command, ["--limit <NAME=NUMBER>", ofLimit, group], repeated(limit));
  addOption(command, ["--timeout-ms <N>", "how long the run may take", group], integer(1, 3_600_000));
  addOption(
    command,
    ["--profile <NAME>", "its security profile (default: that of the runtime)", group],
    text(),
  );
  const ofCapability =
    "what it may ask of the host, of what the runtime has (default: none); may be repeated";
  addOption(command, ["--capability <NAME>", ofCapability, group], repeated(text()));
  const ofSeed = "randomness and time come from this seed, so that it gives the same again";
  addOption(command, ["--seed <N>", ofSeed, group], integer(0, seedMax));
}

export interface SpecChoice {
  readonly limits?: Partial<Limits>;
  readonly profile?: string;
  readonly capabilities?: readonly string[];
  readonly deterministic?: DeterministicSpec;
}

/** The limits of all `--limit`; undefined where there is none. */
export function limitsOf(given: Given): Partial<Limits> | undefined {
  // The rule of the option gives nothing else.
  const limits = (given.value("limit") ?? []) as readonly (readonly [LimitName, number])[];
  return limits.length === 0 ? undefined : Object.fromEntries(limits);
}

export function specChoiceOf(given: Given): SpecChoice {
  const limits = limitsOf(given);
  const profile = given.text("profile");
  const capabilities = given.texts("capability").filter((name) => name !== "none");
  const seed = given.number("seed");
  return {
    ...(limits === undefined ? {} : { limits }),
    ...(profile === undefined ? {} : { profile }),
    ...(capabilities.length === 0 ? {} : { capabilities }),
    ...(seed === undefined ? {} : { deterministic: { seed } }),
  };
}
