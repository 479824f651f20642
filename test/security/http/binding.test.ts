// Where a server may listen: only here, unless its owner says otherwise and it is safe.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { test } from "node:test";
import {
  createServer,
  listen,
  openGate,
  type ListenOptions,
  type ServerOptions,
} from "../../../src/server/index.ts";
import { errorOf } from "../../support/errors.ts";
import { Folder } from "../../support/folders.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { as, tokens } from "../../support/listening.ts";

const runtime = await startRuntime();
const own = { access: { tokens: [tokens.admin] } };

async function refusal(options: ListenOptions, server: ServerOptions = own): Promise<string> {
  await using served = createServer(runtime, server);
  return (await errorOf(() => listen(served, options), "INVALID_OPTIONS")).message;
}

test("other machines are not served without TLS, unless that is asked for", async () => {
  for (const host of [
    "0.0.0.0",
    "::",
    "192.0.2.1",
    "example.org",
    "127.0.0.1.example.org",
    "localhost.example",
  ])
    assert.match(await refusal({ host }), /where other machines reach it, as it must have tls/, host);
});

test("other machines are never served without tokens of their owner's", async () => {
  const bare = { host: "0.0.0.0", publicWithoutTls: true };
  assert.match(await refusal(bare, {}), /as it must have tokens/);
  assert.match(await refusal(bare, { gate: openGate() }), /as it must have tokens/);
});

test("with tokens and the flag it listens for everybody, under the names that it was given", async () => {
  await using served = createServer(runtime, own);
  await using listening = await listen(served, { host: "0.0.0.0", publicWithoutTls: true });
  assert.equal(listening.token, null);
  const response = await fetch(`${listening.url}/v1/about`, { headers: as("admin") });
  assert.equal(response.status, 200);
  await response.body?.cancel();
});

test("with a certificate it speaks TLS, and nothing else", async () => {
  using folder = new Folder();
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => folder.at(name)) as [string, string];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "1",
      "-keyout",
      key,
      "-out",
      cert,
      ...subject,
    ],
    { stdio: "ignore" },
  );
  await using served = createServer(runtime, own);
  const tls = { key: readFileSync(key), cert: readFileSync(cert) };
  await using listening = await listen(served, { tls });
  assert.match(listening.url, /^https:/);
  const status = await new Promise((resolve, reject) => {
    const asked = request(`${listening.url}/v1/about`, { ca: tls.cert, headers: as("admin") }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode));
    });
    asked.on("error", reject);
    asked.end();
  });
  assert.equal(status, 200);
  await assert.rejects(fetch(listening.url.replace("https:", "http:")));
});

test("a key that is none is refused without being shown", async () => {
  const secret = "-----BEGIN PRIVATE KEY-----\nnot-a-key-but-secret\n-----END PRIVATE KEY-----";
  const message = await refusal({ tls: { key: secret, cert: secret } });
  assert.doesNotMatch(message, /not-a-key/);
});

test("a port that is taken is a clear error", async () => {
  await using first = createServer(runtime, own);
  await using listening = await listen(first);
  assert.match(await refusal({ port: listening.port }), /EADDRINUSE/);
});

test("options that are none are refused by name", async () => {
  const wrong = [
    { hosts: ["http://example.org"] },
    { hosts: ["0.0.0.0"] },
    { hosts: ["*"] },
    { origins: ["*"] },
    { origins: ["example.org"] },
    { origins: ["https://example.org/"] },
    { origins: ["null"] },
    { port: -1 },
    { drainMs: -1 },
    { metrics: "all" },
    { bounds: { stallMs: 0 } },
    { token: "x" },
  ];
  for (const options of wrong)
    assert.match(await refusal(options as ListenOptions), /^Cannot /, JSON.stringify(options));
});
