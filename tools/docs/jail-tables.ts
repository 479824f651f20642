// The tables about the jail: its layers, and on which system each of them stands.
import { jailLayerNames, jailLayers } from "../../src/jail/layers.ts";
import { planLayers, type SystemFacts } from "../../src/jail/plan.ts";
import type { Table } from "./markdown.ts";

const linux: SystemFacts = {
  platform: "linux",
  arch: "x64",
  node: "v26",
  hasKernel: true,
  hasSeccomp: true,
  landlockAbi: 6,
  isRoot: true,
  unreadable: undefined,
};
const without = { hasKernel: false, hasSeccomp: false, landlockAbi: 0, isRoot: false } as const;
const systems: Readonly<Record<string, SystemFacts>> = {
  "Linux, root": linux,
  "Linux, a user": { ...linux, isRoot: false },
  "Linux, Node 24": { ...linux, ...without, node: "v24" },
  macOS: { ...linux, ...without, platform: "darwin" },
  Windows: { ...linux, ...without, platform: "win32" },
};

export function layerTable(): Table {
  const rows = jailLayerNames.map((name) => {
    const { by, isDefault, stops } = jailLayers[name];
    const when = isDefault ? "always" : "on request";
    return [`\`${name}\``, stops, by === "starter" ? "who starts it" : "the process itself", when];
  });
  return [["layer", "what it stops", "put on by", "when"], ...rows];
}

export function systemTable(): Table {
  const held = Object.values(systems).map(
    (system) => planLayers(system, { tripwire: true, jitless: true }).layers,
  );
  const rows = jailLayerNames.map((name) => [
    `\`${name}\``,
    ...held.map((layers) => (layers.includes(name) ? "yes" : "–")),
  ]);
  return [["layer", ...Object.keys(systems)], ...rows];
}
