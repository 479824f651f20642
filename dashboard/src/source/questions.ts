// What the page asks a server for: individuals page by page, one of them, and runs. Each answer has a deadline, and none is waited
// for once the source is closed.
import type { IndividualReport, IndividualsPage, RunEntry } from "../../../src/contract/evolution-bodies.ts";
import type { RemoteRuntime } from "../../../src/client/types.ts";

export const pageSize = 2_000;
/** How long the server may take to answer one question, so that one that hangs is asked again. */
export const answerMs = 30_000;

/** All individuals at one moment. */
export interface WholeTable {
  readonly pages: readonly IndividualsPage[];
  /** The place behind the last one. */
  readonly next: number;
}

export interface QuestionsParts {
  readonly runtime: RemoteRuntime;
  readonly signal: AbortSignal;
  /** A page was read. */
  readonly onPage: () => void;
}

export class Questions {
  readonly #parts: QuestionsParts;

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
  }

  async page(after: number, limit: number = pageSize): Promise<IndividualsPage> {
    const { runtime, onPage } = this.#parts;
    const page = await runtime.individuals({ after, limit, ...this.#bounds() });
    onPage();
    return page;
  }

  /** Rejects where individuals were forgotten meanwhile, as the pages do not belong together then. */
  async whole(onProgress: (done: number, total: number) => void): Promise<WholeTable> {
    const pages: IndividualsPage[] = [];
    let next = 0;
    for (let after: number | null = 0; after !== null;) {
      const page = await this.page(after);
      this.#parts.signal.throwIfAborted();
      pages.push(page);
      if (page.forgotten !== pages[0]?.forgotten) throw new Error("Individuals were forgotten meanwhile.");
      next = after + page.individuals.length;
      after = page.next;
      onProgress(next, page.total);
    }
    return { pages, next };
  }

  /** Null where it is not known any more. */
  async individual(id: string): Promise<IndividualReport | null> {
    try {
      return await this.#parts.runtime.individual(id, this.#bounds());
    } catch (error) {
      if ((error as { readonly code?: string }).code === "SANDBOX_NOT_FOUND") return null;
      throw error;
    }
  }

  // What is said of a whole runtime is not for a tenant.
  async runs(): Promise<readonly RunEntry[]> {
    const { runtime } = this.#parts;
    return runtime.about.tenant === null ? runtime.runs(this.#bounds()) : [];
  }

  #bounds(): { readonly signal: AbortSignal; readonly deadlineMs: number } {
    return { signal: this.#parts.signal, deadlineMs: answerMs };
  }
}
