// Whether what was typed so far is a statement that goes on in the next line. The compiler says it: what is wrong with it is
// wrong at its end.
import type { Compile, Diagnostic } from "../../index.ts";

const name = "repl";

export async function isUnfinished(compile: Pick<Compile, "check">, source: string): Promise<boolean> {
  if (source.trim() === "") return false;
  const found = await errorsIn(compile, source);
  if (found.some((error) => isAtEnd(error, source))) return true;
  if (found.length === 0 || !source.trimStart().startsWith("{")) return false;
  // A script may be an object alone, which a module would take for a block: it ends before a bracket that is put behind it.
  const lines = source.split("\n").length;
  return (await errorsIn(compile, `(${source}\n)`)).some(({ line }) => line > lines);
}

async function errorsIn(compile: Pick<Compile, "check">, source: string): Promise<readonly Diagnostic[]> {
  try {
    return (await compile.check(source, { name })).filter(({ severity }) => severity === "error");
  } catch {
    // Whatever it is, running the statement tells it.
    return [];
  }
}

function isAtEnd({ message, line, column }: Diagnostic, source: string): boolean {
  if (/\bEOF\b|unexpected end/i.test(message) || message.startsWith("Unterminated multiline comment"))
    return true;
  const lines = source.split("\n");
  const place = lines[line - 1]?.slice(column - 1) ?? "";
  // Only a template goes over several lines; the place is where it, or what is behind a `${…}` of it, begins.
  if (/^Unterminated (string|template)/.test(message)) return /^[`}]/.test(place);
  const isLast = lines.slice(line).every((later) => later.trim() === "");
  return isLast && place.trim() === "" && /^(Unexpected token|Missing catch)/.test(message);
}
