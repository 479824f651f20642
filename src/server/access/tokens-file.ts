// Tokens in a file of JSON, for the command line: `{ "tokens": [ … ] }`, or the list alone.
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { InvalidOptionsError } from "../../model/errors.ts";
import { isRecord } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { readTokens, type TokenSpec } from "./token-specs.ts";

const bytesMax = 2 ** 20;
/** Permissions of others than the owner. */
const othersMask = 0o077;

/**
 * The tokens of a file. Rejects with `INVALID_OPTIONS` for what is no list of tokens, and for a file that others than its owner may
 * read or write. No token is ever in a message.
 */
export async function readTokensFile(path: string): Promise<readonly TokenSpec[]> {
  const refuse = (rule: string, got: string): InvalidOptionsError =>
    new InvalidOptionsError(
      `Cannot use the file of tokens ${show(path)} as it must ${rule}: got ${got}`,
      "tokens",
    );
  const text = await textOf(path, refuse);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    throw refuse("be JSON", "another text");
  }
  const tokens = isRecord(parsed) && Object.keys(parsed).join() === "tokens" ? parsed["tokens"] : parsed;
  if (!Array.isArray(tokens)) throw refuse('be a list of tokens, or { "tokens": [ … ] }', "something else");
  readTokens(tokens, `tokens of ${show(path)}`);
  // What was checked just now is a list of these.
  return tokens as readonly TokenSpec[];
}

async function textOf(path: string, refuse: (rule: string, got: string) => Error): Promise<string> {
  // It does not wait for one who writes, as a pipe has it. What is looked at and what is read are one file, also where its name is given to another one meanwhile.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw refuse("be readable", codeOf(error));
  });
  try {
    const status = await file.stat();
    if (!status.isFile()) throw refuse("be an ordinary file", "something else");
    const others = status.mode & othersMask;
    // Windows has no such permissions, and says that everybody may do everything.
    if (others !== 0 && process.platform !== "win32")
      throw refuse("be for its owner alone (chmod 600)", `mode ${(status.mode & 0o777).toString(8)}`);
    if (status.size > bytesMax) throw refuse(`have at most ${bytesMax} bytes`, String(status.size));
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function codeOf(error: unknown): string {
  return isRecord(error) && typeof error["code"] === "string" ? error["code"] : "an error";
}
