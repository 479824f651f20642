// Where an agent's sandboxes come from, told from what any runtime says of them: the living, and those gone that it remembers.
import type { LineageEntry, LineageReport } from "../evolution/reports.ts";
import type { SandboxInfo } from "../index.ts";
import { VivariumError } from "../model/errors.ts";
import { inSlices } from "../std/slicing.ts";
import { unifiedDiff } from "../std/unified-diff.ts";
import type { Agent } from "./agent.ts";

/** Where a sandbox comes from and what comes from it, as far as its agent's own are concerned. */
export async function lineageOf(agent: Agent, given: string, limit: number): Promise<LineageReport> {
  const own = agent.config.lineage;
  if (own !== undefined)
    return ofAgent(
      agent,
      await agent.about(given, (id) => own(id, { limit, isShown: (one) => agent.owns(one) })),
    );
  const start = await agent.info(given);
  const living = await agent.list();
  const known = new Map(living.map((info) => [info.id, info]));
  const find = (id: string): Promise<SandboxInfo | null> => findInfo(agent, known, id);
  const path = await pathOf(start, { limit, find });
  const ancestors = await reach(
    start.id,
    limit,
    async (id) => (await find(id))?.ancestry.parentIds.filter((one) => agent.owns(one)) ?? [],
  );
  const children = Map.groupBy(
    living.flatMap(({ id, ancestry }) => ancestry.parentIds.map((parentId) => [parentId, id] as const)),
    ([parentId]) => parentId,
  );
  const descendants = await reach(start.id, limit, async (id) =>
    (children.get(id) ?? []).map(([, child]) => child),
  );
  const isLiving = (id: string): boolean => living.some((info) => info.id === id);
  const entries: LineageEntry[] = [];
  for (const [index, info] of path.entries())
    entries.push(await entryOf(agent, info, { parent: path[index + 1], isLiving }));
  const more = path.at(-1)?.ancestry.parentIds.some((id) => agent.owns(id)) === true && path.length >= limit;
  return {
    id: start.id,
    path: entries,
    ancestors: ancestors.ids,
    descendants: descendants.ids,
    more: more || ancestors.isCut || descendants.isCut,
  };
}

/** Without what belongs to others. */
function ofAgent(agent: Agent, report: LineageReport): LineageReport {
  const own = (ids: readonly string[]): readonly string[] => ids.filter((id) => agent.owns(id));
  return {
    ...report,
    path: report.path
      .filter(({ id }) => agent.owns(id))
      .map((entry) => ({ ...entry, parentIds: own(entry.parentIds) })),
    ancestors: own(report.ancestors),
    descendants: own(report.descendants),
  };
}

async function findInfo(
  agent: Agent,
  known: Map<string, SandboxInfo>,
  id: string,
): Promise<SandboxInfo | null> {
  const found = known.get(id);
  if (found !== undefined) return found;
  if (!agent.owns(id)) return null;
  try {
    const info = await agent.info(id);
    known.set(id, info);
    return info;
  } catch (error) {
    // It is gone for so long that nobody remembers it.
    if (error instanceof VivariumError && error.code === "SANDBOX_NOT_FOUND") return null;
    throw error;
  }
}

interface Walk {
  readonly limit: number;
  readonly find: (id: string) => Promise<SandboxInfo | null>;
}

/** Itself, its first parent, and so on. An id that was used again may seem to be its own ancestor. */
async function pathOf(start: SandboxInfo, { limit, find }: Walk): Promise<readonly SandboxInfo[]> {
  const path = new Map<string, SandboxInfo>();
  for (let at: SandboxInfo | null = start; at !== null && path.size < limit && !path.has(at.id);) {
    path.set(at.id, at);
    const [parentId]: readonly string[] = at.ancestry.parentIds;
    at = parentId === undefined ? null : await find(parentId);
  }
  return [...path.values()];
}

async function reach(
  start: string,
  limit: number,
  next: (id: string) => Promise<readonly string[]>,
): Promise<{ readonly ids: readonly string[]; readonly isCut: boolean }> {
  const reached = new Set([start]);
  // A set is iterated in the order of insertion, those that are added meanwhile included.
  for (const id of reached) {
    for (const other of await next(id)) reached.add(other);
    if (reached.size > limit + 1) break;
  }
  const ids = [...reached].slice(1);
  return { ids: ids.slice(0, limit), isCut: ids.length > limit };
}

interface Around {
  readonly parent: SandboxInfo | undefined;
  readonly isLiving: (id: string) => boolean;
}

async function entryOf(agent: Agent, info: SandboxInfo, { parent, isLiving }: Around): Promise<LineageEntry> {
  const { id, ancestry, fitness, mutation } = info;
  const canCompare = parent !== undefined && isLiving(id) && isLiving(parent.id);
  return {
    id,
    parentIds: ancestry.parentIds.filter((one) => agent.owns(one)),
    generation: ancestry.generation,
    depth: ancestry.depth,
    mutation,
    living: isLiving(id),
    score: fitness?.score ?? null,
    diff: canCompare ? await diffBetween(agent, parent, info) : null,
  };
}

/** Module by module, those that are the same left out; null where either is gone meanwhile. */
async function diffBetween(agent: Agent, before: SandboxInfo, after: SandboxInfo): Promise<string | null> {
  const names = [...new Set([...Object.keys(before.modules), ...Object.keys(after.modules)])].sort();
  const changed = names.filter((name) => before.modules[name]?.checksum !== after.modules[name]?.checksum);
  const parts: string[] = [];
  try {
    for (const name of changed) {
      const [old, now] = await Promise.all([before, after].map((info) => sourceOf(agent, info, name)));
      const labels = { name, old: before.id, new: after.id };
      parts.push(await inSlices(unifiedDiff(old ?? "", now ?? "", labels), agent.owner.tenant));
    }
  } catch (error) {
    if (error instanceof VivariumError) return null;
    throw error;
  }
  return parts.join("");
}

async function sourceOf(agent: Agent, info: SandboxInfo, name: string): Promise<string> {
  return info.modules[name] === undefined ? "" : (await agent.get(info.id)).source(name);
}
