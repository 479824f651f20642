// What guests ask of the host: noted here, told to the orchestrator when it is certain that they asked, answered by it.
import type { Box } from "./box.ts";
import type { Reporter } from "./reporter.ts";

const openMax = 256;

/** Takes a guest's request; answers why not, or nothing. */
export function openRequest(
  box: Box,
  reporter: Reporter,
  asked: { readonly id: number; readonly name: string; readonly args: string },
): string {
  if (box.isVirtual) return `Cannot use ${asked.name} as a deterministic sandbox must have no capabilities`;
  if (box.requestOwners.size >= openMax)
    return `Cannot use ${asked.name} as at most ${openMax} requests may wait for their answers`;
  box.requestOwners.set(asked.id, box.turnOwner ?? box.current);
  box.requests.push({ ...asked, op: box.current });
  reporter.requests(box);
  return "";
}
