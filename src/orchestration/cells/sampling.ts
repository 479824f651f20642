// What a sandbox has used, as its cell measures it now.
import type { TotalUsage } from "../../model/sandbox-info.ts";
import type { Resident } from "../sandboxes/resident.ts";
import { ErrandTicket } from "../runs/ticket.ts";

/** Sums, and a fresh sample where the sandbox has a home. */
export async function sampleUsage(resident: Resident): Promise<TotalUsage> {
  const { home } = resident;
  if (home === undefined) return { ...resident.usage };
  const { promise, resolve } = Promise.withResolvers<void>();
  const ticket = new ErrandTicket(resident, { lane: "sync", budgetMs: 0, settle: () => resolve() });
  home.queue.errand(ticket, (op) => ({ t: "sample", op, key: resident.key }));
  await promise;
  return { ...resident.usage };
}
