// Which run was sent first to the isolate of a sandbox: it may be repeated in another one, as nothing is lost but what it did.
import type { Place, RunTicket } from "./ticket.ts";

export class FirstRun {
  #ticket: RunTicket | undefined;
  #isAlone = true;

  /**
   * A run is sent. Runs on the main lane begin in the order of sending; which of two on different lanes begins first is not
   * known, and then neither may count as the first.
   */
  noteSent(ticket: RunTicket): void {
    const first = this.#ticket;
    if (ticket.wasPristine) {
      this.#ticket = ticket;
      this.#isAlone = true;
    } else if (first !== undefined && first.place === ticket.place) {
      this.#isAlone = false;
      if (first.lane === "async" || ticket.lane === "async") first.wasPristine = false;
    }
  }

  /** Whether a run that came back without having begun is still the first for this place: no other was sent there. */
  isStill(ticket: RunTicket, place: Place): boolean {
    return ticket === this.#ticket && ticket.wasPristine && ticket.place === place && this.#isAlone;
  }
}
