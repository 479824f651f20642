// What `vivarium doctor` looks at on this machine. Only facts: what they mean is in `checks.ts`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, freemem, release, totalmem } from "node:os";
import { dirname, join } from "node:path";

export interface MachineFacts {
  /** As `v26.10.0`. */
  readonly node: string;
  readonly platform: string;
  readonly arch: string;
  readonly kernel: string;
  readonly isRoot: boolean;
  /** The engine's package; null where it is not found. */
  readonly engine: EngineFacts | null;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly freeBytes: number;
  /** The bound of a control group, such as a container's; null where there is none. */
  readonly groupBytes: number | null;
  /** What the system says; null where it does not, or there is no limit. */
  readonly descriptorsMax: number | null;
  readonly processesMax: number | null;
  readonly addressBytesMax: number | null;
  readonly mapsMax: number | null;
  /** The security modules of the kernel; null where they cannot be read. */
  readonly securityModules: readonly string[] | null;
  /** Whether the kernel filters system calls; null where that cannot be read. */
  readonly seccomp: boolean | null;
}

export interface EngineFacts {
  readonly version: string;
  /** For which systems there is native code. */
  readonly prebuilt: readonly string[];
  /** Native code that was compiled here. */
  readonly isBuilt: boolean;
}

export function lookAtMachine(): MachineFacts {
  const limits = readText("/proc/self/limits") ?? "";
  const group = process.constrainedMemory();
  const modules = readText("/sys/kernel/security/lsm");
  return {
    node: process.version,
    platform: process.platform,
    arch: process.arch,
    kernel: release(),
    isRoot: process.getuid?.() === 0,
    engine: engineFacts(),
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    freeBytes: freemem(),
    // Without a bound it is 0, or more than there is.
    groupBytes: group > 0 && group < totalmem() ? group : null,
    descriptorsMax: softLimit(limits, "Max open files"),
    processesMax: softLimit(limits, "Max processes"),
    addressBytesMax: softLimit(limits, "Max address space"),
    mapsMax: numberIn("/proc/sys/vm/max_map_count"),
    securityModules: modules === undefined ? null : modules.trim().split(","),
    seccomp: readText("/proc/self/status")?.includes("\nSeccomp:") ?? null,
  };
}

function engineFacts(): EngineFacts | null {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("isolated-vm/package.json"));
    const text = readFileSync(join(folder, "package.json"), "utf8");
    const { version } = JSON.parse(text) as { readonly version: string };
    const prebuilds = join(folder, "prebuilds");
    return {
      version,
      prebuilt: existsSync(prebuilds) ? readdirSync(prebuilds) : [],
      isBuilt: existsSync(join(folder, "build", "Release", "isolated_vm.node")),
    };
  } catch {
    return null;
  }
}

function softLimit(limits: string, name: string): number | null {
  const soft = new RegExp(`^${name}\\s+(\\d+)`, "m").exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}

function numberIn(path: string): number | null {
  const value = Number(readText(path)?.trim() || "none");
  return Number.isFinite(value) ? value : null;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
