// Capabilities abused beyond their bounds: more calls than granted, files beside the tree, servers that are closed.
import { asking, escape, reloaded, type Escape } from "./escape.ts";

const read = (path: string): string => `
    const { folder } = await can.places();
    return tried(() => can.files("read", ${path}));`;

const fetched = (...urls: readonly string[]): string => `
    const { open, closed } = await can.places();
    const port = closed.split(":")[1];
    for (const url of [${urls.join(", ")}]) {
      const found = await tried(async () => (await can.fetch(url)).text);
      if (found.includes("REACHED")) return found;
    }
    return "";`;

const first = `answers.find((each) => each !== "") ?? ""`;

export const capabilityBounds: readonly Escape[] = [
  asking(
    "cap-quota-parallel",
    "many calls at once are let in before the first one is counted",
    `
    const answers = await Promise.all(Array.from({ length: 20 }, () => tried(() => can.scarce())));
    return ${first};`,
  ),
  asking(
    "cap-quota-nested",
    "a call is made while the arguments of another are read",
    `
    const calls = [];
    const ask = (depth) => calls.push(tried(() => can.scarce({ get again() { if (depth > 0) ask(depth - 1); return 1; } })));
    ask(5);
    const answers = await Promise.all(calls);
    return ${first};`,
  ),
  asking(
    "cap-quota-late",
    "calls of timers and microtasks come when nobody counts any more",
    `
    const calls = [];
    const ask = () => calls.push(tried(() => can.scarce()));
    for (let turn = 0; turn < 5; turn++) { queueMicrotask(ask); setTimeout(ask, 1); }
    await new Promise((resolve) => setTimeout(resolve, 5));
    const answers = await Promise.all(calls);
    return ${first};`,
  ),
  reloaded(
    `
    const answers = [];
    for (let call = 0; call < 3; call++) answers.push(await tried(() => globalThis.kept()), await tried(() => can.scarce()));
    return ${first};`,
    escape(
      "cap-quota-reloaded",
      "a function that was kept from before a reload has a quota of its own",
      "globalThis.kept = can.scarce; return '';",
    ),
  ),
  asking(
    "cap-files-doubled",
    "what leads up appears when what leads up is taken away",
    read('"....//secret.txt"'),
  ),
  asking("cap-files-encoded", "a separator is encoded", read('"..%2fsecret.txt"')),
  asking("cap-files-absolute", "a path from the root", read('folder + "/secret.txt"')),
  asking("cap-files-backslash", "the separator of another system", read(String.raw`"..\\secret.txt"`)),
  asking("cap-files-nul", "a NUL ends the path before its ending", read(String.raw`"..%2fsecret.key\0.txt"`)),
  asking(
    "cap-files-wide",
    "wide letters that become dots and a separator",
    read(String.raw`"\uff0e\uff0e\uff0fsecret.txt"`),
  ),
  asking(
    "cap-files-list",
    "a list of what is above",
    `
    const names = await tried(() => can.files("list", "%2e%2e"));
    return names.includes("secret.txt") ? "REACHED a folder of the host's" : "";`,
  ),
  asking(
    "cap-files-proto",
    "a file by the name of something that every object has",
    `
    for (const name of ["__proto__", "constructor", "toString"]) {
      const found = climb(await tried(() => can.files("read", name)));
      if (found) return found;
    }
    return "";`,
  ),
  asking(
    "cap-fetch-user",
    "an open origin that is the password for a closed one",
    fetched("`${open}@${closed}/`"),
  ),
  asking(
    "cap-fetch-numbers",
    "an address as one number: decimal, octal or hexadecimal",
    fetched("`http://2130706433:${port}/`", "`http://0177.0.0.1:${port}/`", "`http://0x7f000001:${port}/`"),
  ),
  asking(
    "cap-fetch-short",
    "an address with parts left out, or inside one of the sixth version",
    fetched(
      "`http://127.1:${port}/`",
      "`http://[::ffff:127.0.0.1]:${port}/`",
      "`http://[::ffff:7f00:1]:${port}/`",
    ),
  ),
  asking(
    "cap-fetch-dot",
    "a dot behind the address",
    fetched("`http://127.0.0.1.:${port}/`", "`http://localhost.:${port}/`"),
  ),
  asking(
    "cap-fetch-letters",
    "wide or encoded letters, other cases, and breaks that are left out",
    fetched(
      String.raw`"http://\uff11\uff12\uff17.0.0.1:" + port + "/"`,
      "`http://%3127.0.0.1:${port}/`",
      "`HTTP://LOCALHOST:${port}/`",
      String.raw`"http://127.\t0.0\n.1:" + port + "/"`,
      String.raw`"http:\\\\127.0.0.1:" + port + "/"`,
    ),
  ),
  asking(
    "cap-fetch-redirect",
    "an open server sends on to a closed one",
    fetched("`${open}/?to=${encodeURIComponent(`http://${closed}/`)}`"),
  ),
  asking(
    "cap-fetch-redirect-short",
    "so it does without a protocol, with a password, and by a number",
    fetched(
      "`${open}/?to=${encodeURIComponent(`//${closed}/`)}`",
      "`${open}/?to=${encodeURIComponent(`http://a:b@${closed}/`)}`",
      "`${open}/?to=${encodeURIComponent(`//2130706433:${port}/`)}`",
    ),
  ),
];
