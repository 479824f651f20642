// States that the caller migrates himself: captured from servers that are held back, and given to the new code.
import { VivariumError } from "../model/errors.ts";
import { show } from "../model/show.ts";
import { decode } from "../model/wire/decode.ts";
import { encode } from "../model/wire/encode.ts";
import type { Homing } from "./homing.ts";
import { manageProcesses } from "./processes.ts";
import type { Move, Migrate } from "./reload-plan.ts";
import type { Resident } from "./resident.ts";

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
  resident: Resident,
  homing: Homing,
  { move, migrate }: { readonly move: Move; readonly migrate: Migrate },
): Promise<string> {
  const { loadMs } = resident.limits;
  const manage = (verb: string, first: string): Promise<string> => {
    return manageProcesses(resident, homing, { verb, first, second: "", budgetMs: loadMs });
  };
  await manage("suspend", JSON.stringify(move.step.changed));
  const states = JSON.parse(await manage("states", "")) as HeldState[];
  return JSON.stringify(await Promise.all(states.map((held) => migrateOne(held, move.versions, migrate))));
}

async function migrateOne(
  held: HeldState,
  versions: string,
  migrate: Migrate,
): Promise<{ pid: number; state: string }> {
  const { pid, path, name, module } = held;
  const [from = 0, to = 0] = (JSON.parse(versions) as Record<string, number[]>)[module] ?? [];
  try {
    const state = await migrate(decode(held.state), { name, path, module, from, to });
    return { pid, state: encode(state, stateBytesMax) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "its result is not data";
    const message = `Cannot migrate the state of ${show(name ?? path)}: ${why}`;
    throw new VivariumError("MIGRATION_FAILED", message, cause);
  }
}
