// What must be in a data folder, by what its client was told: of each sandbox one state, or one of two while an operation was
// under way when the process was killed.

/** One sandbox as it can be seen from outside. */
export interface Seen {
  readonly kind: "plain" | "counter";
  readonly status: string;
  /** Which code it has. */
  readonly tag: number;
  readonly revision: number;
  /** The state of its process; null without one. */
  readonly count: number | null;
  readonly score: number | null;
}

export type Step =
  | { readonly op: "create"; readonly kind: Seen["kind"]; readonly tag: number; readonly count?: number }
  | { readonly op: "reload"; readonly tag: number }
  | { readonly op: "ask" }
  | { readonly op: "evaluate"; readonly score: number }
  | { readonly op: "suspend" }
  | { readonly op: "resume" }
  | { readonly op: "destroy" }
  | { readonly op: "write"; readonly value: number };

/** What the process says on its output. */
export type Line =
  | { readonly t: "begin"; readonly id: string; readonly step: Step }
  | { readonly t: "done"; readonly id: string; readonly error: string | null }
  | {
      readonly t: "found";
      readonly sandboxes: readonly (readonly [id: string, seen: Seen])[];
      readonly tombstones: readonly string[];
      readonly documents: readonly (readonly [key: string, value: unknown])[];
      readonly pids: readonly number[];
      readonly openMs: number;
    };

type Found = Extract<Line, { t: "found" }>;

/** What a step makes of a sandbox. */
export function after(seen: Seen | undefined, step: Step): Seen | undefined {
  if (step.op === "create") {
    const count = step.kind === "counter" ? (step.count ?? 0) : null;
    return { kind: step.kind, status: "running", tag: step.tag, revision: 1, count, score: null };
  }
  if (seen === undefined || step.op === "destroy" || step.op === "write") return undefined;
  if (step.op === "reload") return { ...seen, tag: step.tag, revision: seen.revision + 1 };
  if (step.op === "ask") return { ...seen, count: (seen.count ?? 0) + 1 };
  if (step.op === "evaluate") return { ...seen, score: step.score };
  return { ...seen, status: step.op === "suspend" ? "suspended" : "running" };
}

export class Expected {
  readonly #sandboxes = new Map<string, Seen>();
  readonly #documents = new Map<string, number>();
  readonly #destroyed = new Set<string>();
  readonly #underway = new Map<string, Step>();
  readonly faults: string[] = [];
  /** Steps that were told to be done. */
  acknowledged = 0;

  /** Those whose destruction was acknowledged, and that do not live again. */
  get destroyed(): readonly string[] {
    return [...this.#destroyed];
  }

  hear(line: Line): void {
    if (line.t === "begin") this.#underway.set(line.id, line.step);
    else if (line.t === "done") this.#done(line.id, line.error);
    else this.#compare(line);
  }

  #done(id: string, error: string | null): void {
    const step = this.#underway.get(id);
    if (step === undefined) return;
    this.#underway.delete(id);
    if (error !== null) return void this.faults.push(`${id} ${step.op}: ${error}`);
    this.acknowledged++;
    this.#apply(id, step);
  }

  #apply(id: string, step: Step): void {
    if (step.op === "write") return void this.#documents.set(id, step.value);
    const next = after(this.#sandboxes.get(id), step);
    if (step.op === "destroy") this.#destroyed.add(id);
    else this.#destroyed.delete(id);
    if (next === undefined) this.#sandboxes.delete(id);
    else this.#sandboxes.set(id, next);
  }

  // From here on what was found is what there is.
  #compare({ sandboxes, tombstones, documents }: Found): void {
    const found = new Map(sandboxes);
    // It was asked for the tombstones of these; others it may have destroyed without a word.
    const destroyed = this.destroyed;
    if (found.size !== sandboxes.length) this.faults.push("doubled: a sandbox is there twice");
    for (const id of new Set([...found.keys(), ...this.#sandboxes.keys()]))
      this.#compareOne(id, found.get(id));
    const values = new Map(documents);
    for (const id of new Set([...values.keys(), ...this.#documents.keys()])) {
      const step = this.#underway.get(id);
      const value = values.get(id);
      if (value !== this.#documents.get(id)) {
        if (step?.op === "write" && step.value === value) this.#documents.set(id, step.value);
        else this.faults.push(`lost: document ${id} is ${String(value)}, not ${this.#documents.get(id)}`);
      }
    }
    for (const id of destroyed)
      if (this.#destroyed.has(id) && !tombstones.includes(id))
        this.faults.push(`lost: ${id} has no tombstone`);
    this.#underway.clear();
  }

  #compareOne(id: string, seen: Seen | undefined): void {
    const known = this.#sandboxes.get(id);
    if (isSame(seen, known)) return;
    const step = this.#underway.get(id);
    if (step !== undefined && step.op !== "write" && isSame(seen, after(known, step)))
      return this.#apply(id, step);
    const what = known === undefined ? "orphan" : seen === undefined ? "lost" : "changed";
    const underway = step === undefined ? "nothing" : JSON.stringify(step);
    const told = `told ${JSON.stringify(known)}, found ${JSON.stringify(seen)}, under way ${underway}`;
    this.faults.push(`${what}: ${id}: ${told}`);
    if (seen === undefined) this.#sandboxes.delete(id);
    else this.#sandboxes.set(id, seen);
  }
}

export function isSame(a: Seen | undefined, b: Seen | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (Object.keys(a) as (keyof Seen)[]).every((name) => a[name] === b[name]);
}
