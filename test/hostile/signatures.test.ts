// Signed individuals: a runtime with a key of its caller's imports only what was exported with that key.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { suite, test } from "node:test";
import { checksumOfData } from "../../src/std/checksum.ts";
import { createRuntime, type Individual } from "../../src/index.ts";
import { mistakeOf } from "../support/errors.ts";
import { ask, refusalOf, runtimeForTests } from "../support/reloading.ts";

const key = "a key of the caller's, of 32 bytes or more";
const signing = runtimeForTests({ signingKey: key });
const sameKey = runtimeForTests({ signingKey: Buffer.from(key) });
const otherKey = runtimeForTests({ signingKey: `${key}!` });
const unsigned = runtimeForTests();

const modules = { main: "export const f = () => 1;" };
const exportedBy = async (held: typeof signing): Promise<Individual> => {
  await using sandbox = await held.current.create("signed", { modules, labels: { island: "north" } });
  return JSON.parse(JSON.stringify(await sandbox.export())) as Individual;
};

function forged(individual: Individual, change: object): Individual {
  const { checksum: _, signature, ...body } = { ...individual, ...change };
  return { ...body, checksum: checksumOfData(body), ...(signature === undefined ? {} : { signature }) };
}

suite("a runtime with a signing key", () => {
  test("imports what another one with the same key has exported", async () => {
    const individual = await exportedBy(signing);
    assert.match(individual.signature ?? "", /^[0-9a-f]{64}$/);
    await using sandbox = await sameKey.current.import(individual);
    assert.equal(await ask(sandbox, "main.f"), 1);
  });

  test("refuses what is not signed, signed with another key, or changed after it was signed", async () => {
    const individual = await exportedBy(signing);
    const { signature = "" } = individual;
    const { signature: _, ...stripped } = individual;
    const digit = signature.endsWith("0") ? "1" : "0";
    const refused: readonly unknown[] = [
      await exportedBy(unsigned),
      await exportedBy(otherKey),
      stripped,
      forged(individual, { labels: { island: "south" } }),
      forged(individual, { limits: { ...individual.limits, memoryBytes: 4 * 2 ** 30 } }),
      { ...individual, signature: signature.slice(0, -1) + digit },
      { ...individual, signature: signature.slice(0, -2) },
      { ...individual, signature: `${signature}00` },
      { ...individual, signature: "" },
      { ...individual, signature: null },
      { ...individual, signature: 5 },
      { ...individual, signature: ["a"] },
      { ...individual, signature: individual.checksum },
      // A key that everybody knows is none.
      { ...individual, signature: createHmac("sha256", "").update(individual.checksum).digest("hex") },
    ];
    for (const [index, value] of refused.entries()) {
      const { message } = await refusalOf(
        sameKey.current.import(value as Individual),
        "INVALID_INDIVIDUAL",
      ).catch((error: unknown) => assert.fail(`${index}: ${String(error)}`));
      assert.match(message, /signed with the signingKey of this runtime/);
      assert.ok(!message.includes(key), "the key is in the message");
    }
  });

  test("bounds what is rightly signed as everything else", async () => {
    await using raised = await signing.current.create("raised", {
      modules,
      limits: { memoryBytes: 2 ** 30 },
    });
    await using sandbox = await sameKey.current.import(await raised.export());
    assert.equal((await sandbox.info()).limits.memoryBytes, 128 * 2 ** 20);
  });

  test("refuses a key that is too short, too long or of another type, and does not show it", async () => {
    const wrong = ["", "short", "x".repeat(31), "x".repeat(4_097), new Uint8Array(31), 5, {}, [key], null];
    for (const signingKey of wrong) {
      const error = await mistakeOf(
        () => createRuntime({ signingKey: signingKey as string }),
        "INVALID_OPTIONS",
      );
      assert.match(
        error.message,
        /^Cannot use options\.signingKey as it must be a text or bytes, of 32–4096/,
      );
      assert.ok(typeof signingKey !== "string" || signingKey === "" || !error.message.includes(signingKey));
    }
  });
});

test("a runtime without a signing key exports unsigned, and imports what is signed as what is not", async () => {
  const individual = await exportedBy(unsigned);
  assert.equal("signature" in individual, false);
  await using sandbox = await unsigned.current.import(await exportedBy(signing));
  assert.equal(await ask(sandbox, "main.f"), 1);
});
