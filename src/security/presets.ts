// The profiles that every runtime has.
import type { Features, Profile, ScanPolicy } from "./profile.ts";

const MiB = 2 ** 20;

const nothingGranted: Features = {
  dynamicCode: false,
  webAssembly: false,
  sharedMemory: false,
  resizableBuffers: false,
};

const strict: ScanPolicy = { blocked: "reject", suspicious: "reject", rules: [], explain: false };
const usual: ScanPolicy = { ...strict, suspicious: "warn" };

/** The profile of sandboxes that name none, in a runtime that names none. */
export const defaultProfileName = "medium";

export const presets: Readonly<Record<"high" | "medium" | "low" | "classroom", Profile>> = deepFreeze({
  high: {
    name: "high",
    limits: { memoryBytes: 64 * MiB, processes: 50, timeoutMsMax: 60_000 },
    features: nothingGranted,
    capabilities: "none",
    npmImports: "none",
    scan: strict,
    audit: "everything",
    placement: "shared",
  },
  medium: {
    name: "medium",
    limits: { memoryBytes: 128 * MiB, processes: 100, timeoutMsMax: 300_000 },
    features: nothingGranted,
    capabilities: "any",
    npmImports: "listed",
    scan: usual,
    audit: "calls",
    placement: "shared",
  },
  low: {
    name: "low",
    limits: { memoryBytes: 256 * MiB, processes: 200, timeoutMsMax: 600_000 },
    features: { ...nothingGranted, dynamicCode: true },
    capabilities: "any",
    npmImports: "any",
    scan: { ...usual, blocked: "warn" },
    audit: "violations",
    placement: "shared",
  },
  classroom: {
    name: "classroom",
    limits: { memoryBytes: 32 * MiB, processes: 10, timeoutMsMax: 5_000 },
    features: nothingGranted,
    capabilities: "none",
    npmImports: "none",
    scan: { ...usual, explain: true },
    audit: "violations",
    placement: "shared",
  },
});

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value))
    if (typeof part === "object" && part !== null) deepFreeze(part as object);
  return Object.freeze(value);
}
