// Passes requests of guests to the capability broker and the answers back, only to the isolate that asked.
import type { Report } from "../../execution/protocol/messages.ts";
import type { Audit, AuditNote } from "../../security/audit.ts";
import type { Broker } from "../../security/broker.ts";
import type { Ticket, TicketSandbox } from "./ticket.ts";

export class Requests {
  readonly #broker: Broker;
  readonly #audit: Audit;

  constructor(broker: Broker, audit: Audit) {
    this.#broker = broker;
    this.#audit = audit;
  }

  /** A guest asks the host for something: its run may not be repeated any more. */
  onRequest(
    sandbox: TicketSandbox,
    ticket: Ticket | undefined,
    request: Extract<Report, { t: "request" }>,
  ): void {
    if (ticket?.kind === "run") ticket.hasAsked = true;
    const { place } = sandbox;
    const { id, name, args } = request;
    const { id: sandboxId, labels, grants } = sandbox;
    const { tenant } = sandbox.placement;
    const asked = { sandboxId, tenant, labels, name, args };
    void this.#broker.answer(grants, asked).then(({ code, text, rule }) => {
      this.#note(sandbox, { kind: code === "denied" ? "denied" : "called", rule, what: name });
      if (place === undefined || sandbox.place !== place) return;
      place.queue.answer(place.key, { id, code, text });
    });
  }

  #note(sandbox: TicketSandbox, about: Pick<AuditNote, "kind" | "rule" | "what">): void {
    const { id, profile } = sandbox;
    const nowhere = { module: null, line: null, column: null };
    this.#audit.record(profile.audit, { sandboxId: id, profile: profile.name, ...about, ...nowhere });
  }
}
