// Reads the records of one page of a database without the tree above it, in the format of https://sqlite.org/fileformat2.html.
import { readSync } from "node:fs";
import type { Value } from "./tables.ts";

export interface PageRecord {
  /** Of a table whose rows have numbers; null for rows that are sorted by their key. */
  readonly rowid: bigint | null;
  readonly values: readonly Value[];
}

const pageKinds = { keyInterior: 0x02, keyLeaf: 0x0a, rowLeaf: 0x0d } as const;
/** A longer record is not read: its length is nonsense. */
const recordBytesMax = 256 * 2 ** 20;
const headerBytes = 100;
/** Where the first page says that empty pages can be given back: there are then pages that say what the others are for. */
const incrementalAt = 52;

export class PageFile {
  readonly #descriptor: number;
  readonly #pageBytes: number;
  readonly #hasMaps: boolean;
  readonly count: number;

  constructor(descriptor: number, options: { readonly pageBytes: number; readonly fileBytes: number }) {
    this.#descriptor = descriptor;
    this.#pageBytes = options.pageBytes;
    this.count = Math.floor(options.fileBytes / options.pageBytes);
    this.#hasMaps = this.page(1).readUInt32BE(incrementalAt) !== 0;
  }

  page(number: number): Buffer {
    const page = Buffer.alloc(this.#pageBytes);
    readSync(this.#descriptor, page, 0, this.#pageBytes, (number - 1) * this.#pageBytes);
    return page;
  }

  /** The pages that are free: what stands on them was deleted. */
  freePages(): ReadonlySet<number> {
    const free = new Set<number>();
    let trunk = this.page(1).readUInt32BE(32);
    while (trunk > 0 && trunk <= this.count && !free.has(trunk)) {
      free.add(trunk);
      const page = this.page(trunk);
      const leaves = Math.min(page.readUInt32BE(4), this.#pageBytes / 4 - 2);
      for (let leaf = 0; leaf < leaves; leaf++) free.add(page.readUInt32BE(8 + 4 * leaf));
      trunk = page.readUInt32BE(0);
    }
    return free;
  }

  /** The records of a page that has some; a record that makes no sense is left out. */
  *records(number: number): Generator<PageRecord> {
    if (this.#isMap(number)) return;
    const page = this.page(number);
    const start = number === 1 ? headerBytes : 0;
    const kind = page[start];
    if (kind !== pageKinds.keyInterior && kind !== pageKinds.keyLeaf && kind !== pageKinds.rowLeaf) return;
    const cells = page.readUInt16BE(start + 3);
    const pointers = start + (kind === pageKinds.keyInterior ? 12 : 8);
    for (let cell = 0; cell < cells && pointers + 2 * cell + 2 <= page.length; cell++) {
      const record = this.#record(page, kind, page.readUInt16BE(pointers + 2 * cell));
      if (record !== undefined) yield record;
    }
  }

  #isMap(number: number): boolean {
    const pagesPerMap = Math.floor(this.#pageBytes / 5) + 1;
    return this.#hasMaps && (number - 2) % pagesPerMap === 0;
  }

  #record(page: Buffer, kind: number, at: number): PageRecord | undefined {
    try {
      const reader = new ByteReader(page, at + (kind === pageKinds.keyInterior ? 4 : 0));
      const length = Number(reader.varint());
      const rowid = kind === pageKinds.rowLeaf ? BigInt.asIntN(64, reader.varint()) : null;
      if (length > recordBytesMax) return undefined;
      const payload = this.#payload(reader, length, kind === pageKinds.rowLeaf);
      return payload === undefined ? undefined : { rowid, values: valuesOf(payload) };
    } catch (error) {
      // A place outside of the page.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** The bytes of a record: some in the page, the others in a chain of pages. */
  #payload(reader: ByteReader, length: number, isRow: boolean): Buffer | undefined {
    const usable = this.#pageBytes;
    const least = Math.floor(((usable - 12) * 32) / 255) - 23;
    const most = isRow ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
    if (length <= most) return reader.bytes(length);
    const local = least + ((length - least) % (usable - 4));
    const first = reader.bytes(local <= most ? local : least);
    const parts = [first];
    let missing = length - first.length;
    for (let next = Number(reader.unsigned(4)); missing > 0;) {
      if (next === 0 || next > this.count) return undefined;
      const page = this.page(next);
      parts.push(page.subarray(4, 4 + Math.min(missing, usable - 4)));
      missing -= usable - 4;
      next = page.readUInt32BE(0);
    }
    return Buffer.concat(parts);
  }
}

function valuesOf(payload: Buffer): readonly Value[] {
  const header = new ByteReader(payload, 0);
  const end = Number(header.varint());
  const body = new ByteReader(payload, end);
  const values: Value[] = [];
  while (header.at < end) values.push(valueOf(body, Number(header.varint())));
  return values;
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8];

function valueOf(body: ByteReader, type: number): Value {
  if (type === 0) return null;
  if (type === 7) return body.bytes(8).readDoubleBE(0);
  if (type === 8 || type === 9) return type - 8;
  const bytes = integerBytes[type];
  if (bytes !== undefined) return toInteger(BigInt.asIntN(8 * bytes, body.unsigned(bytes)));
  if (type < 12) throw new RangeError("no type of a value");
  const content = body.bytes(Math.floor((type - 12) / 2));
  return type % 2 === 0 ? Buffer.from(content) : content.toString("utf8");
}

function toInteger(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Reads bytes one after the other; throws a RangeError beyond their end. */
class ByteReader {
  readonly #buffer: Buffer;
  at: number;

  constructor(buffer: Buffer, at: number) {
    this.#buffer = buffer;
    this.at = at;
  }

  bytes(length: number): Buffer {
    if (this.at + length > this.#buffer.length) throw new RangeError("beyond the end");
    this.at += length;
    return this.#buffer.subarray(this.at - length, this.at);
  }

  unsigned(length: number): bigint {
    return this.bytes(length).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }

  /** Seven bits of each byte, as long as its highest bit is set; all eight of the ninth. */
  varint(): bigint {
    let value = 0n;
    for (let index = 0; index < 8; index++) {
      const byte = this.bytes(1).readUInt8(0);
      value = (value << 7n) | BigInt(byte & 0x7f);
      if (byte < 0x80) return value;
    }
    return (value << 8n) | this.unsigned(1);
  }
}
