// Writes the slate: as memory where the page can be mapped (one store per field), by file writes otherwise.
import { writeSync } from "node:fs";
import { openKernel } from "../../std/kernel.ts";
import { clearEntry, slateBytes, writeBeat, writeBegun, writeEntry, type Entry } from "../slate.ts";

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

  /** Operations up to this one may have begun, in whatever order. */
  noteBegun(op: number): void {
    writeBegun(this.#page, op);
    this.#publish();
  }

  /** Shows that the main thread runs. */
  beat(): void {
    writeBeat(this.#page);
    this.#publish();
  }

  #publish(): void {
    if (this.how === "written") writeSync(slateFd, this.#page, 0, slateBytes, 0);
  }
}

function mapSlate(): ArrayBuffer | undefined {
  const kernel = openKernel();
  if (kernel === undefined) return undefined;
  const address = kernel.call("mmap", 0, slateBytes, protReadWrite, mapShared, slateFd, 0);
  return address < 0 ? undefined : kernel.view(address, slateBytes);
}
