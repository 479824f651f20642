// A file line by line, whatever its size: a line that is longer than the bound is given up, and memory stays bounded.
import { createReadStream } from "node:fs";

export interface LineOptions {
  /** How many characters a line may have. */
  readonly lengthMax: number;
  readonly signal: AbortSignal;
  /** Called with how many bytes were read by now. */
  readonly onRead: (bytes: number) => void;
}

/** Null for a line that is too long. Empty lines are left out. */
export async function* linesOf(
  path: string,
  { lengthMax, signal, onRead }: LineOptions,
): AsyncGenerator<string | null> {
  const stream = createReadStream(path, { signal });
  const decoder = new TextDecoder();
  let rest = "";
  let isTooLong = false;
  let bytes = 0;
  for await (const chunk of stream) {
    const part = chunk as Buffer;
    bytes += part.length;
    onRead(bytes);
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (isTooLong) yield null;
      else if (line.trim() !== "") yield line.length > lengthMax ? null : line;
      isTooLong = false;
    }
    if (rest.length <= lengthMax) continue;
    rest = "";
    isTooLong = true;
  }
  rest += decoder.decode();
  if (isTooLong) yield null;
  else if (rest.trim() !== "") yield rest.length > lengthMax ? null : rest;
}
