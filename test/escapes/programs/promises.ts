// Promises, thenables, async functions and generators: the host waits for what we return, and hands us its functions.
import { escape, type Escape } from "./escape.ts";

export const promises: readonly Escape[] = [
  escape(
    "promise-thenable",
    "a thenable is called with the host's own resolve",
    `
    return { then(resolve) { resolve(climb(resolve)); } };`,
  ),
  escape(
    "promise-thenable-reject",
    "or with its reject",
    `
    return { then(resolve, reject) { resolve(climb(reject)); } };`,
  ),
  escape(
    "promise-thenable-getter",
    "then is a getter that looks at who asks",
    `
    return { get then() { return (resolve) => resolve(climb(resolve)); } };`,
  ),
  escape(
    "promise-thenable-proxy",
    "the thenable is a proxy, whose apply trap gets the host's list of arguments",
    `
    return { then: new Proxy(() => {}, { apply(target, self, list) { const found = climb(list) || climb(list[0]); list[0](found); } }) };`,
  ),
  escape(
    "promise-nested",
    "a promise of a promise ends in a thenable that the host unwraps",
    `
    return { then(first) { first({ then(second) { second(climb(first) || climb(second)); } }); } };`,
  ),
  escape(
    "promise-own-then",
    "a promise whose own then the host calls",
    `
    const promise = Promise.resolve(1);
    promise.then = (resolve) => resolve(climb(resolve));
    return promise;`,
  ),
  escape(
    "promise-species",
    "a promise whose species the host constructs, with an executor of its own",
    `
    let found = "";
    const promise = Promise.resolve("");
    promise.constructor = { [Symbol.species]: class { constructor(executor) { found ||= climb(executor); executor((value) => value, () => {}); } } };
    return { then(resolve) { try { promise.then(resolve); } catch {} resolve(found || climb(resolve)); } };`,
  ),
  escape(
    "promise-prototype",
    "Promise.prototype.then is ours, and the host calls it",
    `
    const kept = Promise.prototype.then;
    Promise.prototype.then = function (resolve, reject) { const found = climb(resolve); Promise.prototype.then = kept; return kept.call(this, () => resolve(found), reject); };
    return Promise.resolve("");`,
  ),
  escape(
    "promise-generator",
    "the host walks an iterator of ours and hands values in",
    `
    const found = { text: "" };
    return { *[Symbol.iterator]() { found.text = climb(yield 1); }, then(resolve) { resolve(climb(resolve)); } };`,
  ),
  escape(
    "promise-async-return",
    "return() of an async generator of ours waits for a thenable",
    `
    const generator = (async function* () { yield 1; })();
    return { then(resolve) { generator.return({ then: (inner) => resolve(climb(resolve) || climb(inner)) }); } };`,
  ),
  escape(
    "promise-unhandled",
    "a rejection that nobody handles reaches the host's own handler",
    `
    Promise.reject({ get stack() { return "x"; }, toString() { return "x"; }, message: "REACHED the host's handler of rejections" });
    return "";`,
  ),
  escape(
    "promise-late",
    "after the answer, a callback goes on and speaks for somebody else",
    `
    console.log("first");
    return { then(resolve) { resolve(""); resolve({ then: (again) => again(climb(again)) }); queueMicrotask(() => { const found = climb(resolve); if (found) console.log(found); }); } };`,
  ),
];
