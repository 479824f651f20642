// Bodies that are encoded otherwise than this server reads them: refused, as a proxy may have read another text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, hear, raw, statusIn } from "../../support/listening.ts";

const { listening } = await hear();
const { port } = listening;
const body = '{"source":"1"}';
const json = "Content-Type: application/json";

test("a body whose Content-Encoding is not identity is refused with 415, and one with identity is read", async () => {
  for (const [encoding, status] of [
    ["gzip", 415],
    ["identity, br", 415],
    ["identity", 200],
  ] as const) {
    const one = await raw(port);
    const headers = [json, `Content-Encoding: ${encoding}`, `Content-Length: ${body.length}`];
    one.send(bytesOf("POST /v1/once", port, [...headers, "Connection: close"]) + body);
    assert.equal(statusIn(await one.ended), status, encoding);
  }
});

test("a Transfer-Encoding other than chunked is refused, and nothing is executed", async () => {
  const one = await raw(port);
  const headers = [json, "Transfer-Encoding: gzip, chunked", "Connection: close"];
  one.send(`${bytesOf("POST /v1/once", port, headers)}e\r\n${body}\r\n0\r\n\r\n`);
  const text = await one.ended;
  assert.equal(statusIn(text), 415);
  assert.doesNotMatch(text, /"ok":true/);
});
