// What the facts of a machine mean for whoever runs sandboxes on it: a verdict for each, and what can be done for a better one.
import type { Health, JailLayer } from "../../index.ts";
import { memoryText } from "../display/units.ts";
import type { MachineFacts } from "./machine.ts";

/** `warn`: it works, with less of something. `bad`: sandboxes do not run, or nothing but the engine holds a guest. */
export type Verdict = "ok" | "warn" | "bad";

export interface Check {
  readonly name: string;
  readonly verdict: Verdict;
  readonly found: string;
  /** What to do for more; left out where there is nothing. */
  readonly advice?: string;
}

const nodeMin = 24;
const nodeOfFilters = 26;
const coresMin = 2;
const memoryMin = 2 ** 30;
const descriptorsMin = 1_024;
const processesMin = 1_000;
const mapsMin = 65_530;
const addressBytesMin = 2 ** 40;

/** Layers that keep a guest that broke out of the engine from files and network, each by itself. */
const walls: readonly JailLayer[] = ["filter", "landlock", "seal"];

export function machineChecks(facts: MachineFacts): readonly Check[] {
  return [
    nodeCheck(facts),
    systemCheck(facts),
    engineCheck(facts),
    coresCheck(facts),
    memoryCheck(facts),
    ...limitChecks(facts),
  ];
}

function nodeCheck({ node }: MachineFacts): Check {
  const major = Number(/^v(\d+)/.exec(node)?.[1] ?? 0);
  const name = "Node.js";
  if (major < nodeMin)
    return { name, verdict: "bad", found: node, advice: `Install Node.js ${nodeMin} or newer.` };
  if (major < nodeOfFilters)
    return {
      name,
      verdict: "warn",
      found: node,
      advice: `Node.js ${nodeOfFilters} can put on the layers of the kernel (filter, landlock, seal).`,
    };
  return { name, verdict: "ok", found: node };
}

function systemCheck({ platform, arch, kernel }: MachineFacts): Check {
  const found = `${platform} ${arch}, ${kernel}`;
  if (platform === "linux") return { name: "System", verdict: "ok", found };
  const advice = "Built and tested on Linux; elsewhere most layers of the jail are missing.";
  return { name: "System", verdict: "warn", found, advice };
}

function engineCheck({ engine, platform, arch }: MachineFacts): Check {
  const name = "Engine";
  if (engine === null)
    return { name, verdict: "bad", found: "isolated-vm is not installed", advice: "Run npm install again." };
  const own = `${platform}-${arch}`;
  const found = `isolated-vm ${engine.version}`;
  if (engine.prebuilt.includes(own)) return { name, verdict: "ok", found: `${found}, prebuilt for ${own}` };
  if (engine.isBuilt) return { name, verdict: "ok", found: `${found}, compiled here` };
  const advice = `There is native code for ${engine.prebuilt.join(", ")}; for others it must be compiled: npm rebuild isolated-vm.`;
  return { name, verdict: "bad", found: `${found}, without native code for ${own}`, advice };
}

function coresCheck({ cores }: MachineFacts): Check {
  const found = `${cores} that this process may use`;
  if (cores >= coresMin) return { name: "Cores", verdict: "ok", found };
  return {
    name: "Cores",
    verdict: "warn",
    found,
    advice: "A guest that loops takes turns with all others on one core.",
  };
}

function memoryCheck({ memoryBytes, freeBytes, groupBytes }: MachineFacts): Check {
  const group = groupBytes === null ? "" : `, ${memoryText(groupBytes)} for this control group`;
  const found = `${memoryText(memoryBytes)}, ${memoryText(freeBytes)} unused${group}`;
  if (Math.min(memoryBytes, groupBytes ?? Infinity) >= memoryMin)
    return { name: "Memory", verdict: "ok", found };
  const advice = `A cell may need some hundred MiB: lower cells.count and cells.memoryBytesMax, or give it ${memoryText(memoryMin)}.`;
  return { name: "Memory", verdict: "warn", found, advice };
}

function limitChecks({
  descriptorsMax,
  processesMax,
  addressBytesMax,
  mapsMax,
}: MachineFacts): readonly Check[] {
  return [
    atLeast("Open files", descriptorsMax, {
      min: descriptorsMin,
      advice: `Each cell takes some: ulimit -n ${descriptorsMin} or more.`,
    }),
    atLeast("Processes", processesMax, {
      min: processesMin,
      advice: `Each cell has threads, and the limit is of all processes of the user: ulimit -u ${processesMin} or more.`,
    }),
    atLeast("Address space", addressBytesMax, {
      min: addressBytesMin,
      advice: "The engine reserves much more than it uses: ulimit -v unlimited.",
      text: memoryText,
    }),
    atLeast("Memory maps", mapsMax, {
      min: mapsMin,
      advice: `Each isolate takes some: sysctl vm.max_map_count=${mapsMin} or more.`,
    }),
  ];
}

interface Least {
  readonly min: number;
  readonly advice: string;
  readonly text?: (value: number) => string;
}

function atLeast(name: string, value: number | null, { min, advice, text = String }: Least): Check {
  if (value === null) return { name, verdict: "ok", found: "no limit is known" };
  if (value >= min) return { name, verdict: "ok", found: text(value) };
  return { name, verdict: "warn", found: text(value), advice };
}

/** What a runtime that was started says of its jail. */
export function jailChecks({ jail }: Pick<Health, "jail">, facts: MachineFacts | null): readonly Check[] {
  const held = jail.layers.map((layer): Check => ({
    name: `Layer ${layer}`,
    verdict: "ok",
    found: `on: stops ${stops[layer] ?? "more"}`,
  }));
  // Without any of them nothing but the engine and the permissions of Node are around a guest.
  const isBare = !walls.some((wall) => jail.layers.includes(wall));
  const missing = jail.missing.map(({ layer, why }): Check => ({
    name: `Layer ${layer}`,
    verdict: isBare && walls.includes(layer) ? "bad" : "warn",
    found: `off: ${why}`,
    ...adviceFor(layer, facts),
  }));
  return [...held, ...missing];
}

const stops: Readonly<Partial<Record<JailLayer, string>>> = {
  permissions: "files, network and programs through Node",
  user: "what only root or your user may do",
  filter: "sockets, tracing, namespaces",
  landlock: "files, TCP, signals",
  tether: "outliving the orchestrator",
  descriptors: "use of files that were open",
  resources: "filling disks, many open files",
  hidden: "reading its memory from other processes",
  seal: "all system calls that a cell does not need",
  tripwire: "a second try",
  jitless: "memory that is written and executed",
};

function adviceFor(layer: JailLayer, facts: MachineFacts | null): { readonly advice?: string } {
  const advice = advices[layer]?.(facts);
  return advice === undefined ? {} : { advice };
}

const kernelAdvice = "It needs Linux on x64 or arm64, and Node.js 26.";
const filterAdvice = (facts: MachineFacts | null): string =>
  facts?.seccomp === false
    ? "It needs a kernel with seccomp filters."
    : `${kernelAdvice} Some containers block seccomp.`;

const advices: Readonly<Partial<Record<JailLayer, (facts: MachineFacts | null) => string>>> = {
  user: (facts) =>
    facts?.isRoot === true
      ? "Install Node and the package where every user can read them."
      : "Run as root, and cells become another user; or run the whole program as a user of its own.",
  landlock: (facts) =>
    facts?.securityModules?.includes("landlock") === false
      ? "Add landlock to the kernel's parameter lsm=, with Linux 5.13 or newer."
      : "It needs Linux 5.13 or newer with Landlock enabled; some containers do not offer it.",
  filter: filterAdvice,
  seal: filterAdvice,
  hidden: () => kernelAdvice,
  descriptors: () => kernelAdvice,
  resources: () => kernelAdvice,
};

/** The worst of them. */
export function verdictOf(checks: readonly Check[]): Verdict {
  if (checks.some(({ verdict }) => verdict === "bad")) return "bad";
  return checks.some(({ verdict }) => verdict === "warn") ? "warn" : "ok";
}
