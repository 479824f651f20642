// Decides which layers a process gets, from what the system has and what was asked for. Pure.
import { jailLayerNames, jailLayers, type JailLayer, type JailReport } from "./layers.ts";

/** What the system offers. */
export interface SystemFacts {
  readonly platform: string;
  readonly arch: string;
  readonly node: string;
  /** Whether system calls can be made. */
  readonly hasKernel: boolean;
  readonly hasSeccomp: boolean;
  readonly landlockAbi: number;
  readonly isRoot: boolean;
  /** The program that another user cannot read; undefined when all are readable. */
  readonly unreadable: string | undefined;
}

/** Layers that are used only where they are asked for. */
export interface JailWishes {
  readonly tripwire: boolean;
  readonly jitless: boolean;
}

/** Which layers to use, and why not the others. */
export function planLayers(system: SystemFacts, wishes: JailWishes): JailReport {
  const layers: JailLayer[] = [];
  const missing: { layer: JailLayer; why: string }[] = [];
  for (const layer of jailLayerNames) {
    if (!isWanted(layer, wishes)) continue;
    const why = whyNot(layer, system);
    if (why === undefined) layers.push(layer);
    else missing.push({ layer, why });
  }
  return { layers, missing };
}

function isWanted(layer: JailLayer, wishes: JailWishes): boolean {
  const asked: Readonly<Partial<Record<JailLayer, boolean>>> = wishes;
  return jailLayers[layer].isDefault || asked[layer] === true;
}

function whyNot(layer: JailLayer, system: SystemFacts): string | undefined {
  if (layer === "permissions" || layer === "jitless" || layer === "tether") return undefined;
  if (layer === "user") return whyNoUser(system);
  if (system.platform !== "linux") return `it needs Linux, and this is ${system.platform}`;
  if (!system.hasKernel)
    return `it needs Node 26 on arm64 or x64, and this is ${system.node} on ${system.arch}`;
  if (layer === "landlock")
    return system.landlockAbi < 1 ? "it needs a kernel with Landlock enabled" : undefined;
  const isFilter = layer === "filter" || layer === "seal" || layer === "tripwire";
  return isFilter && !system.hasSeccomp ? "it needs a kernel with seccomp filters" : undefined;
}

function whyNoUser({ platform, isRoot, unreadable }: SystemFacts): string | undefined {
  if (platform === "win32") return "it needs a system with user ids";
  if (!isRoot) return "it needs root to change users; the cells are the orchestrator's user";
  if (unreadable === undefined) return undefined;
  return `another user must be able to read ${unreadable}, and cannot`;
}
