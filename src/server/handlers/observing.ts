// What a runtime says of itself: events, the audit log, the journal, figures and health.
import type { JournalEntry } from "../../index.ts";
import type { Caller } from "../gate.ts";
import type { Handlers, Parts } from "../handler.ts";
import { EventLines } from "../http/lines.ts";
import { eventTexts } from "./event-texts.ts";
import { checkOwned } from "./specs.ts";

const journalUsual = 1_000;
const journalPage = 10_000;

export const observingHandlers: Handlers<
  "about" | "events" | "publishEvent" | "queryAudit" | "readJournal" | "getMetrics" | "getHealth"
> = {
  about: async ({ parts, caller: { scope, tenant } }) => ({
    name: "vivarium",
    version: parts.version,
    api: "v1",
    scope,
    tenant,
    stored: parts.runtime.data !== null,
    heartbeatMs: parts.bounds.heartbeatMs,
  }),
  events: async (asked) => new EventLines(eventTexts(asked)),
  publishEvent: async ({ parts, caller, body }) => {
    const { event } = body;
    if (typeof event === "object" && event !== null && "sandboxId" in event)
      checkOwned(parts.gate, caller, event.sandboxId);
    // The runtime checks that both are what may be published.
    parts.runtime.events.publish(body.name as "fitness.adjusted", event as never);
  },
  queryAudit: async ({ parts, caller, query }) => {
    const { limit, ...filter } = query;
    if (caller.tenant === null) return { entries: await parts.runtime.audit.query(query) };
    const found = await parts.runtime.audit.query(filter);
    const own = found.filter(({ sandboxId }) => parts.gate.ownsId(caller, sandboxId));
    return { entries: limit === undefined ? own : own.slice(-limit) };
  },
  readJournal: async ({ parts, caller, query, signal }) => {
    const { deadlineMs, ...filter } = query;
    const bounds = { ...(deadlineMs === undefined ? {} : { deadlineMs }), signal };
    if (caller.tenant === null) return { entries: await parts.runtime.journal.entries(filter, bounds) };
    return { entries: await journalOf(parts, caller, { filter, bounds }) };
  },
  getMetrics: async ({ parts }) => parts.runtime.metrics(),
  getHealth: async ({ parts }) => parts.runtime.health(),
};

interface JournalRequest {
  readonly filter: { readonly after?: number; readonly limit?: number };
  readonly bounds: { readonly deadlineMs?: number; readonly signal: AbortSignal };
}

// What a tenant asks for is looked for page by page, so that it gets as much of its own as it asked for.
async function journalOf(
  { runtime, gate }: Parts,
  caller: Caller,
  { filter, bounds }: JournalRequest,
): Promise<readonly JournalEntry[]> {
  const { limit = journalUsual } = filter;
  const own: JournalEntry[] = [];
  // A limit that is none is refused with the first page.
  for (let after = filter.after; own.length < limit;) {
    const asked = {
      limit: own.length === 0 && limit < 1 ? limit : journalPage,
      ...(after === undefined ? {} : { after }),
    };
    const page = await runtime.journal.entries(asked, bounds);
    own.push(...page.filter(({ event }) => "sandboxId" in event && gate.ownsId(caller, event.sandboxId)));
    after = page.at(-1)?.number;
    if (page.length < journalPage) break;
  }
  return own.slice(0, limit);
}
