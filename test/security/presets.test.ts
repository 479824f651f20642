// The presets: pages of origins that were named and of nobody else, and a tree of files that is nowhere.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import {
  createRuntime,
  fetchCapability,
  filesCapability,
  InvalidOptionsError,
  type FetchOptions,
  type Outcome,
  type Runtime,
  type Sandbox,
} from "../../src/index.ts";
import { isPublicAddress } from "../../src/security/addresses.ts";
import { failureOf, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

suite("addresses", () => {
  const closed = [
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::7f00:1",
    "::127.0.0.1",
    "0:0:0:0:0:0:7f00:1",
    "0:0:0:0:0:ffff:7f00:1",
    "::ffff:0:127.0.0.1",
    "fe80::1%lo",
    "3fff::1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "not an address",
    "",
  ];
  for (const address of closed)
    test(`${address === "" ? "nothing" : address} is nobody else's business`, () => {
      assert.equal(isPublicAddress(address), false);
    });
  for (const address of [
    "1.1.1.1",
    "93.184.216.34",
    "172.32.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "::ffff:808:808",
  ])
    test(`${address} may be anyone's`, () => assert.equal(isPublicAddress(address), true));
});

suite("fetch", () => {
  let server: Server;
  let outside: Server;
  let origin = "";
  let other = "";
  const asked: string[] = [];

  before(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? "";
      asked.push(path);
      if (path === "/page") response.setHeader("set-cookie", "a=b").end("a page");
      else if (path === "/long") response.end("x".repeat(5_000));
      else if (path === "/inside") response.writeHead(302, { location: "/page" }).end();
      else if (path === "/outside") response.writeHead(302, { location: `${other}/page` }).end();
      else if (path === "/file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
      else if (path === "/round") response.writeHead(302, { location: "/round" }).end();
      else if (path !== "/never") response.writeHead(404).end("nothing here");
    }).listen(0, "127.0.0.1");
    outside = createServer((_, response) => response.end("outside")).listen(0, "127.0.0.1");
    await Promise.all([server, outside].map((each) => new Promise((done) => each.once("listening", done))));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    other = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  });
  after(() => {
    for (const each of [server, outside]) each.close().closeAllConnections();
  });

  interface Fetching extends AsyncDisposable {
    readonly runtime: Runtime;
    fetch(url: string): Promise<Outcome<{ status: number; text: string; headers: object; url: string }>>;
  }

  async function start(options: Partial<FetchOptions> = {}): Promise<Fetching> {
    const allowed = { origins: [origin], privateOrigins: [origin], bodyBytesMax: 1_000, ...options };
    const runtime = await createRuntime({
      cells: { count: 1, spare: 0, warm: 0 },
      capabilities: { fetch: fetchCapability(allowed) },
    });
    const main = `import { fetch } from "vivarium/capabilities"; export const go = (url) => fetch(url);`;
    const sandbox: Sandbox = await runtime.create({ modules: { main }, capabilities: ["fetch"] });
    return {
      runtime,
      fetch: (url) => sandbox.call("main.go", { args: [url] }),
      [Symbol.asyncDispose]: () => runtime.close(),
    };
  }

  test("brings pages of the named origin, also by a redirect inside it, and no cookies", async () => {
    await using own = await start();
    const page = valueOf(await own.fetch(`${origin}/inside`));
    assert.deepEqual([page.status, page.text, page.url], [200, "a page", `${origin}/page`]);
    assert.ok(!("set-cookie" in page.headers));
    assert.equal(valueOf(await own.fetch(`${origin}/missing`)).status, 404);
  });

  test("goes nowhere else: other origins, redirects out, other protocols, passwords, endless rounds", async () => {
    await using own = await start();
    const refused = {
      [`${other}/page`]: /its origin must be one that is allowed/,
      [`${origin}/outside`]: /its origin must be one that is allowed/,
      [`${origin}/file`]: /its origin must be one that is allowed/,
      "file:///etc/passwd": /its origin must be one that is allowed/,
      "data:text/plain,hello": /its origin must be one that is allowed/,
      [origin.replace("127.0.0.1", "localhost")]: /its origin must be one that is allowed/,
      [origin.replace("http://", "http://user:word@")]: /it must have no password/,
      [`${origin}/round`]: /it must not redirect more than 5 times/,
      "not a url": /the URL must be one/,
    };
    for (const [url, why] of Object.entries(refused)) {
      const failure = failureOf(await own.fetch(url));
      assert.equal(failure.kind, "crashed");
      assert.match(failure.message, why);
    }
  });

  test("does not reach private addresses unless they are named, by number or by name", async () => {
    const { port } = new URL(origin);
    for (const host of ["127.0.0.1", "localhost", "0x7f000001", "2130706433", "[::1]", "127.1"]) {
      const named = `http://${new URL(`http://${host}:${port}`).host}`;
      await using own = await start({ origins: [named], privateOrigins: [] });
      const before = asked.length;
      assert.match(failureOf(await own.fetch(`${named}/page`)).message, /its address must be a public one/);
      assert.equal(asked.length, before);
    }
  });

  test("is bounded in bytes and in time", async () => {
    await using own = await start({ timeoutMs: 200 });
    assert.match(failureOf(await own.fetch(`${origin}/long`)).message, /at most 1000 bytes/);
    assert.match(failureOf(await own.fetch(`${origin}/never`)).message, /within 200 ms/);
  });

  test("is refused to whoever names no origin rightly", () => {
    for (const bad of ["example.com", "https://example.com/path", "ftp://example.com", "*", ""])
      assert.throws(() => fetchCapability({ origins: [bad] }), InvalidOptionsError);
    const options = { origins: ["https://a.example"], privateOrigins: ["https://b.example"] };
    assert.throws(() => fetchCapability(options), InvalidOptionsError);
  });
});

test("files are read, listed and found, and no path leads out of their tree", async () => {
  const runtime = await startRuntime({
    capabilities: {
      files: filesCapability({
        "a.txt": "one",
        "data/b.bin": new Uint8Array([1, 2]),
        "/data/c.txt": "three",
      }),
    },
  });
  const main = `import { files } from "vivarium/capabilities"; export const go = (...args) => files(...args);`;
  await using sandbox = await runtime.create({ modules: { main }, capabilities: ["files"] });
  const go = (...args: unknown[]): Promise<Outcome> => sandbox.call("main.go", { args });
  assert.equal(valueOf(await go("read", "a.txt")), "one");
  assert.deepEqual(valueOf(await go("read", "./data/../data/b.bin")), new Uint8Array([1, 2]));
  assert.deepEqual(valueOf(await go("list", "/")), ["a.txt", "data/"]);
  assert.deepEqual(valueOf(await go("list", "data")), ["b.bin", "c.txt"]);
  assert.equal(valueOf(await go("read", "../../../a.txt")), "one", "above the root there is only the root");
  assert.equal(valueOf(await go("has", "../../etc/passwd")), false);
  assert.match(failureOf(await go("read", "/etc/passwd")).message, /there is no such file/);
  assert.match(failureOf(await go("write", "a.txt")).message, /"read", "list" or "has"/);
  assert.match(failureOf(await go("read", 5)).message, /and a path/);
});
