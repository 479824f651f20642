// Capabilities abused by their arguments, which pollute, change after they were checked, or run code when they are read.
import { asking, type Escape } from "./escape.ts";

export const capabilityArguments: readonly Escape[] = [
  asking(
    "cap-arg-proto",
    "an own key __proto__ in an argument, which the host copies key by key",
    `
    await tried(() => can.echo(JSON.parse('{"__proto__": {"polluted": 1}}')));
    return "";`,
  ),
  asking(
    "cap-arg-constructor",
    "the path constructor.prototype in an argument, followed by the host's copy",
    `
    await tried(() => can.echo([{ constructor: { prototype: { polluted: 1 } } }]));
    return "";`,
  ),
  asking(
    "cap-arg-getter",
    "a getter answers another thing when it was looked at than when it is used",
    `
    for (let looks = 0; looks < 10; looks++) {
      let reads = 0;
      const found = await tried(() => can.pay({ get amount() { return reads++ < looks ? 1 : 1e6; } }));
      if (found) return found;
    }
    return "";`,
  ),
  asking(
    "cap-arg-proxy",
    "so does a proxy",
    `
    for (let looks = 0; looks < 10; looks++) {
      let reads = 0;
      const order = new Proxy({ amount: 1 }, { get: (target, name) => (name === "amount" && reads++ >= looks ? 1e6 : target[name]) });
      const found = await tried(() => can.pay(order));
      if (found) return found;
    }
    return "";`,
  ),
  asking(
    "cap-arg-to-json",
    "toJSON shows the check another thing than what is there",
    "return tried(() => can.pay({ amount: 1e6, toJSON: () => ({ amount: 1 }) }));",
  ),
  asking(
    "cap-arg-inherited-to-json",
    "so does one that all objects inherit",
    `
    Object.prototype.toJSON = function () { return "amount" in this ? { ...this, amount: 1, toJSON: undefined } : this; };
    try { return await tried(() => can.pay({ amount: 1e6 })); } finally { delete Object.prototype.toJSON; }`,
  ),
  asking(
    "cap-arg-to-string",
    "a path that is another text each time it is asked",
    `
    for (let looks = 0; looks < 10; looks++) {
      let reads = 0;
      const found = await tried(() => can.open({ toString: () => (reads++ < looks ? "public" : "secret") }));
      if (found) return found;
    }
    return "";`,
  ),
  asking(
    "cap-arg-to-primitive",
    "the same by Symbol.toPrimitive, on a text object",
    `
    for (let looks = 0; looks < 10; looks++) {
      let reads = 0;
      const path = Object.assign(new String("secret"), { [Symbol.toPrimitive]: () => (reads++ < looks ? "public" : "secret") });
      const found = await tried(() => can.open(path));
      if (found) return found;
    }
    return "";`,
  ),
  asking(
    "cap-arg-changed",
    "an argument is changed while the call waits for its turn",
    `
    const order = { amount: 1 };
    const calling = tried(() => can.pay(order));
    order.amount = 1e6;
    return calling;`,
  ),
  asking(
    "cap-arg-bytes-changed",
    "so are bytes",
    `
    const bytes = new Uint8Array(4);
    const calling = tried(() => can.first(bytes));
    bytes[0] = 255;
    return calling;`,
  ),
  asking(
    "cap-arg-list",
    "the list of arguments becomes something else on its way, though it is a list when it is looked at",
    `
    for (let looks = 0; looks < 10; looks++) {
      let reads = 0;
      Object.defineProperty(Array.prototype, "toJSON", { get: () => (reads++ < looks ? undefined : () => "no list"), configurable: true });
      try {
        const found = await tried(() => can.kind(1));
        if (found) return found;
      } finally { delete Array.prototype.toJSON; }
    }
    return "";`,
  ),
  asking(
    "cap-arg-function",
    "a function, which the host calls with an object of its own",
    "return tried(() => can.visit((page) => climb(page)));",
  ),
  asking(
    "cap-arg-function-proxy",
    "a proxy of one, whose trap gets the host's list of arguments",
    "return tried(() => can.visit(new Proxy(() => {}, { apply: (target, self, list) => climb(list) })));",
  ),
  asking(
    "cap-arg-thenable",
    "a thenable, which the host waits for with functions of its own",
    `
    let found = "";
    await tried(() => can.wait({ then(resolve) { found = climb(resolve); resolve(1); } }));
    return found;`,
  ),
  asking(
    "cap-arg-inherited-then",
    "then is inherited by all objects, also by those that the host waits for",
    `
    let found = "";
    Object.prototype.then = function (resolve) { delete Object.prototype.then; found = climb(resolve); resolve(1); };
    await tried(() => can.wait({}));
    delete Object.prototype.then;
    return found;`,
  ),
  asking(
    "cap-arg-below",
    "a getter sees below it who reads",
    `
    let found = "";
    await tried(() => can.echo({ get value() { found ||= lookBelow(); return 1; } }));
    return found;`,
  ),
  asking(
    "cap-arg-proxy-below",
    "a trap sees below it who asks for keys",
    `
    let found = "";
    await tried(() => can.echo(new Proxy({}, { ownKeys() { found ||= lookBelow(); return []; } })));
    return found;`,
  ),
  asking(
    "cap-arg-inspect",
    "a symbol that the host's own inspection asks for, with functions of the host's",
    `
    let found = "";
    await tried(() => can.show({ [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) { found ||= climb(inspect) || climb(options); return ""; } }));
    return found;`,
  ),
  asking(
    "cap-arg-error-stack",
    "an error whose stack is a getter, read by the host",
    `
    let found = "";
    const error = Object.defineProperty(new Error("a"), "stack", { get() { found ||= lookBelow(); return ""; } });
    await tried(() => can.report(error));
    return found;`,
  ),
  asking(
    "cap-arg-error-cause",
    "an error whose cause is a getter, read by the host's inspection",
    `
    let found = "";
    const error = Object.defineProperty(new Error("a"), "cause", { get() { found ||= lookBelow(); return ""; } });
    await tried(() => can.show(error));
    return found;`,
  ),
];
