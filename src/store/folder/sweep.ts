// Deletes what nothing refers to: artifacts of sources that no version has, and blobs that are neither a source nor an artifact.
import type { DatabaseSync } from "node:sqlite";
import { prepareAll, type Statements } from "./statements.ts";

/** So many sources must have lost a version before they are looked at. */
const lostPerSweep = 1_000;
/** Beyond this many, all blobs are looked at instead. */
const lostMax = 100_000;
const rowsPerStep = 32;

/** Where a sweep of everything is: among the artifacts, by their sources, or among the blobs, by their hashes. */
type Cursor =
  | { readonly of: "artifacts"; readonly after: string }
  | { readonly of: "blobs"; readonly after: Uint8Array };

export class Sweep {
  readonly #statements: Statements<keyof typeof statementTexts>;
  /** Sources that lost a version, in hexadecimal digits. */
  readonly #lost = new Set<string>();
  #isDue = false;
  // What an owner that was killed did not get to.
  #cursor: Cursor | undefined = { of: "artifacts", after: "" };

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, statementTexts);
  }

  /** There is something to do. */
  get isDue(): boolean {
    return this.#isDue || this.#cursor !== undefined;
  }

  /** Sources that lost a version. */
  lose(hashes: readonly Uint8Array[]): void {
    for (const hash of hashes) this.#lost.add(Buffer.from(hash).toString("hex"));
    if (this.#lost.size >= lostPerSweep) this.#isDue = true;
    if (this.#lost.size > lostMax) {
      this.#lost.clear();
      this.#cursor = { of: "artifacts", after: "" };
    }
  }

  /** Everything that was lost is looked at now. */
  hurry(): void {
    this.#isDue = this.#lost.size > 0;
  }

  /** Everything is looked at, whatever was lost. */
  startOver(): void {
    this.#lost.clear();
    this.#isDue = false;
    this.#cursor = { of: "artifacts", after: "" };
  }

  /** Nothing is to be done until more is lost. */
  rest(): void {
    this.#isDue = false;
    this.#cursor = undefined;
  }

  /** A few rows, inside the transaction of the caller. */
  step(): void {
    if (this.#isDue) this.#stepLost();
    else if (this.#cursor !== undefined) this.#cursor = this.#stepCursor(this.#cursor);
  }

  #stepLost(): void {
    let rows = 0;
    for (const source of this.#lost) {
      if (rows++ === rowsPerStep) return;
      this.#lost.delete(source);
      this.#dropArtifacts(source);
      this.#dropBlob(Buffer.from(source, "hex"));
    }
    this.#isDue = false;
  }

  #stepCursor(cursor: Cursor): Cursor | undefined {
    if (cursor.of === "artifacts") {
      const rows = this.#statements.sources
        .all(cursor.after, rowsPerStep)
        .map(({ source }) => String(source));
      for (const source of rows) this.#dropArtifacts(source);
      const last = rows.at(-1);
      return last === undefined ? { of: "blobs", after: new Uint8Array() } : { of: "artifacts", after: last };
    }
    const rows = this.#statements.hashes.all(cursor.after, rowsPerStep).map(({ hash }) => hash as Uint8Array);
    for (const hash of rows) this.#dropBlob(hash);
    const last = rows.at(-1);
    return last === undefined ? undefined : { of: "blobs", after: last };
  }

  #dropArtifacts(source: string): void {
    const { isSource, artifactsOf, dropArtifacts } = this.#statements;
    if (isSource.get(Buffer.from(source, "hex")) !== undefined) return;
    const hashes = artifactsOf.all(source).map(({ hash }) => hash as Uint8Array);
    if (hashes.length === 0) return;
    dropArtifacts.run(source);
    for (const hash of hashes) this.#dropBlob(hash);
  }

  #dropBlob(hash: Uint8Array): void {
    const { isSource, isArtifact, dropBlob } = this.#statements;
    if (isSource.get(hash) === undefined && isArtifact.get(hash) === undefined) dropBlob.run(hash);
  }
}

const statementTexts = {
  isSource: "SELECT 1 FROM versions WHERE source = ? LIMIT 1",
  isArtifact: "SELECT 1 FROM artifacts WHERE hash = ? LIMIT 1",
  sources: "SELECT DISTINCT source FROM artifacts WHERE source > ? ORDER BY source LIMIT ?",
  hashes: "SELECT hash FROM blobs WHERE hash > ? ORDER BY hash LIMIT ?",
  artifactsOf: "SELECT hash FROM artifacts WHERE source = ?",
  dropArtifacts: "DELETE FROM artifacts WHERE source = ?",
  dropBlob: "DELETE FROM blobs WHERE hash = ?",
};
