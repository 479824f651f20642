// What the cell gives a guest runtime: a handful of functions, kept in closures and out of the guest's reach.

/** Functions of the cell host. Only primitives cross, and none of them ever throws. */
export interface Host {
  /** Takes one console line; answers whether the run may go on writing. */
  write(level: number, text: string): boolean;
  /** Asks to be called for this timer after at least this many milliseconds. */
  arm(id: number, delayMs: number): void;
  disarm(id: number): void;
  /** There is work for the scheduler of processes. */
  wake(): void;
  /** A process began, ended or began again. */
  report(kind: string, detail: string): void;
  /** The run has used up its fuel. */
  exhausted(): void;
  /** Asks the host for something, to be answered later; answers why not, or nothing. */
  request(id: number, name: string, argsText: string): string;
  /** The parts of a URL as JSON, or an empty text where it is none. */
  parseUrl(input: string, base: string | undefined): string;
  /** The parts of a URL after one of its properties was assigned, as JSON. */
  changeUrl(href: string, property: string, value: string): string;
}

/** How one sandbox differs from another before its modules are loaded. */
export interface Character {
  /** What it has beyond the usual, by name. */
  readonly features: readonly string[];
  readonly deterministic: { readonly seed: number; readonly now: number } | null;
}
