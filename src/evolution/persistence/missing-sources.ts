// The code of sandboxes that were created or reloaded while no tracker listened: asked of the runtime.
import type { Runtime } from "../../api/types/runtime.ts";
import { VivariumError } from "../../model/errors.ts";
import { nextTurn } from "../../std/clock.ts";
import type { Individuals } from "../table/individuals.ts";

/** How many sandboxes are asked before other work has a turn. */
const atOnce = 100;

/** Completes the code of the living. One that is destroyed or changed meanwhile is left as it is. */
export async function readMissingSources(table: Individuals, { get }: Pick<Runtime, "get">): Promise<void> {
  const ids: string[] = [];
  for (let row = 0; row < table.size; row++)
    if (table.isLiving(row) && table.code.checksumOf(row) !== null && table.code.sourcesOf(row) === null)
      ids.push(table.idOf(row));
  for (const [index, id] of ids.entries()) {
    if (index % atOnce === 0) await nextTurn();
    try {
      await readSources(table, id, get);
    } catch (error) {
      // It is gone, or its runtime is.
      if (!(error instanceof VivariumError)) throw error;
    }
  }
}

async function readSources(table: Individuals, id: string, get: Runtime["get"]): Promise<void> {
  const sandbox = await get(id);
  const { modules, createdAt } = await sandbox.info();
  const sources: Record<string, string> = {};
  for (const module of Object.keys(modules))
    Object.defineProperty(sources, module, { value: await sandbox.source(module), enumerable: true });
  const { modules: after } = await sandbox.info();
  const isSame = Object.entries(after).every(([name, { checksum }]) => modules[name]?.checksum === checksum);
  const known = table.livingOf(id);
  const row = table.find(id);
  if (!isSame || row === undefined || known?.createdAt !== createdAt) return;
  table.code.set(row, { checksum: known.checksum, sources });
}
