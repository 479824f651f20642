// A supervisor in a few lines: what is to be true of a tree after each end of a process, without processes, messages or time.

export type Reason = "error" | "normal" | "shutdown" | "killed";
export type RestartKind = "permanent" | "transient" | "temporary";
export type Strategy = "one-for-one" | "one-for-all" | "rest-for-one";

export interface Leaf {
  readonly kind: "leaf";
  readonly restart: RestartKind;
}

export interface Branch {
  readonly kind: "branch";
  readonly restart: RestartKind;
  readonly strategy: Strategy;
  readonly restartsMax: number;
  readonly children: readonly Plant[];
}

export type Plant = Leaf | Branch;

/** One thing that happens to one leaf, the one whose number it is. */
export interface Happening {
  readonly leaf: number;
  readonly what: "message" | Reason;
}

interface Child {
  readonly plant: Plant;
  readonly path: string;
  /** What runs there now. */
  living: Life | undefined;
}

interface Life {
  messages: number;
  restarts: number;
  children: Child[];
}

/** The leaves of a tree by their paths, in order. */
export function leavesOf(plant: Plant, path = "t"): string[] {
  if (plant.kind === "leaf") return [path];
  return plant.children.flatMap((child, at) => leavesOf(child, `${path}.${at}`));
}

export class ModelTree {
  readonly #root: Child;
  readonly #parents = new Map<Child, Child>();
  readonly #leaves = new Map<string, Child>();
  /** How often each leaf was begun. */
  readonly begun = new Map<string, number>();

  constructor(plant: Branch) {
    this.#root = { plant, path: "t", living: undefined };
    this.#start(this.#root);
  }

  message(path: string): void {
    const living = this.#leaves.get(path)?.living;
    if (living !== undefined) living.messages++;
  }

  end(path: string, reason: Reason): void {
    const leaf = this.#leaves.get(path);
    if (leaf?.living !== undefined) this.#ended(leaf, reason);
  }

  /** Messages that each leaf has had since its last start; null for one that is not running. */
  snapshot(paths: readonly string[]): (number | null)[] {
    return paths.map((path) => this.#leaves.get(path)?.living?.messages ?? null);
  }

  get isAlive(): boolean {
    return this.#root.living !== undefined;
  }

  #start(child: Child): void {
    const { plant, path } = child;
    const living: Life = { messages: 0, restarts: 0, children: [] };
    child.living = living;
    if (plant.kind === "leaf") {
      this.#leaves.set(path, child);
      this.begun.set(path, (this.begun.get(path) ?? 0) + 1);
      return;
    }
    for (const [at, below] of plant.children.entries()) {
      const next: Child = { plant: below, path: `${path}.${at}`, living: undefined };
      this.#parents.set(next, child);
      living.children.push(next);
      this.#start(next);
    }
  }

  #stop(child: Child): void {
    for (const below of child.living?.children ?? []) this.#stop(below);
    child.living = undefined;
  }

  #ended(child: Child, reason: Reason): void {
    this.#stop(child);
    const parent = this.#parents.get(child);
    const { plant } = parent ?? {};
    if (parent?.living === undefined || plant?.kind !== "branch") return;
    const { living } = parent;
    const { restart } = child.plant;
    const isOrderly = reason === "normal" || reason === "shutdown";
    if (restart === "temporary") living.children = living.children.filter((other) => other !== child);
    if (restart === "temporary" || (restart === "transient" && isOrderly)) return;
    if (++living.restarts > plant.restartsMax) return this.#ended(parent, "shutdown");
    const from = living.children.indexOf(child);
    const affected =
      plant.strategy === "one-for-one"
        ? [child]
        : living.children.slice(plant.strategy === "one-for-all" ? 0 : from);
    for (const other of affected.toReversed()) this.#stop(other);
    for (const other of affected) {
      if (other === child || other.plant.restart !== "temporary") this.#start(other);
      else living.children = living.children.filter((kept) => kept !== other);
    }
  }
}
