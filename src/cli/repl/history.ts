// The lines that were typed into a console, kept for the next one in a file that nobody else may read. A line that begins with a
// space is not kept, as in shells.
import { appendFileSync, chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../std/make-folder.ts";
import { reasonOf } from "../reasons.ts";

const linesMax = 1_000;
const lineLengthMax = 10_000;
/** The file is read up to here; a longer one is not ours. */
const bytesMax = 4 * linesMax * lineLengthMax;
const ownerOnly = 0o600;

export class History {
  readonly #path: string | null;
  #lines: string[];
  #written: number;
  /** Why lines are not kept, in words; undefined while they are. */
  problem: string | undefined;

  /** Without a path nothing is kept. */
  constructor(path: string | null) {
    this.#path = path;
    this.#lines = path === null ? [] : this.#read(path);
    this.#written = this.#lines.length;
    this.#lines = this.#lines.slice(-linesMax);
  }

  /** The oldest first. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  add(line: string): void {
    const isKept =
      line.trim() !== "" &&
      !line.startsWith(" ") &&
      line.length <= lineLengthMax &&
      line !== this.#lines.at(-1);
    if (!isKept) return;
    this.#lines.push(line);
    if (this.#lines.length > linesMax) this.#lines.shift();
    if (this.#path !== null && this.problem === undefined) this.#write(this.#path, line);
  }

  #read(path: string): string[] {
    try {
      const text = readFileSync(path, "utf8");
      return text.length > bytesMax ? [] : text.split("\n").filter((line) => line !== "");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.problem = reasonOf(error);
      return [];
    }
  }

  // Line by line, so that a console that is killed loses nothing; what grew too long is written anew.
  #write(path: string, line: string): void {
    try {
      makeFolder(dirname(path));
      if (this.#written >= 2 * linesMax) return this.#writeAll(path);
      appendFileSync(path, `${line}\n`, { mode: ownerOnly });
      // The file may have been there with other rights.
      if (this.#written === 0 || this.#written === this.#lines.length - 1) chmodSync(path, ownerOnly);
      this.#written++;
    } catch (error) {
      this.problem = reasonOf(error);
    }
  }

  #writeAll(path: string): void {
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, `${this.#lines.join("\n")}\n`, { mode: ownerOnly });
    renameSync(draft, path);
    this.#written = this.#lines.length;
  }
}
