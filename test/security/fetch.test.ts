// The web's `fetch` in sandboxes that were granted it: what may be sent, and how redirects go.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fetchCapability, InvalidOptionsError, type FetchOptions } from "../../src/index.ts";
import { guest, origin } from "../support/fetch-servers.ts";

const any = {
  methods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
  requestHeaders: ["content-type", "authorization", "x-own", "accept"],
};

interface Echo {
  method: string;
  headers: Record<string, string>;
  body: string;
}

suite("fetch", () => {
  test("gives a response with status, headers and a body that is read once", async () => {
    const got = await guest(`fetch(at + "/echo?x=1#fragment").then(async (r) => {
      const copy = r.clone();
      const json = await r.json();
      const again = await r.text().catch((error) => error.name);
      return [r.status, r.ok, r.url, r.type, r.redirected, r.headers.get("X-Own"), r.headers.get("set-cookie"), json.method, json.url,
        r.bodyUsed, again, (await copy.text()).length > 10, r instanceof Response, r.headers instanceof Headers, String(r)];
    })`);
    assert.deepEqual(got, [
      200,
      true,
      `${origin}/echo?x=1`,
      "basic",
      false,
      "yes",
      null,
      "GET",
      "/echo?x=1",
      true,
      "TypeError",
      true,
      true,
      true,
      "[object Response]",
    ]);
  });

  test("sends methods, headers and bodies that the policy allows", async () => {
    const sent = await guest<Echo>(
      `fetch(at + "/echo", { method: "post", headers: { "X-Own": "1" }, body: JSON.stringify({ a: "é" }) }).then((r) => r.json())`,
      any,
    );
    assert.deepEqual(
      [
        sent.method,
        sent.body,
        sent.headers["x-own"],
        sent.headers["content-type"],
        sent.headers["user-agent"],
      ],
      ["POST", '{"a":"é"}', "1", "text/plain;charset=UTF-8", "vivarium"],
    );
    const form = await guest<Echo>(
      `fetch(new Request(at, { method: "PUT", body: new URLSearchParams({ a: "b c" }) })).then((r) => r.json())`,
      any,
    );
    assert.deepEqual(
      [form.method, form.body, form.headers["content-type"]],
      ["PUT", "a=b+c", "application/x-www-form-urlencoded;charset=UTF-8"],
    );
    const bytes = await guest<Echo>(
      `fetch(at, { method: "POST", body: new Uint8Array([104, 105]) }).then((r) => r.json())`,
      any,
    );
    assert.deepEqual([bytes.body, bytes.headers["content-type"]], ["hi", undefined]);
  });

  test("refuses what the policy does not allow, and says what it must be", async () => {
    const refusals: readonly (readonly [string, Partial<FetchOptions>, RegExp])[] = [
      [
        `fetch(at, { method: "POST", body: "x" })`,
        {},
        /its method must be one that is allowed \(GET, HEAD\)/,
      ],
      [
        `fetch(at, { headers: { authorization: "x" } })`,
        {},
        /its header "authorization" must be one that is allowed/,
      ],
      [`fetch(at, { headers: { host: "evil" } })`, any, /its header "host" must be one that is allowed/],
      [`fetch(at, { headers: { cookie: "a=1" } })`, any, /its header "cookie" must be one/],
      [
        `fetch(at, { method: "POST", body: "x".repeat(101) })`,
        { ...any, requestBytesMax: 100 },
        /must be at most 100 bytes/,
      ],
      [`fetch("http://example.com/")`, {}, /its origin must be one that is allowed/],
      [`fetch(at.replace("//", "//user:pw@"))`, {}, /it must have no password/],
      [`fetch(at, { body: "x" })`, any, /one by GET must have no body/],
      [`fetch(at, { integrity: "sha256-x" })`, {}, /integrity must not be set/],
      [`fetch("nope")`, {}, /Invalid URL/],
      [
        `fetch(at + "/large?bytes=2000").then((r) => r.text())`,
        { bodyBytesMax: 1_000 },
        /its body must be at most 1000 bytes/,
      ],
      [
        `fetch(at + "/large?bytes=3000000").then((r) => r.text())`,
        {},
        /its body must be at most 1048576 bytes/,
      ],
      [`fetch(at + "/cut").then((r) => r.text())`, {}, /its body must arrive in time and as a whole/],
    ];
    for (const [expression, options, message] of refusals) {
      const [name, got] = await guest<[string, string]>(expression, options);
      assert.equal(name, "TypeError", expression);
      assert.match(got, message, expression);
    }
  });

  test("follows redirects as browsers do", async () => {
    const cases: readonly (readonly [number, string, string, string])[] = [
      [301, "POST", "GET", ""],
      [302, "POST", "GET", ""],
      [303, "PUT", "GET", ""],
      [307, "POST", "POST", "x"],
      [308, "PUT", "PUT", "x"],
      [302, "PUT", "PUT", "x"],
    ];
    for (const [status, method, after, body] of cases) {
      const [sent, redirected] = await guest<[Echo, boolean]>(
        `fetch(at + "/redirect/${status}", { method: "${method}", body: "x", headers: { "content-type": "text/plain" } }).then(async (r) => [await r.json(), r.redirected])`,
        any,
      );
      assert.deepEqual(
        [sent.method, sent.body, redirected, sent.headers["content-type"]],
        [after, body, true, body === "" ? undefined : "text/plain"],
        `${status} ${method}`,
      );
    }
  });

  test("tells another origin no credentials, and goes to none that is not allowed", async () => {
    const headers = `{ authorization: "secret", "x-own": "kept" }`;
    const here = await guest<Echo>(
      `fetch(at + "/redirect/302?to=/echo", { headers: ${headers} }).then((r) => r.json())`,
      any,
    );
    assert.equal(here.headers["authorization"], "secret");
    const there = await guest<Echo>(
      `fetch(at + "/redirect/302?to=" + far + "/echo", { headers: ${headers} }).then((r) => r.json())`,
      any,
    );
    assert.deepEqual([there.headers["authorization"], there.headers["x-own"]], [undefined, "kept"]);
    const only = { origins: [origin], privateOrigins: [origin] };
    assert.match(
      (await guest<string[]>(`fetch(at + "/redirect/302?to=" + far + "/echo")`, only))[1] ?? "",
      /its origin must be one that is allowed/,
    );
    assert.match((await guest<string[]>(`fetch(at + "/loop")`))[1] ?? "", /not redirect more than 5 times/);
    assert.match(
      (await guest<string[]>(`fetch(at + "/redirect/302", { redirect: "error" })`))[1] ?? "",
      /it must not redirect/,
    );
    assert.deepEqual(
      await guest(
        `fetch(at + "/redirect/302", { redirect: "manual" }).then((r) => [r.status, r.headers.get("location")])`,
      ),
      [302, "/echo"],
    );
  });
});

test("wrong options of fetchCapability are refused when they are given", () => {
  const origins = ["https://example.com"];
  const wrong: readonly Partial<Record<keyof FetchOptions, unknown>>[] = [
    { methods: ["CONNECT"] },
    { methods: ["a b"] },
    { methods: "GET" },
    { requestHeaders: ["host"] },
    { requestHeaders: ["content-length"] },
    { requestHeaders: ["a\nb"] },
    { requestBytesMax: -1 },
    { requestBytesMax: 1e9 },
    { bodyBytesMax: 1e9 },
  ];
  for (const options of wrong)
    assert.throws(
      () => fetchCapability({ origins, ...options } as FetchOptions),
      InvalidOptionsError,
      JSON.stringify(options),
    );
});
