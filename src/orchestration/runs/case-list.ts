// A list of cases that many sandboxes are asked, one after the other. A cell is sent it once, and keeps it until it is released.

/** Where a list is kept. */
export interface ListKeeper {
  /** The list is not needed any more. */
  forget(list: CaseList): void;
}

export interface ListedCase {
  /** Which of the targets it calls. */
  readonly target: number;
  /** Its arguments as JSON: the list of them, or a text that encodes it. */
  readonly args: string;
}

export class CaseList {
  readonly targets: readonly (readonly [module: string, name: string])[];
  readonly cases: readonly ListedCase[];
  /** How long all arguments are together. */
  readonly length: number;
  readonly #keepers = new Set<ListKeeper>();

  constructor(targets: CaseList["targets"], cases: CaseList["cases"]) {
    this.targets = targets;
    this.cases = cases;
    this.length = cases.reduce((sum, { args }) => sum + args.length, 0);
  }

  noteKept(keeper: ListKeeper): void {
    this.#keepers.add(keeper);
  }

  noteForgotten(keeper: ListKeeper): void {
    this.#keepers.delete(keeper);
  }

  /** Nobody is asked its cases any more. */
  release(): void {
    for (const keeper of [...this.#keepers]) keeper.forget(this);
  }
}
