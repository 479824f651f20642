// The source of a function that is shipped: of one of this process by its text, or a text that came from elsewhere. Such a text
// is parsed by the compiler alone, and never becomes a function here.
import { InvalidOptionsError } from "../errors.ts";
import { show } from "../show.ts";

const nativeBody = /\{\s*\[native code\]\s*\}$/;
const classStart = /^class(?:\s*\{|\s+[^\s(])/;
// How a function begins that is an expression by itself. What an async one begins with, a method may be named.
const expressionStart = /^(?:function(?![\p{ID_Continue}$])|\(|[\p{ID_Start}$_][\p{ID_Continue}$]*\s*=>)/u;
/** What a text begins with that is an async function and no method named `async`. */
const asyncStart = /^async(?:\s+function(?![\p{ID_Continue}$])|\s+[\p{ID_Start}$_*]|\s*\()/u;

const texts = new WeakMap<() => never, string>();

/** Stands for a function whose text came from elsewhere, wherever one is shipped. */
export function functionFromSource(text: string): () => never {
  const stands = (): never => {
    throw new InvalidOptionsError("Cannot call the function as it must be shipped: it is a text", "fn");
  };
  texts.set(stands, text.trim());
  return stands;
}

/** The source of a module whose default export is this function. */
export function functionSource(fn: unknown): string {
  const { text, isMethod } = readFunction(fn);
  // A method's source stands only inside an object.
  return isMethod ? `export default Object.values({${text}})[0];` : `export default (${text});`;
}

/** The text of a function, to be shipped from elsewhere. */
export function functionText(fn: unknown): string {
  return readFunction(fn).text;
}

function readFunction(fn: unknown): { readonly text: string; readonly isMethod: boolean } {
  const given = typeof fn === "function" ? texts.get(fn as () => never) : undefined;
  const text = given ?? (typeof fn === "function" ? Function.prototype.toString.call(fn) : "");
  if (text === "" || classStart.test(text) || nativeBody.test(text)) {
    throw new InvalidOptionsError(
      `Cannot ship the function as it must be one written in JavaScript: got ${show(given ?? fn)}`,
      "fn",
    );
  }
  const isAsync =
    given === undefined
      ? Object.prototype.toString.call(fn).startsWith("[object Async")
      : asyncStart.test(given);
  return { text, isMethod: !expressionStart.test(isAsync ? text.replace(/^async\s*/, "") : text) };
}
