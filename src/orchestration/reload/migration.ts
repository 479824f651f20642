// States that the caller migrates himself: captured from servers that are held back, and given to the new code.
import { LoadError, VivariumError } from "../../model/errors.ts";
import type { StateReport } from "../../model/process.ts";
import { show } from "../../model/show.ts";
import { decode } from "../../model/wire/decode.ts";
import { encode } from "../../model/wire/encode.ts";
import type { Clock } from "../../std/clock.ts";
import { askOfProcesses, isListOf } from "../processes/processes.ts";
import type { ControlledSandbox } from "../runs/ticket.ts";
import type { SandboxView } from "../sandbox-view.ts";
import type { Operation } from "../sandboxes/operation.ts";
import type { Migrate, Move, VersionSteps } from "./reload-plan.ts";

const stateBytesMax = 64 * 2 ** 20;

/** The state of a server that is held back, as the guest writes it down. */
interface HeldState {
  readonly pid: number;
  readonly path: string | null;
  readonly name: string | null;
  readonly module: string;
  readonly state: string;
}

/** Holds back the servers whose code changes and has their states migrated; answers them as JSON. */
export async function migrateByHost(
  sandbox: ControlledSandbox,
  { clock, operation }: { readonly clock: Clock; readonly operation: Operation },
  { move, migrate }: { readonly move: Move; readonly migrate: Migrate },
): Promise<string> {
  const { loadMs } = sandbox.limits;
  // The new code takes the states only where the servers are still held back under this name: not in another isolate.
  const hold = `for revision ${move.next.revision.revision}`;
  const states = await holdStates(sandbox, { changed: move.next.changed, hold });
  const { place } = sandbox;
  // Processes are held back meanwhile: the caller has as long as the new code itself would have.
  const migrated = Promise.all(states.map((held) => migrateOne(held, move.versions, migrate)));
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

/** The isolate whose states were migrated is gone: there is none that could take them. */
export function statesLost({ id: sandboxId }: SandboxView): LoadError {
  const message = `Cannot reload sandbox "${sandboxId}" as its states were read in an isolate that is no more`;
  return new LoadError(message, { phase: "migrate", sandboxId, failure: { kind: "cell-lost", message } });
}

// Where the isolate was lost meanwhile, nobody is held back in the one that there is now: once more, as nobody was asked to
// migrate anything yet.
function holdStates(
  sandbox: ControlledSandbox,
  { changed, hold }: { readonly changed: readonly string[]; readonly hold: string },
): Promise<readonly HeldState[]> {
  const read = (value: unknown): HeldState[] | undefined =>
    isListOf(value, ["pid", "module", "state"]) ? (value as HeldState[]) : undefined;
  return askOfProcesses(sandbox, {
    verb: "hold",
    first: JSON.stringify(changed),
    second: hold,
    budgetMs: sandbox.limits.loadMs,
    isRepeatable: true,
    mustStay: true,
    phase: "migrate",
    read,
  });
}

/** What the states will be when a reload is committed. */
export interface PreparedStates {
  /** Those of servers in the tree, as a capture in part. */
  readonly capture: string;
  readonly report: readonly StateReport[];
}

/** Asks for the states that a reload leads to, and how each was come by. */
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

/** A guest's word on how its states fared: what is no row of a report is left out. */
export function readReport(value: unknown): readonly StateReport[] {
  const rows = Array.isArray(value) ? (value as Partial<StateReport>[]) : [];
  return rows.filter((row): row is StateReport => {
    return typeof row.module === "string" && typeof row.way === "string" && Array.isArray(row.versions);
  });
}

async function migrateOne(
  held: HeldState,
  versions: VersionSteps,
  migrate: Migrate,
): Promise<{ pid: number; state: string }> {
  const { pid, path, name, module } = held;
  const [from, to] = versions.get(module) ?? [0, 0];
  try {
    const state = await migrate(decode(held.state), { name, path, module, from, to });
    return { pid, state: encode(state, stateBytesMax) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "its result is not data";
    const message = `Cannot migrate the state of ${show(name ?? path)}: ${why}`;
    throw new VivariumError("MIGRATION_FAILED", message, cause);
  }
}
