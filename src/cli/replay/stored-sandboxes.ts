// What the sandboxes of a data folder, and the tombstones of those that are gone, say of an evolution that no tracker followed.
import type { Tracker } from "../../evolution/index.ts";
import type { LatestFitness } from "../../model/fitness.ts";
import type { Ancestry } from "../../model/sandboxes/ancestry.ts";
import type { TableReader } from "../../store/folder/read-tables.ts";
import type { SandboxPage, TombstonePage } from "../../store/folder/requests.ts";
import { restoredOf, tombstoneOf } from "../../store/folder/sandbox-rows.ts";
import type { StoredSandbox } from "../../store/store.ts";

interface Found {
  readonly id: string;
  readonly createdAt: number;
  readonly ancestry: Ancestry;
  readonly fitness: LatestFitness | null;
  readonly checksum: string | null;
  readonly sources?: Readonly<Record<string, string>>;
  readonly isGone: boolean;
}

/** Adds what the tracker does not know of them; returns how many could not be read. */
export function addStored(tracker: Tracker, reader: TableReader): number {
  let damaged = 0;
  const found: Found[] = [];
  const add = (one: Found | undefined): void => {
    if (one === undefined) damaged++;
    else found.push(one);
  };
  for (const one of tombstonesIn(reader)) add(one);
  for (const one of sandboxesIn(reader)) add(one);
  found.sort((one, other) => one.createdAt - other.createdAt);
  for (const one of found)
    try {
      meet(tracker, one);
    } catch {
      damaged++;
    }
  return damaged;
}

function meet({ table, lineage, fitness }: Tracker, one: Found): void {
  const { id, createdAt, ancestry, checksum, sources, isGone } = one;
  const { parentIds, generation, mutation } = ancestry;
  const row = table.find(id);
  if (row === undefined || table.isAwaited(row)) {
    lineage.born({ id, parentIds, generation, mutation, checksum, ...(sources && { sources }) });
    table.identify(id, { createdAt, checksum });
  } else if (sources !== undefined && table.isLiving(row)) table.code.set(row, { checksum, sources });
  const known = fitness.get(id);
  if (one.fitness !== null && (known === undefined || known.evaluatedAt < one.fitness.evaluatedAt)) {
    const { score, result, ...more } = one.fitness;
    // A score beside a failure was stored by an earlier version.
    fitness.record({ id, score: result === "ok" ? score : null, result, ...more });
  }
  if (isGone) lineage.died(id);
}

function* sandboxesIn(reader: TableReader): Generator<Found | undefined> {
  let page: SandboxPage | undefined;
  do {
    const after: number = page?.rows.at(-1)?.number ?? 0;
    // What it answers to this request, as below.
    page = reader.carryOut({ kind: "sandboxes", after }) as SandboxPage;
    for (const row of page.rows) {
      const { sandbox } = restoredOf(row, page.sources);
      yield sandbox === undefined ? undefined : livingOf(sandbox);
    }
  } while (page.hasMore);
}

function livingOf({ id, createdAt, ancestry, record, modules, revisions }: StoredSandbox): Found {
  const { heads = {} } = revisions.at(-1) ?? {};
  const sources: Record<string, string> = {};
  const checksums: string[] = [];
  for (const [name, versions] of Object.entries(modules)) {
    const head = versions.find(({ version }) => version === heads[name]) ?? versions.at(-1);
    if (head === undefined) continue;
    Object.defineProperty(sources, name, { value: head.source, enumerable: true });
    checksums.push(`${name}=${head.checksum}`);
  }
  const checksum = checksums.length === 0 ? null : checksums.sort().join("&");
  return { id, createdAt, ancestry, fitness: record?.fitness ?? null, checksum, sources, isGone: false };
}

function* tombstonesIn(reader: TableReader): Generator<Found | undefined> {
  let page: TombstonePage | undefined;
  do {
    const after: number = page?.rows.at(-1)?.[0] ?? 0;
    page = reader.carryOut({ kind: "tombstones", after }) as TombstonePage;
    for (const row of page.rows) {
      const tombstone = tombstoneOf(row);
      if (typeof tombstone === "string") yield undefined;
      else {
        const { id, createdAt, ancestry, fitness } = tombstone.info;
        yield { id, createdAt, ancestry, fitness, checksum: null, isGone: true };
      }
    }
  } while (page.hasMore);
}
