// The body of a request: read within a bound, and parsed to data that is not nested too deep to be walked.
import { InvalidOptionsError } from "../../model/errors.ts";
import { RequestRefusedError } from "../access/refusals.ts";

/** How deep lists and objects of a body may be nested: deeper than any value may be that a guest gets. */
const depthMax = 300;
const jsonForm = /^application\/(?:[a-z0-9.+-]*\+)?json\s*(?:;|$)/i;

/** The text of a body of at most so many bytes. Throws a refusal with 413 or 415. */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > bytesMax) throw tooLong(bytesMax);
  if (request.body === null) return "";
  checkEncoding(request.headers);
  const text = await readAll(request.body, bytesMax);
  if (text === "") return "";
  const form = request.headers.get("content-type");
  if (form === null || !jsonForm.test(form)) {
    const got = form === null ? "none" : JSON.stringify(form);
    const rule = "its content-type must be application/json";
    throw new RequestRefusedError(`Cannot read the request as ${rule}: got ${got}`, 415);
  }
  return text;
}

// A proxy that decodes it has read another text than stands here.
function checkEncoding(headers: Headers): void {
  for (const [name, plain] of [
    ["content-encoding", "identity"],
    ["transfer-encoding", "chunked"],
  ] as const) {
    const given = headers.get(name);
    if (given === null || given.trim().toLowerCase() === plain) continue;
    const rule = `its ${name} must be ${plain}, or none`;
    throw new RequestRefusedError(`Cannot read the request as ${rule}: got ${JSON.stringify(given)}`, 415);
  }
}

/** The object that a text of JSON is; an empty text is an empty one. */
export function parseBody(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === "") return {};
  if (isTooDeep(text)) throw mistake(`nested at most ${depthMax} deep`, "a deeper one");
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw mistake("JSON", "another text");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw mistake("an object", Array.isArray(parsed) ? "a list" : "another value");
  return parsed as Readonly<Record<string, unknown>>;
}

async function readAll(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (bytes > bytesMax) throw tooLong(bytesMax);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks, bytes));
  } catch {
    throw mistake("UTF-8", "other bytes");
  }
}

function isTooDeep(text: string): boolean {
  // So many brackets take more characters.
  if (text.length <= 2 * depthMax) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // 34 is a quote, 91 and 123 open, 93 and 125 close.
    if (unit === 34) i = endOfString(text, i);
    else if (unit === 91 || unit === 123) {
      if (++depth > depthMax) return true;
    } else if (unit === 93 || unit === 125) depth--;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  for (let from = start + 1; ;) {
    const end = text.indexOf('"', from);
    if (end < 0) return text.length;
    let slashes = 0;
    while (text[end - slashes - 1] === "\\") slashes++;
    if (slashes % 2 === 0) return end;
    from = end + 1;
  }
}

function tooLong(bytesMax: number): RequestRefusedError {
  const message = `Cannot read the request as its body must be at most ${bytesMax} bytes: it is longer`;
  return new RequestRefusedError(message, 413, { connection: "close" });
}

function mistake(rule: string, got: string): InvalidOptionsError {
  return new InvalidOptionsError(`Cannot use the body as it must be ${rule}: got ${got}`, "body");
}
