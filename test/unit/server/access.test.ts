// Tokens as they are given: read, compared, and never shown.
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";
import { Access } from "../../../src/server/access/access.ts";
import { readTokensFile } from "../../../src/server/access/tokens-file.ts";
import { digestOf, type TokenSpec } from "../../../src/server/access/token-specs.ts";
import { FakeClock } from "../../../src/testing/index.ts";
import { errorOf } from "../../support/errors.ts";
import { Folder } from "../../support/folders.ts";

const secret = "secret-0123456789";
const asking = (token: string) => ({ headers: new Headers({ authorization: `Bearer ${token}` }) });
const access = (...tokens: readonly TokenSpec[]) => new Access({ tokens }, new FakeClock({ now: 1_000 }));

test("a token is known by its text or its digest, and its caller has no trace of it", () => {
  for (const given of [{ token: secret }, { sha256: digestOf(secret).toString("hex") }]) {
    const caller = access({ ...given, name: "mine", scope: "read", tenant: "red" }).authenticate(
      asking(secret),
    );
    assert.equal(caller.tokenId, "mine");
    assert.equal(caller.tenant, "red");
    assert.ok(!inspect(caller, { depth: 9, showHidden: true }).includes(secret));
  }
});

test("a token ends at its moment, by the clock", async () => {
  const clock = new FakeClock({ now: Date.parse("2030-01-01T00:00:00Z") - 1_000 });
  const one = new Access(
    { tokens: [{ token: secret, scope: "read", expiresAt: "2030-01-01T00:00:00Z" }] },
    clock,
  );
  assert.equal(one.authenticate(asking(secret)).tokenId, "token-1");
  clock.advance(1_000);
  const over = await errorOf(() => one.authenticate(asking(secret)), "UNAUTHENTICATED");
  const unknown = await errorOf(() => one.authenticate(asking("unknown-0123456789")), "UNAUTHENTICATED");
  assert.equal(over.message, unknown.message);
});

test("tokens that are none are refused, and no message shows one", async () => {
  const wrong: readonly unknown[] = [
    [],
    "text",
    [{}],
    [{ scope: "read" }],
    [{ token: "short", scope: "read" }],
    [{ token: `${secret} with spaces`, scope: "read" }],
    [{ token: secret, sha256: "0".repeat(64), scope: "read" }],
    [{ sha256: secret, scope: "read" }],
    [{ token: 5, scope: "read" }],
    [{ token: secret }],
    [{ token: secret, scope: "root" }],
    [{ token: secret, scope: "read", tenant: "a:b" }],
    [{ token: secret, scope: "read", tenant: "" }],
    [{ token: secret, scope: "read", expiresAt: "soon" }],
    [{ token: secret, scope: "read", quotas: { sandboxes: -1 } }],
    [{ token: secret, scope: "read", quotas: { requests: 1 } }],
    [{ token: secret, scope: "read", profiles: [] }],
    [{ token: secret, scope: "read", secret }],
    [
      { token: secret, scope: "read", name: "same" },
      { token: `${secret}2`, scope: "read", name: "same" },
    ],
    [
      { token: secret, scope: "read" },
      { sha256: digestOf(secret).toString("hex"), scope: "admin" },
    ],
  ];
  for (const tokens of wrong) {
    const error = await errorOf(
      () => new Access({ tokens: tokens as readonly TokenSpec[] }, new FakeClock()),
      "INVALID_OPTIONS",
    );
    assert.ok(
      !inspect(error, { depth: 9 }).includes(`"${secret} `) && !error.message.includes("short"),
      error.message,
    );
    if (!JSON.stringify(tokens).includes(`"secret":`))
      assert.ok(!error.message.includes(secret), error.message);
  }
  await errorOf(() => new Access({ token: secret } as object, new FakeClock()), "INVALID_OPTIONS");
});

test("profiles and capabilities are those that the token allows, and the first profile is the usual one", async () => {
  const one = access({ token: secret, scope: "admin", profiles: ["high", "medium"], capabilities: ["a"] });
  const caller = one.authenticate(asking(secret));
  assert.deepEqual(one.admit(caller, { capabilities: ["a"] }), { capabilities: ["a"], profile: "high" });
  assert.deepEqual(one.admit(caller, { profile: "medium", capabilities: { a: true } }), {
    profile: "medium",
    capabilities: { a: true },
  });
  await errorOf(() => one.admit(caller, { profile: "low" }), "FORBIDDEN");
  await errorOf(() => one.admit(caller, { capabilities: ["a", "b"] }), "FORBIDDEN");
  await errorOf(() => one.admit(caller, { capabilities: { b: { calls: 1 } } }), "FORBIDDEN");
});

test("what is no number of things neither fills nor breaks a quota of a minute", async () => {
  const one = access({ token: secret, scope: "admin", quotas: { evaluationsPerMinute: 3 } });
  const caller = one.authenticate(asking(secret));
  for (const count of [Number.NaN, -1_000, 0]) one.countEvaluations(caller, count);
  await errorOf(() => one.countEvaluations(caller), "QUOTA_EXCEEDED");
  await errorOf(() => one.countEvaluations(caller, Infinity), "QUOTA_EXCEEDED");
});

test("a file of tokens is read where only its owner may", async () => {
  const tokens = [{ token: secret, scope: "read" }];
  using folder = new Folder({ "list.json": tokens, "object.json": { tokens } });
  for (const name of ["list.json", "object.json"]) {
    for (const mode of [0o644, 0o640, 0o620, 0o602]) {
      chmodSync(folder.at(name), mode);
      assert.match(
        (await errorOf(() => readTokensFile(folder.at(name)), "INVALID_OPTIONS")).message,
        /chmod 600/,
      );
    }
    chmodSync(folder.at(name), 0o600);
    assert.deepEqual(await readTokensFile(folder.at(name)), tokens);
  }
});

test("a file that has no tokens is refused with a reason, and never shown", async () => {
  using folder = new Folder({
    "text.json": `${secret} is no JSON`,
    "object.json": { token: secret },
    "short.json": [{ token: "short-secret", scope: "read" }],
    "long.json": `"${"a".repeat(2 ** 20)}"`,
  });
  for (const name of ["text.json", "object.json", "short.json", "long.json"])
    chmodSync(folder.at(name), 0o600);
  for (const name of ["text.json", "object.json", "short.json", "long.json", "missing.json", "."]) {
    const { message } = await errorOf(() => readTokensFile(folder.at(name)), "INVALID_OPTIONS");
    assert.match(message, /^Cannot use .+ as .+ must .+: got /);
    assert.doesNotMatch(message, /secret/);
  }
});
