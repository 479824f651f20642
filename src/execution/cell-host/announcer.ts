// The cell's hand on the slate: memory where the page can be mapped (one store per field), writes otherwise.
import { writeSync } from "node:fs";
import { openLibc } from "../../std/libc.ts";
import { clearEntry, slateBytes, writeBeat, writeEntry, type Entry } from "../slate.ts";

const slateFd = 4;
const protReadWrite = 3;
const mapShared = 1;

/** Announces entries before they are made. */
export class Announcer {
  readonly how: "mapped" | "written";
  readonly #page: Float64Array;

  constructor() {
    const mapped = mapSlate();
    this.how = mapped === undefined ? "written" : "mapped";
    this.#page = new Float64Array(mapped ?? new ArrayBuffer(slateBytes));
  }

  enter(entry: Entry): void {
    writeEntry(this.#page, entry);
    this.#publish();
  }

  leave(slot: number): void {
    clearEntry(this.#page, slot);
    this.#publish();
  }

  /** Shows that the main thread turns. */
  beat(): void {
    writeBeat(this.#page);
    this.#publish();
  }

  #publish(): void {
    if (this.how === "written") writeSync(slateFd, this.#page, 0, slateBytes, 0);
  }
}

function mapSlate(): ArrayBuffer | undefined {
  const libc = openLibc();
  if (libc === undefined) return undefined;
  const address = libc.mmap(0n, BigInt(slateBytes), protReadWrite, mapShared, slateFd, 0n);
  const failed = 2n ** 64n - 1n;
  return address === failed || address === -1n ? undefined : libc.view(address, slateBytes);
}
