// Which code each individual has, and which its first parent had when it was born.
import { Codes, needs, type Need, type Sources } from "./codes.ts";
import { Column } from "./column.ts";

/** The code of an individual, as it is told of. */
export interface ToldCode {
  readonly checksum: string | null;
  readonly sources?: Sources | undefined;
}

/** The table that the rows are of. */
export interface CodedTable {
  size(): number;
  isLiving(row: number): boolean;
  parentsOf(row: number): readonly number[];
  /** A row lost its code. */
  changed(row: number): void;
}

export class CodeRows {
  readonly codes: Codes;
  readonly own: Column = new Column("int");
  readonly parent: Column = new Column("int");
  readonly #table: CodedTable;

  constructor(bytesMax: number, table: CodedTable) {
    this.codes = new Codes(bytesMax);
    this.#table = table;
  }

  set(row: number, { checksum, sources }: ToldCode): void {
    this.own.set(row, this.codes.note(checksum, sources));
    this.makeRoom();
  }

  checksumOf(row: number): string | null {
    return this.codes.checksum(this.own.get(row));
  }

  /** Null where they are not known, or had to make room. */
  sourcesOf(row: number): Sources | null {
    return this.codes.sources(this.own.get(row));
  }

  /** Of its first parent, as that was when it was born. */
  parentSourcesOf(row: number): Sources | null {
    return this.codes.sources(this.parent.get(row));
  }

  /** Where codes take more than they may, those make room that are needed least. */
  makeRoom(): void {
    if (!this.codes.isOver) return;
    const needOf = this.#needs();
    this.codes.makeRoom((number) => needOf.get(number) ?? needs.nobody);
    for (let row = 0; row < this.#table.size(); row++) {
      const lost = [this.own, this.parent].filter((column) => !this.#isKnown(column.get(row)));
      for (const column of lost) column.set(row, 0);
      if (lost.length > 0) this.#table.changed(row);
    }
  }

  #isKnown(code: number): boolean {
    return code === 0 || this.codes.has(code);
  }

  // The living need their code most, then come those that they descend from.
  #needs(): ReadonlyMap<number, Need> {
    const table = this.#table;
    const needOf = new Map<number, Need>();
    const note = (code: number, need: Need): void => {
      if (need < (needOf.get(code) ?? needs.nobody)) needOf.set(code, need);
    };
    const family = new Set<number>();
    for (let row = 0; row < table.size(); row++) if (table.isLiving(row)) family.add(row);
    const living = family.size;
    let place = 0;
    // A set is iterated in the order of insertion, those that are added meanwhile included.
    for (const row of family) {
      note(this.own.get(row), place++ < living ? needs.living : needs.ancestor);
      note(this.parent.get(row), needs.ancestor);
      for (const parent of table.parentsOf(row)) family.add(parent);
    }
    for (let row = 0; row < table.size(); row++) {
      note(this.own.get(row), needs.dead);
      note(this.parent.get(row), needs.dead);
    }
    return needOf;
  }
}
