// The address of a request as it came, before anything makes another one of it: what may mean two things is refused.
import { RequestRefusedError } from "../access/refusals.ts";

const addressMax = 8_192;
const segmentMax = 256;
/** A slash, a backslash, a percent sign, NUL and the other controls, written as escapes: no name has one of them. */
const trickForm = /%(?:2f|5c|25|7f|[01][0-9a-f])/i;
// Controls cannot come this far; what is left is what browsers and proxies read in different ways.
const oddForm = /[\\#\s]|\/\//;

/** Throws a refusal for a path that is not plainly one. Returns it without the query. */
export function checkAddress(address: string): string {
  if (address.length > addressMax)
    throw refused(`have at most ${addressMax} characters`, `${address.length}`, 414);
  if (!address.startsWith("/")) throw refused("begin with a slash", "another beginning");
  const mark = address.indexOf("?");
  const path = mark < 0 ? address : address.slice(0, mark);
  if (trickForm.test(path) || oddForm.test(path))
    throw refused("have only plain segments", "an escaped or doubled delimiter");
  for (const segment of path.split("/")) checkSegment(segment);
  return path;
}

function checkSegment(segment: string): void {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    throw refused("be well-formed", "an escape that is none");
  }
  if (text === "." || text === "..") throw refused("have no dot segments", "one");
  if (text.length > segmentMax)
    throw refused(`have segments of at most ${segmentMax} characters`, `${text.length}`);
}

function refused(rule: string, got: string, status = 400): RequestRefusedError {
  return new RequestRefusedError(`Cannot serve the request as its path must ${rule}: got ${got}`, status);
}
