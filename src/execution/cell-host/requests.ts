// Requests of guests to the host, which are sent to the orchestrator unless their run may begin again elsewhere.
import type { Box } from "./box.ts";
import type { Reporter } from "./reporter.ts";

const openMax = 256;

/** Takes a guest's request; returns why it is refused, or an empty text. */
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
