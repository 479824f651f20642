// `vivarium repl`: a console whose statements run in a session. On a terminal with history, completion and keys; otherwise it
// reads lines and writes what comes of them.
import { createInterface, type Interface } from "node:readline";
import type { Runtime, SessionSpec } from "../../index.ts";
import { bold, columnsOf, dim, paint, yellow, type Line } from "../display/lines.ts";
import type { Streams } from "../display/streams.ts";
import { History } from "./history.ts";
import { Shell } from "./shell.ts";
import { ReplWriter } from "./writer.ts";

export interface ReplOptions {
  readonly runtime: Runtime;
  /** Where that is, for the first line. */
  readonly name: string;
  readonly streams: Streams;
  readonly signal: AbortSignal;
  readonly spec: Omit<SessionSpec, "onOutput">;
  /** How long one statement may take; undefined leaves it to the sandbox. */
  readonly timeoutMs: number | undefined;
  readonly json: boolean;
  /** Null keeps no history. */
  readonly historyPath: string | null;
}

const widthWithoutTerminal = 100;
const historyMax = 1_000;
const prompts = { first: "> ", next: "… " } as const;

/** Resolves when the console has ended, with the exit code: of a console that nobody sits at, that of the last failure. */
export async function runRepl(options: ReplOptions): Promise<number> {
  const { runtime, streams, spec, timeoutMs, json } = options;
  const isTerminal = isInteractive(options);
  const writer = new ReplWriter(streams, { json, isTerminal });
  await using session = await runtime.session({ ...spec, onOutput: (line) => writer.output(line) });
  const width = (): number => Math.min(columnsOf(streams.stdout), widthWithoutTerminal);
  const shell = new Shell({ runtime, session, writer, timeoutMs, json, width });
  if (isTerminal) await atTerminal(options, shell, writer);
  else await fromLines(options, shell);
  return isTerminal ? 0 : shell.exitCode;
}

function isInteractive({ streams, json }: ReplOptions): boolean {
  return streams.stdin.isTTY && streams.stdout.isTTY && !json && process.env["TERM"] !== "dumb";
}

async function fromLines({ streams, signal }: ReplOptions, shell: Shell): Promise<void> {
  const lines = createInterface({ input: streams.stdin, crlfDelay: Infinity });
  const end = (): void => {
    shell.interrupt();
    lines.close();
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    for await (const line of lines) if (signal.aborted || (await shell.feed(line)) === "exit") return;
    if (!signal.aborted) await shell.flush();
  } finally {
    signal.removeEventListener("abort", end);
    lines.close();
  }
}

/** One line after the other, however quickly they come. */
async function atTerminal(options: ReplOptions, shell: Shell, writer: ReplWriter): Promise<void> {
  const { streams, name, signal, historyPath } = options;
  const history = new History(historyPath);
  writer.lines([[bold("vivarium repl"), dim(` · ${name} · .help shows commands, Ctrl-D ends`)]]);
  const editor = createInterface({
    input: streams.stdin,
    output: streams.stdout,
    terminal: true,
    history: history.lines.toReversed(),
    historySize: historyMax,
    removeHistoryDuplicates: true,
    completer: (line: string, done: (error: null, found: [string[], string]) => void) =>
      void shell.complete(line).then((found) => done(null, found)),
  });
  const ended = Promise.withResolvers<void>();
  const waiting: string[] = [];
  let work: Promise<void> | undefined;
  const drain = async (): Promise<void> => {
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift())
      if ((await shell.feed(line)) === "exit") return ended.resolve();
    work = undefined;
    prompt(editor, shell, streams);
  };
  editor.on("line", (line) => {
    history.add(line);
    waiting.push(line);
    work ??= drain();
  });
  editor.on("SIGINT", () => {
    waiting.length = 0;
    const isBusy = work !== undefined;
    const hint: Line = [dim("Ctrl-D ends the console.")];
    const hadText = editor.line !== "";
    if (!shell.interrupt() && !hadText && !isBusy) streams.stdout.write(`\n${paint(hint, streams.stdout)}`);
    if (isBusy) return;
    editor.write(null, { ctrl: true, name: "e" });
    streams.stdout.write("\n");
    clearLine(editor);
    prompt(editor, shell, streams);
  });
  const stop = (): void => ended.resolve();
  editor.on("close", stop);
  signal.addEventListener("abort", stop, { once: true });
  prompt(editor, shell, streams);
  await ended.promise;
  signal.removeEventListener("abort", stop);
  shell.interrupt();
  editor.close();
  await work;
  if (history.problem !== undefined)
    writer.note(yellow("note "), `The history was not kept: ${history.problem}`);
}

function prompt(editor: Interface, shell: Shell, { stdout }: Streams): void {
  editor.setPrompt(paint([dim(shell.isPending ? prompts.next : prompts.first)], stdout));
  editor.prompt();
}

/** Drops what stands in the line, so that the next prompt begins with nothing. */
function clearLine(editor: Interface): void {
  editor.write(null, { ctrl: true, name: "u" });
}
