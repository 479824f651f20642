// The code of individuals: each program once, with a number, its checksum and the sources of its modules, bounded in bytes. What
// has to make room is decided by who needs it.
import { checksumOfData } from "../../std/checksum.ts";

/** The sources of a program by the names of its modules. */
export type Sources = Readonly<Record<string, string>>;

interface Code {
  readonly checksum: string;
  /** Null where they were never told, or had to make room. */
  sources: Sources | null;
}

/** Who needs a code; the higher, the sooner it makes room. */
export const needs = { living: 0, ancestor: 1, dead: 2, nobody: 3 } as const;
export type Need = (typeof needs)[keyof typeof needs];

/** Is told of changes, where they are persisted. */
export interface CodesListener {
  codeChanged(number: number): void;
  textChanged(number: number): void;
}

/** A code as it is persisted: the sources are numbers of texts. */
export interface CodeRow {
  readonly checksum: string;
  readonly sources: readonly (readonly [module: string, text: number])[] | null;
}

/** How much is freed together at the bound, as a share of it. */
const freedShare = 0.1;

export class Codes {
  readonly #bytesMax: number;
  /** Oldest first. */
  readonly #codes = new Map<number, Code>();
  readonly #numbers = new Map<string, number>();
  /** Programs share the modules that are the same. */
  readonly #texts = new Map<string, { readonly number: number; uses: number }>();
  readonly #textOf = new Map<number, string>();
  #bytes = 0;
  #nextCode = 1;
  #nextText = 1;
  listener: CodesListener | undefined;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Checksums and sources together. */
  get bytes(): number {
    return this.#bytes;
  }

  get isOver(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  /** The number of a code, which is remembered; 0 for one of which nothing is known. */
  note(checksum: string | null, sources?: Sources): number {
    const key = checksum ?? (sources === undefined ? undefined : checksumOfData(sources));
    if (key === undefined) return 0;
    const known = this.#numbers.get(key);
    const number = known ?? this.#add(this.#nextCode, key);
    const code = this.#codes.get(number);
    const isTold = code !== undefined && code.sources === null && sources !== undefined;
    if (isTold) {
      code.sources = { ...sources };
      for (const text of Object.values(sources)) this.#use(text);
    }
    if (known === undefined || isTold) this.listener?.codeChanged(number);
    return number;
  }

  checksum(number: number): string | null {
    return this.#codes.get(number)?.checksum ?? null;
  }

  sources(number: number): Sources | null {
    return this.#codes.get(number)?.sources ?? null;
  }

  has(number: number): boolean {
    return this.#codes.has(number);
  }

  /** Frees what is needed least, the oldest first: programs as a whole, but of the living only the sources. */
  makeRoom(needOf: (number: number) => Need): void {
    const target = this.#bytesMax * (1 - freedShare);
    const byNeed = [...this.#codes.keys()].map((number) => ({ number, need: needOf(number) }));
    byNeed.sort((a, b) => b.need - a.need || a.number - b.number);
    for (const { number, need } of byNeed) {
      if (this.#bytes <= target) return;
      this.#dropSources(number);
      if (need !== needs.living) this.#drop(number);
      this.listener?.codeChanged(number);
    }
  }

  describe(number: number): CodeRow | undefined {
    const code = this.#codes.get(number);
    if (code === undefined) return undefined;
    const { checksum, sources } = code;
    const numbered = Object.entries(sources ?? {}).map(
      ([module, text]) => [module, this.#texts.get(text)?.number ?? 0] as const,
    );
    return { checksum, sources: sources === null ? null : numbered };
  }

  text(number: number): string | undefined {
    return this.#textOf.get(number);
  }

  restoreText(number: number, text: string): void {
    if (!this.#texts.has(text)) this.#addText(number, text);
  }

  /** A code as it was described; its texts must be known. */
  restore(number: number, { checksum, sources }: CodeRow): void {
    if (this.#numbers.has(checksum)) return;
    this.#add(number, checksum);
    const code = this.#codes.get(number);
    const texts = sources?.map(([module, text]) => [module, this.#textOf.get(text)] as const) ?? [];
    const isWhole = sources !== null && texts.every(([, text]) => text !== undefined);
    if (code === undefined || !isWhole) return;
    code.sources = Object.fromEntries(texts) as Sources;
    for (const text of Object.values(code.sources)) this.#use(text);
  }

  /** All codes are restored: a text that none of them has goes. */
  dropUnused(): void {
    for (const [text, { uses }] of this.#texts) if (uses === 0) this.#dropText(text);
  }

  #add(number: number, checksum: string): number {
    this.#nextCode = Math.max(this.#nextCode, number + 1);
    this.#codes.set(number, { checksum, sources: null });
    this.#numbers.set(checksum, number);
    this.#bytes += checksum.length;
    return number;
  }

  #addText(number: number, text: string): { readonly number: number; uses: number } {
    this.#nextText = Math.max(this.#nextText, number + 1);
    const kept = { number, uses: 0 };
    this.#texts.set(text, kept);
    this.#textOf.set(number, text);
    this.#bytes += text.length;
    return kept;
  }

  #use(text: string): void {
    const known = this.#texts.get(text);
    const kept = known ?? this.#addText(this.#nextText, text);
    kept.uses++;
    if (known === undefined) this.listener?.textChanged(kept.number);
  }

  #drop(number: number): void {
    const { checksum = "" } = this.#codes.get(number) ?? {};
    this.#codes.delete(number);
    this.#numbers.delete(checksum);
    this.#bytes -= checksum.length;
  }

  #dropSources(number: number): void {
    const code = this.#codes.get(number);
    const texts = Object.values(code?.sources ?? {});
    if (code !== undefined) code.sources = null;
    for (const text of texts) {
      const kept = this.#texts.get(text);
      if (kept !== undefined && --kept.uses === 0) this.#dropText(text);
    }
  }

  #dropText(text: string): void {
    const { number = 0 } = this.#texts.get(text) ?? {};
    this.#texts.delete(text);
    this.#textOf.delete(number);
    this.#bytes -= text.length;
    this.listener?.textChanged(number);
  }
}
