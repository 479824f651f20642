// Errors: those that the host throws or reads, and the hooks that run while it does.
import { escape, type Escape } from "./escape.ts";

const frames = (act: string): string => `
  Error.prepareStackTrace = (error, frames) => frames;
  let found = "";
  try { ${act} } catch (error) {
    const list = Array.isArray(error.stack) ? error.stack : [];
    found = climb(list);
    for (const frame of list) found ||= climb(frame) || climb(frame.getThis?.()) || climb(frame.getFunction?.());
  }
  Error.prepareStackTrace = undefined;
  return found;`;

export const errors: readonly Escape[] = [
  escape(
    "error-of-host",
    "an error thrown by a function of the host's",
    `try { new URL("not an address"); } catch (error) { return climb(error); } return "";`,
  ),
  escape(
    "error-of-clone",
    "an error thrown while something is cloned",
    "try { structuredClone(() => {}); } catch (error) { return climb(error); } return '';",
  ),
  escape(
    "error-frames",
    "call sites show the functions and objects of the host's that are below us",
    frames("throw new Error('a')"),
  ),
  escape(
    "error-frames-overflow",
    "call sites of an overflow within a function of the host's",
    frames("(function deep() { deep(); })()"),
  ),
  escape(
    "error-frames-captured",
    "captureStackTrace on an object of our own",
    frames("const holder = {}; Error.captureStackTrace(holder); throw holder"),
  ),
  escape(
    "error-frames-replaced",
    "an Error of our own stands in the global scope, whose hook is asked",
    `
    const Kept = Error;
    let found = "";
    globalThis.Error = { prepareStackTrace: (error, frames) => { for (const frame of frames) found ||= climb(frame.getThis?.()) || climb(frame.getFunction?.()) || climb(frame); return ""; } };
    try { new Kept("a").stack; null.a; } catch (error) { void error.stack; }
    globalThis.Error = Kept;
    return found;`,
  ),
  escape(
    "error-paths",
    "a stack tells where the host's files are",
    `
    const text = String(new Error("a").stack);
    return /file:|node:|node_modules|\\/dist\\/|\\.worker|\\[worker eval\\]|evalmachine/.test(text) ? "REACHED a path: " + text : "";`,
  ),
  escape(
    "error-given-paths",
    "so does the stack of an error that the host passed",
    `
    const text = String(given.error.stack);
    return /file:|node:|node_modules|\\/escapes\\/|\\[worker eval\\]/.test(text) ? "REACHED a path: " + text : "";`,
  ),
  escape(
    "error-name-symbol",
    "the host makes a text of an error whose name cannot become one, and its own error comes back to us",
    `
    const error = new Error("a");
    error.name = Symbol("name");
    return { then(resolve) { try { structuredClone(error, { transfer: [1] }); } catch (other) { resolve(climb(other) || climb(resolve)); } } };`,
  ),
  escape(
    "error-thrown-getter",
    "what is thrown has getters that the host calls, from whose frames it can be seen",
    `
    throw { get message() { throw new Error("b"); }, get stack() {
      Error.prepareStackTrace = (error, frames) => frames;
      const frames = new Error("c").stack;
      Error.prepareStackTrace = undefined;
      let found = "";
      for (const frame of frames ?? []) found ||= climb(frame?.getThis?.()) || climb(frame?.getFunction?.());
      return found;
    } };`,
  ),
  escape(
    "error-thrown-proxy",
    "what is thrown is a proxy whose trap sees below it who asks for the stack",
    `
    throw new Proxy(new Error("a"), { get(target, name, receiver) { return name === "stack" ? climb(receiver) || lookBelow() : Reflect.get(target, name); } });`,
  ),
  escape(
    "error-cause",
    "the host walks the causes and calls what it finds",
    `
    const error = new Error("a");
    Object.defineProperty(error, "cause", { get() { globalThis.asked = true; console.log("REACHED a getter of ours ran in the host"); return undefined; } });
    throw error;`,
  ),
  escape(
    "error-to-string",
    "the host makes a text of what is thrown, and thereby calls us",
    `
    throw { toString() { console.log("REACHED toString of ours ran in the host"); return "x"; } };`,
  ),
];
