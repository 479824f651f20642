// States that the caller migrates: captured from servers that are held back, and passed to the new code.
import type { NextRevision } from "../../code/modules/version-log.ts";
import { LoadError, VivariumError } from "../../model/errors.ts";
import type { StateReport } from "../../model/sandboxes/process.ts";
import { show } from "../../model/show.ts";
import { readInSlices } from "../../model/wire/slices.ts";
import { slicingFor } from "../../std/slicing.ts";
import { encode } from "../../model/wire/encode.ts";
import type { WorkOwner } from "../../std/admission.ts";
import type { Clock } from "../../std/clock.ts";
import { askOfProcesses, isListOf } from "../processes/processes.ts";
import type { ControlledSandbox, Place } from "../runs/ticket.ts";
import { workOwnerOf, type SandboxView } from "../sandbox-view.ts";
import type { Operation } from "../sandboxes/operations/operation.ts";
import type { Migrate, VersionSteps } from "./reload-plan.ts";

const stateBytesMax = 64 * 2 ** 20;

/** The state of a server that is held back, as the guest encodes it. */
interface HeldState {
  readonly pid: number;
  readonly path: string | null;
  readonly name: string | null;
  readonly module: string;
  readonly state: string;
}

/** Servers that are held back, with their states. */
export interface HeldServers {
  /** Names the hold: the new code takes states only where the servers are still held back under it. */
  readonly hold: string;
  readonly states: readonly HeldState[];
  /** The isolate in which they are held back. */
  readonly place: Place | undefined;
}

/**
 * Holds back the servers whose code changes. Where the isolate is lost meanwhile, none is held back in the new one, and it is
 * done once more.
 */
export async function holdServers(sandbox: ControlledSandbox, next: NextRevision): Promise<HeldServers> {
  const hold = `for revision ${next.revision.revision}`;
  const read = (value: unknown): HeldState[] | undefined =>
    isListOf(value, ["pid", "module", "state"]) ? (value as HeldState[]) : undefined;
  const states = await askOfProcesses(sandbox, {
    verb: "hold",
    first: JSON.stringify(next.changed),
    second: hold,
    budgetMs: sandbox.limits.loadMs,
    isRepeatable: true,
    mustStay: true,
    phase: "migrate",
    read,
  });
  return { hold, states, place: sandbox.place };
}

/** Has the caller migrate the states of servers that are held back; returns them as JSON, as the new code takes them. */
export async function migrateStates(
  sandbox: ControlledSandbox,
  { hold, states, place }: HeldServers,
  { migrate, versions, clock, operation }: MigrationParts,
): Promise<string> {
  const { loadMs } = sandbox.limits;
  const owner = workOwnerOf(sandbox);
  // Processes wait meanwhile: the caller has as long as the new code itself would have.
  const migrated = Promise.all(states.map((held) => migrateOne({ held, versions, migrate, owner })));
  const toError = (): Error =>
    new VivariumError(
      "MIGRATION_FAILED",
      `Cannot migrate the states as migrate must answer within loadMs, ${loadMs}: it did not`,
    );
  const given = JSON.stringify({
    hold,
    states: await operation.within(clock, { ms: loadMs, toError }, migrated),
  });
  if (sandbox.place !== place) throw statesLost(sandbox);
  return given;
}

export interface MigrationParts {
  readonly migrate: Migrate;
  readonly versions: VersionSteps;
  readonly clock: Clock;
  readonly operation: Operation;
}

/** The isolate whose states were migrated is gone, and no other can take them. */
export function statesLost({ id: sandboxId }: SandboxView): LoadError {
  const message = `Cannot reload sandbox "${sandboxId}" as its states were read in an isolate that is no more`;
  return new LoadError(message, { phase: "migrate", sandboxId, failure: { kind: "cell-lost", message } });
}

/** What the states will be when a reload is committed. */
export interface PreparedStates {
  /** Those of servers in the tree, as a capture in part. */
  readonly capture: string;
  readonly report: readonly StateReport[];
}

/** Asks for the states that a reload leads to, and how each was made. */
export async function preparedStates(sandbox: ControlledSandbox): Promise<PreparedStates> {
  const budgetMs = sandbox.limits.loadMs;
  const request = { verb: "prepared", first: "", second: "", budgetMs, read: readPrepared };
  return askOfProcesses(sandbox, request);
}

function readPrepared(value: unknown): PreparedStates | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { servers, report } = value as { readonly servers?: unknown; readonly report?: unknown };
  if (!isListOf(servers, ["state"])) return undefined;
  const kept = (servers as { readonly state: unknown }[]).filter(({ state }) => state !== null);
  return { capture: JSON.stringify({ servers: kept }), report: readReport(report) };
}

/** A guest's report on its states; malformed rows are left out. */
export function readReport(value: unknown): readonly StateReport[] {
  const rows = Array.isArray(value) ? (value as Partial<StateReport>[]) : [];
  return rows.filter((row): row is StateReport => {
    return typeof row.module === "string" && typeof row.way === "string" && Array.isArray(row.versions);
  });
}

interface StateMigration {
  readonly held: HeldState;
  readonly versions: VersionSteps;
  readonly migrate: Migrate;
  readonly owner: WorkOwner;
}

async function migrateOne({
  held,
  versions,
  migrate,
  owner,
}: StateMigration): Promise<{ pid: number; state: string }> {
  const { pid, path, name, module } = held;
  const [from, to] = versions.get(module) ?? [0, 0];
  try {
    const read = await readInSlices(held.state, stateBytesMax, slicingFor(owner));
    if ("malformed" in read) throw read.malformed;
    const state = await migrate(read.value, { name, path, module, from, to });
    return { pid, state: encode(state, stateBytesMax) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "its result is not data";
    const message = `Cannot migrate the state of ${show(name ?? path)}: ${why}`;
    throw new VivariumError("MIGRATION_FAILED", message, cause);
  }
}
