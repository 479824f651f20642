// What a browser may be made to do by a page of another site: nothing, whether it reads or writes.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { DashboardFiles } from "../../../src/server/dashboard.ts";
import { builtDashboard } from "../../support/dashboards.ts";
import { as, assertTellsNothing, bytesOf, hear, raw, statusIn } from "../../support/listening.ts";

const allowed = "https://allowed.example";
const folder = builtDashboard();
after(() => folder[Symbol.dispose]());
const { listening, runtime, refusals } = await hear(
  { hosts: ["named.example"], origins: [allowed] },
  { dashboard: new DashboardFiles("live", folder.path) },
);
const { port } = listening;
const body = JSON.stringify({ id: "made", modules: { main: "export const f = () => 1;" } });
const sent = ["Content-Type: application/json", `Content-Length: ${body.length}`, "Connection: close"];

async function answerTo(line: string, headers: readonly string[], text = ""): Promise<string> {
  const connection = await raw(port);
  connection.send(`${bytesOf(line, port, ["Connection: close", ...headers])}${text}`);
  return connection.ended;
}

const foreignHosts = [
  "evil.example",
  `evil.example:${port}`,
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "evil.example#127.0.0.1",
  "user@127.0.0.1",
  "0.0.0.0",
  "[::]",
  "169.254.169.254",
  "",
];

test("a foreign Host gets 421, also with a token, and nothing is done", async () => {
  for (const host of foreignHosts) {
    const text = await answerTo("POST /v1/sandboxes", [`Host: ${host}`, ...sent], body);
    assert.equal(statusIn(text), 421, `${host}: ${text}`);
    assert.ok(host === "" || !text.includes(host), "the name is not repeated");
    assertTellsNothing(text);
  }
  assert.ok(refusals.every(({ reason }) => reason === "host"));
  assert.deepEqual(await runtime.list(), []);
});

test("two Hosts, or none, are refused", async () => {
  const both = [`Host: 127.0.0.1:${port}`, "Host: evil.example"];
  assert.equal(statusIn(await answerTo("GET /v1/about", both)), 421);
  const connection = await raw(port);
  connection.send(`GET /v1/about HTTP/1.1\r\nAuthorization: ${as("admin")["authorization"]}\r\n\r\n`);
  assert.equal(statusIn(await connection.ended), 421);
});

test("the names of loopback and those of hosts are served", async () => {
  for (const host of [
    `localhost:${port}`,
    `127.0.0.1:${port}`,
    `[::1]:${port}`,
    "named.example",
    "NAMED.example:443",
  ])
    assert.equal(statusIn(await answerTo("GET /v1/about", [`Host: ${host}`])), 200, host);
});

test("a page of another site gets 403 for whatever it asks, and nothing is done", async () => {
  const origins = [
    "https://evil.example",
    "null",
    `https://127.0.0.1:${port}`,
    "http://localhost",
    "http://127.0.0.1:1",
    allowed.toUpperCase(),
    `${allowed}.evil.example`,
  ];
  for (const origin of origins) {
    for (const line of ["GET /v1/sandboxes", "GET /healthz", "GET /metrics", "DELETE /v1/sandboxes/made"]) {
      const text = await answerTo(line, [`Origin: ${origin}`]);
      assert.equal(statusIn(text), 403, `${line} from ${origin}: ${text}`);
      assert.doesNotMatch(text, /access-control-allow/i);
    }
    const text = await answerTo("POST /v1/sandboxes", [`Origin: ${origin}`, ...sent], body);
    assert.equal(statusIn(text), 403, origin);
  }
  assert.deepEqual(await runtime.list(), []);
});

test("a form or a picture of another site, which names no origin, is refused where the browser says so", async () => {
  for (const site of ["cross-site", "same-site"])
    assert.equal(statusIn(await answerTo("GET /v1/sandboxes", [`Sec-Fetch-Site: ${site}`])), 403);
  assert.equal(statusIn(await answerTo("GET /v1/sandboxes", ["Sec-Fetch-Site: none"])), 200);
});

test("a link of another site may open the page of the dashboard, and only that", async () => {
  const opened = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
  for (const line of ["GET /", "GET /?from=there"]) {
    const text = await answerTo(line, ["Authorization: none", ...opened]);
    assert.equal(statusIn(text), 200, line);
    assert.match(
      text,
      /content-security-policy: default-src 'none'; script-src 'self';.*frame-ancestors 'none'\r\n/i,
    );
    assert.equal(text.match(/^content-security-policy:/gim)?.length, 1);
    assertTellsNothing(text);
  }
  for (const line of [
    "GET /v1/sandboxes",
    "GET /assets/index-1a2b.js",
    "GET /openapi.json",
    "GET /healthz",
    "POST /",
  ])
    assert.equal(statusIn(await answerTo(line, opened)), 403, line);
  for (const headers of [
    ["Sec-Fetch-Site: cross-site"],
    ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"],
    ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
    ["Origin: https://evil.example", ...opened],
    ["Host: evil.example", ...opened],
  ])
    assert.ok([403, 421].includes(statusIn(await answerTo("GET /", headers))), headers.join());
});

test("files of the page are given whole, kept by browsers, and to other sites not at all", async () => {
  const text = await answerTo("GET /assets/index-1a2b.js", [
    "Authorization: none",
    "Sec-Fetch-Site: same-origin",
  ]);
  assert.equal(statusIn(text), 200);
  assert.match(text, /cache-control: public, max-age=31536000, immutable\r\n/i);
  assert.doesNotMatch(text, /no-store|transfer-encoding/i);
  assert.match(text, /cross-origin-resource-policy: same-origin\r\n/i);
  assert.match(text, /vary: accept-encoding, origin\r\n/i);
  for (const path of [
    "/assets/../index.html",
    "/assets/%2e%2e/index.html",
    "/assets/..%2findex.html",
    "/assets//index-1a2b.js",
  ])
    assert.equal(statusIn(await answerTo(`GET ${path}`, [])), 400, path);
});

test("a body that a form could send, in a type that needs no preflight, is refused", async () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; a=application/json",
  ]) {
    const headers = [`Content-Type: ${type}`, `Content-Length: ${body.length}`];
    assert.equal(statusIn(await answerTo("POST /v1/sandboxes", headers, body)), 415, type);
  }
  assert.deepEqual(await runtime.list(), []);
});

test("a page of the server's own origin, or of one that is allowed, is served, and only the latter is told so", async () => {
  const own = await answerTo("GET /v1/about", [`Origin: http://127.0.0.1:${port}`]);
  assert.equal(statusIn(own), 200);
  assert.doesNotMatch(own, /access-control-allow-origin/i);
  const other = await answerTo("GET /v1/about", [`Origin: ${allowed}`]);
  assert.equal(statusIn(other), 200);
  assert.match(other, /access-control-allow-origin: https:\/\/allowed\.example\r\n/i);
  assert.match(other, /vary: origin/i);
  assert.doesNotMatch(other, /allow-credentials/i);
});

test("a preflight is answered for an allowed origin without a token, and refused for another", async () => {
  const ask = [
    "Authorization:",
    "Access-Control-Request-Method: POST",
    "Access-Control-Request-Headers: authorization",
  ];
  const yes = await answerTo("OPTIONS /v1/sandboxes", [`Origin: ${allowed}`, ...ask]);
  assert.equal(statusIn(yes), 204);
  assert.match(yes, /access-control-allow-headers: [^\r]*authorization/i);
  const no = await answerTo("OPTIONS /v1/sandboxes", ["Origin: https://evil.example", ...ask]);
  assert.equal(statusIn(no), 403);
  assert.doesNotMatch(no, /access-control-allow/i);
});
