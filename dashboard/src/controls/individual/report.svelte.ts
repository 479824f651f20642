// The report of an individual as a view needs it: asked for when the id or what is known of it changes, and never that of another.
import { untrack } from "svelte";
import type { IndividualReport } from "../../../../src/contract/evolution-bodies.ts";
import { page } from "../../state.svelte.ts";
import { reportAsOf, reportsOf, stampOf } from "./report-cache.ts";

export type Asked =
  | { readonly state: "loading" | "gone" | "none" }
  | { readonly state: "failed"; readonly message: string }
  | { readonly state: "known"; readonly report: IndividualReport };

export class ReportQuestion {
  #asked: Asked = $state.raw({ state: "loading" });
  #tries = $state(0);
  readonly #asOf = $derived.by(() => {
    void page.version;
    return this.#asked.state === "known" ? reportAsOf(this.#asked.report, page.model.individuals) : null;
  });

  /** To be made while a component is. Null asks for nothing. */
  constructor(idOf: () => string | null) {
    const id = $derived(idOf());
    const stamp = $derived.by(() => (page.version, id === null ? "" : stampOf(page.model.individuals, id)));
    $effect(() => {
      void this.#tries;
      const { source } = page;
      if (id === null || source === null) {
        this.#asked = { state: "none" };
        return;
      }
      let isWanted = true;
      // What is shown of the same one stays until there is the new.
      if (!(this.#shownId() === id)) this.#asked = { state: "loading" };
      const take = (asked: Asked): void => {
        if (isWanted) this.#asked = asked;
      };
      reportsOf(source)
        .get(id, stamp)
        .then(
          (report) => take(report === null ? { state: "gone" } : { state: "known", report }),
          (error: unknown) =>
            take({ state: "failed", message: error instanceof Error ? error.message : String(error) }),
        );
      return () => (isWanted = false);
    });
  }

  get asked(): Asked {
    return this.#asked;
  }

  /** Null until it is known. */
  get report(): IndividualReport | null {
    if (this.#asked.state !== "known") return null;
    const { report } = this.#asked;
    return page.source?.slider ? this.#asOf : report;
  }

  again(): void {
    this.#tries++;
  }

  // Read without becoming a reason to ask again.
  #shownId(): string | null {
    return untrack(() => this.report?.id ?? null);
  }
}
