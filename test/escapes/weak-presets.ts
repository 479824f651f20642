// Insecure versions of the file and fetch presets: a request is checked as text and used as something else.
import { readdirSync, readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Places } from "./setup.ts";

/** Removes `..` from the text, and resolves the rest afterwards. */
export function weakFiles({ folder }: Places) {
  const known: Readonly<Record<string, string>> = { "a.txt": "a page" };
  return (verb: string, path: string): unknown => {
    if (path in known) return known[path];
    if (verb === "read" && !path.endsWith(".txt")) throw new TypeError("it must be a text");
    const [plain = ""] = decodeURIComponent(path.replaceAll("../", "")).normalize("NFKC").split("\0");
    const place = resolve(join(folder, "tree"), plain.replaceAll("\\", "/"));
    return verb === "list" ? readdirSync(place) : readFileSync(place, "utf8");
  };
}

/** Knows the usual names of this machine, and follows every redirect. */
export function weakFetch({ open }: Places) {
  const own = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]/;
  const follow = async (url: URL): Promise<string> => {
    const response = await new Promise<IncomingMessage>((done, fail) =>
      get(url, { agent: false }, done).on("error", fail),
    );
    const { location } = response.headers;
    return location === undefined ? text(response) : follow(new URL(location, url));
  };
  return async (url: string): Promise<unknown> => {
    if (own.test(url) && !url.startsWith(open)) throw new TypeError("it must be another machine");
    return { text: await follow(new URL(url)) };
  };
}
