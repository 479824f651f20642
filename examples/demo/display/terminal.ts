// Pictures on a terminal's second screen: what was there before, and its history, stay as they are, however it ends.
import { cut, paint, widthOf, type Line } from "./text.ts";

const enter = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const leave = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const home = "\u001b[H";
const eraseLine = "\u001b[K";
const eraseBelow = "\u001b[J";
const endings = ["SIGTERM", "SIGHUP"] as const;
/** What a terminal has that does not say its size. */
const usualSize = { columns: 80, rows: 24 };

export class Terminal {
  readonly #stream: NodeJS.WriteStream;
  readonly #onResize: () => void;
  #isOpen = false;

  /** `onResize` is called when a new picture is needed. */
  constructor(stream: NodeJS.WriteStream, onResize: () => void) {
    this.#stream = stream;
    this.#onResize = onResize;
  }

  /** Whether pictures can be shown at all. */
  get isUsable(): boolean {
    return this.#stream.isTTY && process.env["TERM"] !== "dumb";
  }

  get size(): { readonly columns: number; readonly rows: number } {
    const { columns, rows } = this.#stream;
    return columns > 0 && rows > 0 ? { columns, rows } : usualSize;
  }

  draw(lines: readonly Line[]): void {
    if (!this.#isOpen) this.#open();
    const { columns, rows } = this.size;
    const shown = lines.slice(0, rows).map((line) => {
      // After a character in the last column, erasing would take that character.
      const rest = widthOf(line) < columns ? eraseLine : "";
      return `${paint(cut(line, columns), this.#stream)}${rest}`;
    });
    // Nothing follows the last line, as a line feed in the last row would move all the others up.
    const below = shown.length < rows ? `\r\n${eraseBelow}` : "";
    this.#stream.write(`${home}${shown.join("\r\n")}${below}`);
  }

  /** Back to the first screen. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#stream.off("resize", this.#onResize);
    process.off("exit", this.#restore);
    process.off("SIGTSTP", this.#suspend);
    for (const ending of endings) process.off(ending, this.#end);
    this.#restore();
  }

  #open(): void {
    this.#isOpen = true;
    this.#stream.write(enter);
    this.#stream.on("resize", this.#onResize);
    process.on("exit", this.#restore);
    process.on("SIGTSTP", this.#suspend);
    for (const ending of endings) process.on(ending, this.#end);
  }

  readonly #restore = (): void => {
    this.#stream.write(leave);
  };

  /** As if there were no listener. */
  readonly #end = (ending: NodeJS.Signals): void => {
    this.close();
    process.kill(process.pid, ending);
  };

  // Ctrl-Z: the shell gets the first screen, and the next picture opens the second again.
  readonly #suspend = (): void => {
    this.close();
    process.kill(process.pid, "SIGSTOP");
  };
}
