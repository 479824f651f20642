// Lines of a stream as they arrive: whatever came in at once is given at once, so that whoever writes one line and waits for
// its result gets it.
import { InvalidOptionsError } from "../../model/errors.ts";

/** Longer than any spec may be. */
const lineLengthMax = 64 * 2 ** 20;

/** Groups of lines without their ends, empty ones left out. */
export async function* lineGroups(stream: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = "";
  for await (const text of stream) {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > lineLengthMax) {
      const rule = `a line must be of at most ${lineLengthMax} characters`;
      throw new InvalidOptionsError(`Cannot read the lines as ${rule}: got a longer one`, "input");
    }
    const filled = lines.filter((line) => line.trim() !== "");
    if (filled.length > 0) yield filled;
  }
  if (rest.trim() !== "") yield [rest];
}
