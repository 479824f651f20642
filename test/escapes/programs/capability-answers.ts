// Capabilities abused by what they are and what they return: functions, promises, results and errors of the host's.
import { asking, escape, type Escape } from "./escape.ts";

const hostPath = String.raw`/file:|node:|node_modules|\/escapes\/|offers\.ts|\[worker eval\]/`;
const tellsPath = (error: string): string => `
    const texts = [];
    for (let at = ${error}; at instanceof Object || Object(at) === at; at = at.cause) texts.push(String(at.stack), String(at.message));
    const text = texts.join();
    return ${hostPath}.test(text) ? "REACHED a path: " + text : "";`;
const caught = (name: string): string => `await can.${name}().then(() => null, (error) => error)`;

/** Asks while what a bridge would use is ours, and climbs afterwards what it handed over. */
const patched = (patch: string): string => `
    let found = "";
    let seen = null;
    const see = (...list) => { seen = { list, next: seen }; };
    const undo = [() => {}];
    const replace = (owner, name, make) => { const kept = owner[name]; owner[name] = make(kept); undo.push(() => { owner[name] = kept; }); };
    const trap = (owner, name) => { Object.defineProperty(owner, name, { set(value) { see(value, this); }, configurable: true }); undo.push(() => delete owner[name]); };
    const apply = Reflect.apply;
    ${patch}
    let calling;
    try { calling = can.kind({ a: [1] }); } catch {} finally { undo.reverse().forEach((each) => each()); }
    await tried(() => calling);
    for (; seen !== null; seen = seen.next) for (const each of seen.list) found ||= climb(each);
    return found;`;

export const capabilityAnswers: readonly Escape[] = [
  escape("cap-function", "a capability is a function of the host's", "return climb(can.echo);"),
  escape(
    "cap-function-bound",
    "bound, it still has the host's prototype",
    "return climb(Object.getPrototypeOf(can.echo.bind(null)));",
  ),
  escape(
    "cap-all",
    "the object that holds all of them is the host's",
    "return climb(Object.getPrototypeOf(can)) || climb(Object(can));",
  ),
  asking(
    "cap-this",
    "called on an object of ours, it takes that for its own",
    "return tried(() => can.rest.call({ timeoutMs: Infinity }, 1e6));",
  ),
  asking(
    "cap-this-applied",
    "the same by Reflect.apply",
    "return tried(() => Reflect.apply(can.rest, { timeoutMs: Infinity }, [1e6]));",
  ),
  asking(
    "cap-this-none",
    "called on nothing, it stands on the host's global object, and gives it away",
    "return climb(await tried(() => can.self.call(null)));",
  ),
  escape(
    "cap-promise",
    "the promise of an answer is the host's",
    "const promise = can.page(); promise.catch(() => {}); return climb(promise);",
  ),
  asking("cap-result", "the answer is an object of the host's", "return climb(await can.page());"),
  asking(
    "cap-result-nested",
    "or something in it is",
    "const { list, map } = await can.page(); return climb(list) || climb(map) || climb(map.get('a'));",
  ),
  asking(
    "cap-result-changed",
    "it is changed, and whoever asks next gets what we made of it",
    `
    const page = await can.page();
    page.title = "REACHED what the host answers";
    return (await can.page()).title;`,
  ),
  asking(
    "cap-result-prototype",
    "its prototype is the host's own",
    `Object.getPrototypeOf(await can.page()).polluted = 1; return "";`,
  ),
  asking(
    "cap-result-thenable",
    "an answer that we made ourselves is a thenable, which the host unwraps",
    `
    let found = "";
    await tried(() => can.echo({ get then() { return (resolve) => { found ||= climb(resolve); resolve(1); }; } }));
    return found;`,
  ),
  asking(
    "cap-error",
    "what a capability throws is an error of the host's",
    `return climb(${caught("fail")});`,
  ),
  asking("cap-error-rejected", "or what it rejects with", `return climb(${caught("reject")});`),
  asking("cap-error-path", "its stack tells of the host's files", tellsPath(caught("fail"))),
  asking(
    "cap-error-result-path",
    "so does the stack of an error that is the answer",
    tellsPath("await can.mishap()"),
  ),
  asking(
    "cap-name-proto",
    "asked for by the name __proto__, all of them have the host's prototype",
    `return climb(can["__proto__"]) || climb(Object(can["__proto__"]).hasOwnProperty);`,
  ),
  asking(
    "cap-name-inherited",
    "names that every object has are granted to everyone",
    `
    for (const name of ["constructor", "hasOwnProperty", "toString", "valueOf", "isPrototypeOf"])
      if (await tried(async () => { await can[name]("a"); return true; })) return "REACHED " + name;
    return "";`,
  ),
  escape(
    "cap-name-then",
    "then, which promises look for, is a function of the host's",
    "return climb(can.then);",
  ),
  escape(
    "cap-name-symbol",
    "so is what a symbol asks for",
    "return climb(can[Symbol.iterator]) || climb(can[Symbol.for('nodejs.util.inspect.custom')]);",
  ),
  asking(
    "cap-patched-object",
    "the call is put into an object whose setters are ours",
    patched(
      `for (const name of ["reference", "resolve", "reject", "id", "name", "code", "args", "text", "host", "request"]) trap(Object.prototype, name);`,
    ),
  ),
  asking(
    "cap-patched-list",
    "or into a list",
    patched(
      `trap(Array.prototype, "0"); replace(Array.prototype, "push", (kept) => function (...list) { see(...list); return apply(kept, this, list); });`,
    ),
  ),
  asking(
    "cap-patched-map",
    "or into a map",
    patched(
      `replace(Map.prototype, "set", (kept) => function (key, value) { see(key, value, value?.resolve, value?.reject); return apply(kept, this, [key, value]); });`,
    ),
  ),
  asking(
    "cap-patched-apply",
    "or it is made by a function that is ours",
    patched(`
    replace(Reflect, "apply", () => (target, self, list) => { see(target, self, list); return apply(target, self, list); });
    replace(Function.prototype, "call", () => function (self, ...list) { see(this, self, ...list); return apply(this, self, list); });
    replace(JSON, "stringify", (kept) => (...list) => { see(...list); return apply(kept, JSON, list); });
    replace(Promise.prototype, "then", (kept) => function (...list) { see(...list); return apply(kept, this, list); });`),
  ),
  asking(
    "cap-patched-promise",
    "or waited for by a promise that is ours",
    patched(`
    const Kept = Promise;
    globalThis.Promise = class extends Kept { constructor(executor) { see(executor); super(executor); } then(...list) { see(...list); return super.then(...list); } };
    undo.push(() => { globalThis.Promise = Kept; });`),
  ),
];
