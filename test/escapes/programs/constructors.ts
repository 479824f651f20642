// From a value that the host made or passed, up its constructors to the host's Function, and from there to `process`.
import { escape, type Escape } from "./escape.ts";

export const constructors: readonly Escape[] = [
  escape("ctor-console", "the console is an object of the host's", "return climb(console);"),
  escape(
    "ctor-console-log",
    "a method of the console is a function of the host's",
    "return climb(console.log);",
  ),
  escape("ctor-timer", "setTimeout is a function of the host's", "return climb(setTimeout);"),
  escape(
    "ctor-timer-handle",
    "what setTimeout returns is an object of the host's",
    "const handle = setTimeout(() => {}, 0); const found = climb(handle); clearTimeout(handle); return found;",
  ),
  escape("ctor-microtask", "queueMicrotask is a function of the host's", "return climb(queueMicrotask);"),
  escape(
    "ctor-clone",
    "a structured clone is made in the host's realm",
    "return climb(structuredClone({ a: [1] }));",
  ),
  escape(
    "ctor-clone-nested",
    "so is what lies within it",
    "return climb(structuredClone({ a: [new Map()] }).a[0]);",
  ),
  escape("ctor-url", "a URL is an object of the host's", `return climb(new URL("http://a.b/"));`),
  escape(
    "ctor-url-params",
    "so are its parameters",
    `return climb(new URL("http://a.b/?c=d").searchParams);`,
  ),
  escape(
    "ctor-encoded",
    "encoded bytes are made in the host's realm",
    `return climb(new TextEncoder().encode("a"));`,
  ),
  escape("ctor-clock", "the clock is an object of the host's", "return climb(performance);"),
  escape("ctor-given", "an argument is an object of the host's", "return climb(given);"),
  escape("ctor-given-list", "a list within it is the host's", "return climb(given.list);"),
  escape("ctor-given-map", "a map within it is the host's", "return climb(given.map);"),
  escape("ctor-given-date", "a date within it is the host's", "return climb(given.date);"),
  escape(
    "ctor-given-bytes",
    "the buffer of bytes within it is the host's",
    "return climb(given.bytes.buffer);",
  ),
  escape(
    "ctor-given-iterator",
    "an iterator over what is given is the host's",
    "return climb(given.list.values());",
  ),
  escape(
    "ctor-arguments",
    "the arguments themselves are passed in an object of the host's",
    "return climb(arguments[0]);",
  ),
  escape(
    "ctor-lookup-getter",
    "__lookupGetter__ of an argument gives a function of its realm",
    `return climb(given.__lookupGetter__ === undefined ? {} : given.__lookupGetter__("__proto__"));`,
  ),
  escape(
    "ctor-descriptor",
    "the descriptors of a prototype that the host passed hold functions of its realm",
    `const all = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(given.list));
     for (const { value } of Object.values(all)) { const found = climb(value); if (found) return found; }
     return "";`,
  ),
  escape("ctor-this", "a sloppy function gets the host's object as this", "return climb(this);"),
  escape(
    "ctor-caller",
    "a sloppy function knows who called it",
    "try { return climb(arguments.callee.caller); } catch { return ''; }",
  ),
  escape(
    "ctor-guest-library",
    "the library that the guest is given is made in the host's realm",
    "for (const each of Object.values(guest)) { const found = climb(each); if (found) return found; } return climb(guest);",
  ),
];
