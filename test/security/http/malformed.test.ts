// Requests that are too long, too deep, or no requests: the right status, nothing done, and the server goes on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { as, assertTellsNothing, bytesOf, hear, raw, statusIn } from "../../support/listening.ts";

const bodyBytes = 20_000;
const { listening, runtime, ask, refusals } = await hear({}, { bounds: { bodyBytes } });
const { port } = listening;
const headers = as("admin");

async function answerTo(bytes: string): Promise<string> {
  const connection = await raw(port);
  connection.send(bytes);
  return connection.ended;
}

const posted = (more: readonly string[]): string =>
  bytesOf("POST /v1/sandboxes", port, ["Content-Type: application/json", "Connection: close", ...more]);

test("a body that says it is too long gets 413 before it is sent", async () => {
  const text = await answerTo(posted([`Content-Length: ${bodyBytes + 1}`]));
  assert.equal(statusIn(text), 413);
  assertTellsNothing(text);
});

test("a body that turns out to be too long, in chunks, gets 413", async () => {
  const connection = await raw(port);
  connection.send(posted(["Transfer-Encoding: chunked"]));
  const chunk = `${(1_000).toString(16)}\r\n${" ".repeat(1_000)}\r\n`;
  for (let sent = 0; sent <= bodyBytes; sent += 1_000) connection.send(chunk);
  assert.equal(statusIn(await connection.until("\r\n\r\n")), 413);
});

test("a body of many brackets, or of no JSON, gets 400", async () => {
  const odd = [
    "[".repeat(9_000),
    `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
    "{",
    "[]",
    "1",
    '"text"',
    "null",
    '{"a":1}x',
    "\u0000",
    '{"__proto__":{"id":"made"}}',
    '{"constructor":{"prototype":{}}}',
  ];
  for (const body of odd) {
    const response = await ask("POST /v1/sandboxes", { headers, body });
    const text = await response.text();
    assert.equal(response.status, 400, `${body.slice(0, 40)}: ${text}`);
    assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/);
    assertTellsNothing(text);
  }
  assert.deepEqual(await runtime.list(), []);
});

test("bytes that are no UTF-8 get 400", async () => {
  const body = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]);
  const response = await fetch(`${listening.url}/v1/sandboxes`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  assert.equal(response.status, 400);
  await response.body?.cancel();
});

test("compressed bodies are not unpacked", async () => {
  const connection = await raw(port);
  connection.send(`${posted(["Content-Encoding: gzip", "Content-Length: 4"])}\x1f\x8b\x08\x00`);
  assert.ok([400, 415].includes(statusIn(await connection.ended)));
});

const tricks = [
  "/v1/sandboxes/../about",
  "/v1/sandboxes/..%2fabout",
  "/v1/sandboxes/%2e%2e/about",
  "/v1/sandboxes/%2E%2e%2Fabout",
  "/v1/sandboxes/.%2e/about",
  "/v1/./about",
  "/v1//about",
  "//evil.example/v1/about",
  "/v1/sandboxes/a%2fb",
  "/v1/sandboxes/a%5cb",
  "/v1\\about",
  "/v1/sandboxes/a%00b",
  "/v1/sandboxes/a%0d%0aSet-Cookie:x",
  "/v1/sandboxes/%252e%252e",
  "/v1/sandboxes/%c0%ae%c0%ae",
  "/v1/sandboxes/%zz",
  "/v1/sandboxes/%",
  `/v1/sandboxes/${"a".repeat(300)}`,
  "http://evil.example/v1/about",
  "http://127.0.0.1/v1/about",
  "*",
  "/v1/about#part",
];

test("an address that may be read in two ways gets 400", async () => {
  for (const address of tricks) {
    const text = await answerTo(bytesOf(`GET ${address}`, port, ["Connection: close"]));
    assert.equal(statusIn(text), 400, `${address}: ${text}`);
    assertTellsNothing(text);
  }
});

test("an id that no sandbox can have gets 400, and one that none has gets 404", async () => {
  for (const id of ["a b", "ä", "%F0%9F%98%80", "a,b", "a".repeat(129), "$", "__proto__ "])
    assert.equal((await ask(`GET /v1/sandboxes/${encodeURI(id)}`, { headers })).status, 400, id);
  for (const id of ["nobody", "__proto__", "constructor", "...", "a%3Ab"])
    assert.equal((await ask(`GET /v1/sandboxes/${id}`, { headers })).status, 404, id);
});

test("a path or method that is none of the API's gets 404 or 405", async () => {
  // The page for browsers is there, and beside it only the files that it has.
  assert.equal((await ask("GET /", { headers })).status, 200);
  for (const path of [
    "/assets/",
    "/assets/index.html",
    "/v1",
    "/v2/about",
    "/v1/about/",
    "/V1/about",
    "/.env",
    "/index.html",
    "/favicon.ico",
  ])
    assert.equal((await ask(`GET ${path}`, { headers })).status, 404, path);
  for (const what of ["PUT /v1/about", "DELETE /v1/sandboxes", "TRACEX /v1/about", "HEAD /v1/about"])
    assert.ok(
      [400, 405].includes((await ask(what, { headers }).catch(() => ({ status: 400 }))).status),
      what,
    );
  assert.ok(
    [400, 405].includes(statusIn(await answerTo(bytesOf("TRACE /v1/about", port, ["Connection: close"])))),
  );
  assert.equal(statusIn(await answerTo(bytesOf("CONNECT 127.0.0.1:1", port))), 0, "it is no proxy");
});

test("too many headers, or too long ones, get 431", async () => {
  const many = Array.from({ length: 200 }, (_, index) => `X-${index}: 1`);
  assert.equal(statusIn(await answerTo(bytesOf("GET /v1/about", port, many))), 431);
  assert.equal(
    statusIn(await answerTo(bytesOf("GET /v1/about", port, [`X-Long: ${"a".repeat(20_000)}`]))),
    431,
  );
  const tiny = Array.from({ length: 3_000 }, () => "a:1");
  assert.equal(
    statusIn(await answerTo(bytesOf("GET /v1/about", port, [...tiny, "Origin: https://evil.example"]))),
    431,
  );
  assert.ok(refusals.some(({ reason }) => reason === "headers"));
});

test("an address that is too long gets 414", async () => {
  const address = `/v1/about?${"a".repeat(9_000)}`;
  assert.equal(statusIn(await answerTo(bytesOf(`GET ${address}`, port, ["Connection: close"]))), 414);
});

test("bytes that are no HTTP get 400 and the end", async () => {
  const smuggled = posted(["Content-Length: 2", "Transfer-Encoding: chunked"]);
  const odd = [
    "hello\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00",
    `GET /v1/about HTTP/9.9\r\n\r\n`,
    smuggled,
    bytesOf("GET /v1/about", port, ["Bad Header: x"]),
    bytesOf("GET /v1/about", port, ["X: a\x00b"]),
  ];
  for (const bytes of odd) {
    const text = await answerTo(bytes);
    assert.equal(statusIn(text), 400, `${JSON.stringify(bytes.slice(0, 40))}: ${text}`);
    assertTellsNothing(text);
  }
});

test("Expect: 100-continue of a stranger is answered by the refusal, not by an invitation", async () => {
  const connection = await raw(port);
  const more = [
    "Content-Type: application/json",
    "Content-Length: 100",
    "Expect: 100-continue",
    "Origin: https://evil.example",
  ];
  connection.send(bytesOf("POST /v1/sandboxes", port, more));
  assert.equal(statusIn(await connection.ended), 403);
});

test("an Expect that is not 100-continue gets 417, as a problem and with the headers of every answer", async () => {
  const connection = await raw(port);
  connection.send(bytesOf("GET /v1/about", port, ["Expect: the-moon"]));
  const text = await connection.ended;
  assert.equal(statusIn(text), 417, text);
  assert.match(text, /^content-type: application\/problem\+json/im);
  assert.match(text, /^cache-control: no-store/im);
  assert.match(text, /"code":"REQUEST_REFUSED"/);
  assert.deepEqual(refusals.at(-1)?.status, 417);
});

test("after all of this nothing was made, and the server serves", async () => {
  assert.deepEqual(await runtime.list(), []);
  const body = { id: "made", modules: { main: "export const f = () => 1;" } };
  assert.equal((await ask("POST /v1/sandboxes", { headers, body })).status, 201);
});
