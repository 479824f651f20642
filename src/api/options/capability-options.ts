// Capabilities as a caller gives them: registered with the runtime by name, granted to a sandbox by name with quotas.
import { InvalidOptionsError } from "../../model/errors.ts";
import type { CapabilityQuota } from "../../model/sandboxes/sandbox-info.ts";
import { fields, integer, isRecord, leaf, unread, type Leaf, type Shape } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import type { Capability, CapabilityFunction, Check } from "../../security/capability.ts";
import { servesFetch } from "../../security/fetch.ts";
import { allowsCapability, type Profile } from "../../security/profile.ts";

/** What a runtime offers: a capability, or just the function that does it. */
export type Capabilities = Readonly<Record<string, Capability | CapabilityFunction>>;

/** What a sandbox is granted: names, or names with quotas. */
export type CapabilityGrants = readonly string[] | Readonly<Record<string, Partial<CapabilityQuota> | true>>;

/** A capability with its bounds. */
export type CompleteCapability = Capability &
  Required<Pick<Capability, "timeoutMs" | "resultBytes">> & {
    /** It serves the `fetch` of guests. */
    readonly servesFetch: boolean;
  };

const KiB = 2 ** 10;
const MiB = 2 ** 20;
const nameForm = /^[A-Za-z_$][\w$]{0,99}$/;
const countMax = Number.MAX_SAFE_INTEGER;

const quotaOptions = fields({
  calls: integer({ min: 1, max: countMax, default: 1_000 }),
  bytes: integer({ min: 1, max: countMax, default: 64 * MiB }),
  concurrent: integer({ min: 1, max: 256, default: 16 }),
} satisfies Shape<CapabilityQuota>);

const check: Leaf<Check | undefined> = leaf({
  kind: "check",
  verb: "use",
  rule: "a function or a Standard Schema",
  accepts: (value) => typeof value === "function" || (isRecord(value) && "~standard" in value),
});

const capabilityOptions = fields({
  run: unread,
  args: check,
  result: check,
  timeoutMs: integer({ min: 1, max: 300_000, default: 5_000 }),
  resultBytes: integer({ min: KiB, max: 64 * MiB, default: MiB }),
} satisfies Shape<Capability>);

/** Completes and checks what is registered. */
export function readCapabilities(value: unknown): ReadonlyMap<string, CompleteCapability> {
  if (value === undefined) return new Map();
  if (!isRecord(value)) {
    const message = `Cannot use capabilities as they must be an object of functions or capabilities: got ${show(value)}`;
    throw new InvalidOptionsError(message, "capabilities");
  }
  return new Map(
    Object.entries(value).map(([name, given]) => [checkName(name), readCapability(name, given)]),
  );
}

/** Completes and checks what one sandbox is granted, of what is registered. */
export function readGrants(
  value: unknown,
  names: readonly string[],
  profile: Pick<Profile, "name" | "capabilities">,
): ReadonlyMap<string, CapabilityQuota> {
  if (value === undefined) return new Map();
  const isObject = typeof value === "object" && value !== null;
  const entries: readonly (readonly [unknown, unknown])[] = Array.isArray(value)
    ? Array.from(value, (name: unknown) => [name, true] as const)
    : isObject
      ? Object.entries(value)
      : [];
  if (!isObject) {
    const message = `Cannot use capabilities as they must be a list of names, or an object of quotas: got ${show(value)}`;
    throw new InvalidOptionsError(message, "capabilities");
  }
  return new Map(
    entries.map(([given, quota]) => {
      const name = registered(given, names);
      if (!allowsCapability(profile, name)) {
        const message = `Cannot grant capability ${show(name)} as profile ${show(profile.name)} must allow it: it does not`;
        throw new InvalidOptionsError(message, "capabilities");
      }
      return [name, readQuota(name, quota)];
    }),
  );
}

function registered(name: unknown, names: readonly string[]): string {
  if (typeof name === "string" && names.includes(name)) return name;
  const known = names.length === 0 ? "the runtime has none" : `the runtime has ${names.join(", ")}`;
  const message = `Cannot grant capability ${show(name)} as it must be registered in createRuntime(): ${known}`;
  throw new InvalidOptionsError(message, "capabilities");
}

function checkName(name: string): string {
  if (nameForm.test(name) && name !== "then") return name;
  const message = `Cannot register capability ${show(name)} as its name must be one that a function can have, but for then: got ${show(name)}`;
  throw new InvalidOptionsError(message, `capabilities.${name}`);
}

function readCapability(name: string, given: unknown): CompleteCapability {
  const path = `capabilities.${name}`;
  if (typeof given === "function") return readCapability(name, { run: given });
  const { run, args, result, ...bounds } = capabilityOptions.read(given, path);
  if (typeof run !== "function") {
    const message = `Cannot use ${path} as its run must be a function: got ${show(run)}`;
    throw new InvalidOptionsError(message, `${path}.run`);
  }
  return {
    // Methods of the object it came in keep their object.
    run: (list, context) => (run as CapabilityFunction).call(given, list, context),
    ...(args !== undefined && { args }),
    ...(result !== undefined && { result }),
    ...bounds,
    servesFetch: servesFetch(given),
  };
}

function readQuota(name: string, value: unknown): CapabilityQuota {
  const path = `capabilities.${name}`;
  if (value === true || isRecord(value)) return quotaOptions.read(value === true ? {} : value, path);
  const rule = "it must be true or a quota, as in { calls: 5 }";
  const advice = typeof value === "function" ? ", which is for createRuntime({ capabilities })" : "";
  throw new InvalidOptionsError(`Cannot use ${path} as ${rule}: got ${show(value)}${advice}`, path);
}
