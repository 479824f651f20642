// A server for simulations: a table of individuals that changes by chance, and a stream of events and pages that tell of it late,
// twice, with gaps, or not at all. All of it comes from a seed.
import type { EventConnection, EventGap, RemoteRuntime } from "../../../src/client/types.ts";
import type { IndividualEntry, IndividualsPage } from "../../../src/contract/evolution-bodies.ts";
import type { AnyEvent } from "../../../src/index.ts";
import type { FakeClock } from "../../../src/testing/fake-clock.ts";
import type { Dice } from "../../simulation/dice.ts";

export interface Truth {
  readonly id: string;
  parents: readonly Truth[];
  readonly generation: number;
  state: "living" | "dead";
  score: number | null;
  result: string;
  evaluatedAt: number | null;
  evaluations: number;
  population: string | null;
}

/** Who listens: a source. */
export interface Listener {
  onMissed(gap: EventGap): void;
  onConnection(connection: EventConnection): void;
}

interface Question {
  readonly after: number;
  readonly limit: number;
  readonly answer: PromiseWithResolvers<IndividualsPage>;
}

export class LiveWorld {
  rows: Truth[] = [];
  /** Nothing happens any more; what happened is told. */
  isCalm = false;
  isListenedTo = false;
  listener: Listener | undefined;
  readonly #dice: Dice;
  readonly #clock: FakeClock;
  #forgotten = 0;
  #log: AnyEvent[] = [];
  #isOpen = false;
  #hasOpened = false;
  #told = 0;
  #questions: Question[] = [];
  #tell: (any: AnyEvent) => void = () => {};

  constructor(dice: Dice, clock: FakeClock) {
    this.#dice = dice;
    this.#clock = clock;
  }

  get asked(): number {
    return this.#questions.length;
  }

  /** Whether every event was told. */
  get isTold(): boolean {
    return this.#isOpen && this.#told === this.#log.length;
  }

  get runtime(): RemoteRuntime {
    const onAny = (act: (any: AnyEvent) => void): (() => void) => {
      this.#tell = act;
      this.isListenedTo = true;
      return () => (this.isListenedTo = false);
    };
    const individuals = ({ after = 0, limit = 1_000, signal }: Asked = {}): Promise<IndividualsPage> => {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const question = { after, limit, answer: Promise.withResolvers<IndividualsPage>() };
      this.#questions.push(question);
      signal?.addEventListener("abort", () => {
        this.#questions = this.#questions.filter((one) => one !== question);
        question.answer.reject(signal.reason);
      });
      return question.answer.promise;
    };
    const about = { scope: "read", tenant: null };
    // What a source uses of a runtime.
    const used = { about, events: { onAny }, individuals, runs: async () => [], close: async () => {} };
    return used as unknown as RemoteRuntime;
  }

  /** One thing happens. */
  step(): void {
    const dice = this.#dice;
    const what = this.isCalm
      ? dice.weighted({ answer: 3, tell: 3, open: 3 })
      : dice.weighted({
          ...{ birth: 5, unheard: 1, death: 2, evaluation: 5, adjustment: 2, join: 3, forgetting: 0.2 },
          ...{ answer: 3, failure: 0.5, tell: 6, open: 1, break: 0.4, gap: 0.3, twice: 0.3 },
        });
    this[what]();
  }

  birth(id = this.#freeId(), isHeard = true): void {
    const living = this.rows.filter(({ state }) => state === "living");
    const count = living.length === 0 ? 0 : this.#dice.between(0, 3);
    const parents = [...new Set(Array.from({ length: count }, () => this.#dice.pick(living)))];
    const generation = Math.max(-1, ...parents.map((parent) => parent.generation)) + 1;
    const unknown = { score: null, result: "none", evaluatedAt: null, evaluations: 0, population: null };
    this.rows.push({ id, parents, generation, state: "living", ...unknown });
    const parentIds = parents.map((parent) => parent.id);
    if (isHeard)
      this.#log.push(told("lineage.born", this.#clock.now(), { sandboxId: id, parentIds, generation }));
  }

  unheard(): void {
    this.birth(`tracked-${this.rows.length + this.#forgotten}`, false);
  }

  death(): void {
    const one = this.#living();
    if (one === undefined) return;
    one.state = "dead";
    this.#log.push(told("sandbox.destroy.stop", this.#clock.now(), { sandboxId: one.id }));
  }

  evaluation(): void {
    const one = this.#living();
    if (one === undefined) return;
    const isOk = this.#dice.chance(0.8);
    one.score = isOk ? this.#dice.between(0, 1_000) : null;
    one.result = isOk ? "ok" : "timeout";
    one.evaluatedAt = this.#clock.now();
    one.evaluations++;
    const { id: sandboxId, score, result, evaluatedAt, generation } = one;
    const more = { components: {}, durationMs: 1, population: null, generation };
    this.#log.push(told("fitness.computed", evaluatedAt, { sandboxId, score, result, evaluatedAt, ...more }));
  }

  adjustment(): void {
    const one = this.#living();
    if (one === undefined || one.score === null) return;
    one.score += this.#dice.between(-100, 100);
    this.#log.push(told("fitness.adjusted", this.#clock.now(), { sandboxId: one.id, score: one.score }));
  }

  /** Somebody is a member of a population from now on, the dead too; no event says it. */
  join(): void {
    const alone = this.rows.filter(({ population }) => population === null);
    if (alone.length > 0) this.#dice.pick(alone).population = `island-${this.#dice.between(1, 3)}`;
  }

  forgetting(): void {
    const oldest = new Set(this.rows.filter(({ state }) => state === "dead").slice(0, 3));
    this.#forgotten += oldest.size;
    this.rows = this.rows.filter((row) => !oldest.has(row));
    for (const row of this.rows) row.parents = row.parents.filter((parent) => !oldest.has(parent));
  }

  answer(): void {
    const [question] = this.#questions.splice(this.#dice.between(0, this.#questions.length - 1), 1);
    if (question === undefined) return;
    const { after, limit } = question;
    const end = Math.min(this.rows.length, after + Math.min(limit, 7));
    question.answer.resolve({
      direction: "maximise",
      individuals: this.rows.slice(after, end).map((row) => entryOf(row)),
      next: end < this.rows.length ? end : null,
      total: this.rows.length,
      forgotten: this.#forgotten,
    });
  }

  failure(): void {
    this.#questions.shift()?.answer.reject(new Error("The server did not answer."));
  }

  tell(): void {
    for (let left = this.#dice.between(1, 4); left > 0 && this.#isOpen; left--) {
      const any = this.#log[this.#told];
      if (any === undefined) return;
      this.#told++;
      this.#tell(any);
    }
  }

  // Before the first opening nobody has said where to begin: what happened until then is told nobody.
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    if (!this.#hasOpened) this.#told = this.#log.length;
    this.#hasOpened = true;
    this.listener?.onConnection({ open: true, error: null });
  }

  break(): void {
    this.#isOpen = false;
    this.listener?.onConnection({ open: false, error: null });
  }

  gap(): void {
    if (!this.#isOpen) return;
    const missed = Math.min(this.#dice.between(1, 20), this.#log.length - this.#told);
    this.#told += missed;
    if (missed > 0) this.listener?.onMissed({ missed: this.#dice.chance(0.5) ? missed : null, error: null });
  }

  // A stream that goes on before the last event that came.
  twice(): void {
    if (this.#hasOpened) this.#told = Math.max(0, this.#told - this.#dice.between(0, 5));
  }

  #living(): Truth | undefined {
    const living = this.rows.filter(({ state, id }) => state === "living" && !id.startsWith("tracked"));
    return living.length === 0 ? undefined : this.#dice.pick(living);
  }

  // Few ids, so that those of the dead are used again.
  #freeId(): string {
    const taken = new Set(this.rows.filter(({ state }) => state === "living").map(({ id }) => id));
    const id = `i${this.#dice.between(0, 30)}`;
    return taken.has(id) ? `new-${this.#log.length}` : id;
  }
}

interface Asked {
  readonly after?: number;
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

function entryOf({
  id,
  parents,
  generation,
  state,
  score,
  result,
  evaluatedAt,
  population,
}: Truth): IndividualEntry {
  const parentIds = parents.map((parent) => parent.id);
  const more = { depth: 0, components: {}, evaluationMs: 1, population };
  return { id, parentIds, generation, state, score, result, evaluatedAt, ...more };
}

// What a model reads of an event.
const told = (name: AnyEvent["name"], at: number, event: object): AnyEvent =>
  ({ name, at, event }) as unknown as AnyEvent;
