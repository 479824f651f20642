// A terminal for tests: what is written to it is kept, and keys are pressed by the test.
import { PassThrough } from "node:stream";

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly isTTY?: boolean;
}

export class FakeTerminal {
  readonly #written: string[] = [];
  readonly output: NodeJS.WriteStream;
  readonly input: NodeJS.ReadStream;

  constructor({ columns = 80, rows = 24, isTTY = true }: TerminalOptions = {}) {
    const output = new PassThrough();
    output.on("data", (chunk: Buffer) => this.#written.push(chunk.toString()));
    // What it has of a terminal is what the display asks for.
    this.output = Object.assign(output, { columns, rows, isTTY }) as unknown as NodeJS.WriteStream;
    const input = Object.assign(new PassThrough(), {
      isTTY,
      setRawMode: (isRaw: boolean): void => void (this.isRaw = isRaw),
    });
    this.input = input as unknown as NodeJS.ReadStream;
  }

  /** Whether keys come one by one. */
  isRaw = false;

  /** All that was written so far. */
  get text(): string {
    return this.#written.join("");
  }

  /** What was written since the last look. */
  take(): string {
    return this.#written.splice(0).join("");
  }

  resize(columns: number, rows: number): void {
    Object.assign(this.output, { columns, rows });
    this.output.emit("resize");
  }
}
