// Full pages on a terminal's second screen, and the keys that are pressed meanwhile: what was there before is given back
// however it ends.
import { emitKeypressEvents } from "node:readline";
import { cutLine, lineWidth, paint, type Line } from "./lines.ts";

export interface Key {
  /** The character, or a name such as `up`, `pagedown`, `escape`, `return`. */
  readonly name: string;
  readonly ctrl: boolean;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly onKey: (key: Key) => void;
  /** A new page is needed. */
  readonly onResize: () => void;
}

const enter = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const leave = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const home = "\u001b[H";
const eraseLine = "\u001b[K";
const eraseBelow = "\u001b[J";
const endings = ["SIGTERM", "SIGHUP"] as const;
/** What a terminal has that does not say its size. */
const usualSize: Size = { columns: 80, rows: 24 };

interface Keypress {
  readonly name?: string;
  readonly ctrl?: boolean;
}

export class Screen implements Disposable {
  readonly #options: ScreenOptions;
  #isOpen = false;
  #isShown = false;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  /** Whether pages can be shown, and keys read. */
  static fits(input: NodeJS.ReadStream, output: NodeJS.WriteStream): boolean {
    return input.isTTY && output.isTTY && process.env["TERM"] !== "dumb";
  }

  get size(): Size {
    const { columns, rows } = this.#options.output;
    return columns > 0 && rows > 0 ? { columns, rows } : usualSize;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { input, output, onResize } = this.#options;
    emitKeypressEvents(input);
    input.on("keypress", this.#onKeypress);
    output.on("resize", onResize);
    process.on("exit", this.#restore);
    // Before Node prints what was thrown, which would be lost with the second screen.
    process.on("uncaughtExceptionMonitor", this.#restore);
    process.on("SIGTSTP", this.#suspend);
    process.on("SIGCONT", this.#continue);
    for (const ending of endings) process.on(ending, this.#end);
    this.#show();
  }

  /** Replaces the page. What does not fit is cut. */
  draw(lines: readonly Line[]): void {
    if (!this.#isShown) return;
    const { output } = this.#options;
    const { columns, rows } = this.size;
    const shown = lines.slice(0, rows).map((line) => {
      const own = cutLine(line, columns);
      // After a character in the last column, erasing would take that character.
      return `${paint(own, output)}${lineWidth(own) < columns ? eraseLine : ""}`;
    });
    // Nothing follows the last line, as a line feed in the last row would move all the others up.
    const below = shown.length < rows ? `\r\n${eraseBelow}` : "";
    output.write(`${home}${shown.join("\r\n")}${below}`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { input, output, onResize } = this.#options;
    input.off("keypress", this.#onKeypress);
    output.off("resize", onResize);
    process.off("exit", this.#restore);
    process.off("uncaughtExceptionMonitor", this.#restore);
    process.off("SIGTSTP", this.#suspend);
    process.off("SIGCONT", this.#continue);
    for (const ending of endings) process.off(ending, this.#end);
    this.#restore();
    input.pause();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #show(): void {
    const { input, output } = this.#options;
    this.#isShown = true;
    input.setRawMode(true);
    input.resume();
    output.write(enter);
  }

  readonly #restore = (): void => {
    if (!this.#isShown) return;
    this.#isShown = false;
    const { input, output } = this.#options;
    // A terminal that is gone has no mode.
    if (!input.destroyed) input.setRawMode(false);
    output.write(leave);
  };

  readonly #onKeypress = (text: string | undefined, { name, ctrl = false }: Keypress = {}): void => {
    if (ctrl && name === "z") return this.#suspend();
    this.#options.onKey({ name: name ?? text ?? "", ctrl });
  };

  /** As if there were no listener. */
  readonly #end = (ending: NodeJS.Signals): void => {
    this.close();
    process.kill(process.pid, ending);
  };

  // Ctrl-Z: the shell gets the first screen.
  readonly #suspend = (): void => {
    this.#restore();
    process.kill(process.pid, "SIGSTOP");
  };

  readonly #continue = (): void => {
    if (this.#isShown) return;
    this.#show();
    this.#options.onResize();
  };
}
