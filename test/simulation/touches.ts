// Who does what to which sandbox at the same time: what was promised to one alone may not hold for two.

export interface Touch {
  readonly id: string;
  readonly kind: string;
  /** What else was done to the sandbox meanwhile. */
  readonly met: Set<string>;
}

export class Touches {
  readonly #underway = new Map<string, Set<Touch>>();

  begin(id: string, kind: string): Touch {
    const touch: Touch = { id, kind, met: new Set() };
    const others = this.#underway.get(id) ?? new Set();
    for (const other of others) {
      other.met.add(kind);
      touch.met.add(other.kind);
    }
    others.add(touch);
    this.#underway.set(id, others);
    return touch;
  }

  end(touch: Touch): void {
    this.#underway.get(touch.id)?.delete(touch);
  }

  /** How much is being done to it. */
  count(id: string): number {
    return this.#underway.get(id)?.size ?? 0;
  }
}

/** Whether any of these kinds was met. */
export function hasMet({ met }: Touch, ...kinds: readonly string[]): boolean {
  return kinds.some((kind) => met.has(kind));
}
