// What a value may cost whoever reads it: the writer refuses a value that costs too much, and so does the reader.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { encode, Refusal } from "../../../../src/model/wire/encode.ts";
import { readAtOnce, readInSlices, type Read, type Slicing } from "../../../../src/model/wire/slices.ts";
import { slicingFor } from "../../../../src/std/slicing.ts";

const MiB = 2 ** 20;
const bytesMax = 8 * MiB;

function refusalOf(value: unknown, max = bytesMax): Refusal {
  try {
    encode(value, max);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  assert.fail("it was encoded");
}

function malformedOf(read: Read): string {
  assert.ok("malformed" in read, "it was read");
  return read.malformed.message;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const sharing = (count: number): bigint[] => numbers(count).map((i) => (BigInt(i) << 64n) + 1n);

// V8's own hash of a small integer, which has no secret.
function hashOf(value: number): number {
  let hash = (~value + (value << 15)) >>> 0;
  hash = (hash ^ (hash >>> 12)) >>> 0;
  hash = (hash + (hash << 2)) >>> 0;
  hash = (hash ^ (hash >>> 4)) >>> 0;
  hash = Math.imul(hash, 2057) >>> 0;
  return (hash ^ (hash >>> 16)) >>> 0;
}

function colliding(count: number): number[] {
  const found: number[] = [];
  for (let i = 0; found.length < count; i++) if ((hashOf(i) & 0x3fff) === 5) found.push(i);
  return found;
}

suite("bigints as keys", () => {
  test("cross where at most 16 of them have the same lowest 64 bits", () => {
    const set = new Set(sharing(16));
    assert.deepEqual(readAtOnce(encode(set, bytesMax), bytesMax), { value: set });
    const many = new Set(numbers(5_000).map((i) => BigInt(i)));
    assert.deepEqual(readAtOnce(encode(many, bytesMax), bytesMax), { value: many });
  });

  test("are refused by the writer where more do, in a Set and in a Map", () => {
    for (const value of [new Set(sharing(17)), new Map(sharing(17).map((key) => [key, 1]))])
      assert.match(refusalOf({ value }).what, /more than 16 bigints that have the same lowest 64 bits/);
  });

  test("are refused by the reader where the writer did not count", () => {
    const keys = sharing(17).map((key) => `["n","${key.toString(16)}"]`);
    assert.match(malformedOf(readAtOnce(`V[0,["s",${keys.join()}]]`, bytesMax)), /more than 16 bigints/);
  });
});

suite("regular expressions", () => {
  test("cross where they are short, also with properties", () => {
    const value = [/a+b/gi, /^\p{L}+$/u, /[\p{L}--[a-z]]/v];
    assert.deepEqual(readAtOnce(encode(value, bytesMax), bytesMax), { value });
  });

  for (const [what, source, flags] of [
    ["long", "a".repeat(2_001), ""],
    ["of many sets", "[\\p{L}--[a-z]]".repeat(20), "v"],
    ["of many properties", "\\P{L}".repeat(20), "iu"],
    ["of sets of texts", "\\p{RGI_Emoji}".repeat(3), "v"],
  ] as const)
    test(`that are ${what} are refused by both sides`, () => {
      assert.match(
        refusalOf([new RegExp(source, flags)]).what,
        /regular expression that is too long or complex/,
      );
      const text = `V[0,["a",1],["r",${JSON.stringify(source)},"${flags}"]]`;
      assert.match(malformedOf(readAtOnce(text, bytesMax)), /regular expression that is too long or complex/);
    });

  test("are counted together", () => {
    assert.equal(refusalOf(numbers(300).map((i) => new RegExp(`${i}`))).reason, "kind");
  });
});

test("a getter that gives a deeper value when it is read again is refused for its depth", () => {
  let reads = 0;
  let deep: unknown = 1;
  for (let i = 0; i < 1_000; i++) deep = [deep];
  const value = {
    get part(): unknown {
      return reads++ === 0 ? 1 : deep;
    },
  };
  assert.equal(refusalOf(value).reason, "depth");
  const text = "[".repeat(300) + "]".repeat(300);
  assert.match(malformedOf(readAtOnce(text, bytesMax)), /nested too deep/);
});

test("brackets of both kinds count for the depth together, and those within texts or beside each other do not", () => {
  const nested = (pairs: number): string => '[{"a":'.repeat(pairs) + "1" + "}]".repeat(pairs);
  assert.ok("value" in readAtOnce(nested(100), bytesMax));
  assert.match(malformedOf(readAtOnce(nested(101), bytesMax)), /nested too deep/);
  const shallow = ["[{".repeat(500), ...Array.from({ length: 500 }, () => [{}])];
  assert.deepEqual(readAtOnce(encode(shallow, bytesMax), bytesMax), { value: shallow });
});

test("a value costs what its parts are when they are read, also where reading one changes the list", () => {
  const growing: unknown[] = [1];
  Object.defineProperty(growing, 0, {
    enumerable: true,
    get: () => (growing.length < 10_000 ? growing.push("x".repeat(10)) : 1),
  });
  assert.equal(refusalOf(growing, 8).reason, "size");
  assert.equal(refusalOf([growing, "x".repeat(2_000)], 2_000).reason, "size");
});

test("objects that cost more than their text count more, on both sides", () => {
  const maps = numbers(20_000).map(() => new Map());
  assert.equal(refusalOf(maps, MiB).reason, "size");
  const text = encode(maps, bytesMax);
  assert.ok(text.length < MiB);
  assert.match(malformedOf(readAtOnce(text, MiB)), /too costly/);
  assert.ok("value" in readAtOnce(text, bytesMax));
});

test("keys of Maps and items of Sets count as much as reading them costs, on both sides", () => {
  // In 1 MiB of text there would be room for 90,000 of them.
  const map = new Map(numbers(40_000).map((i) => [i, 1]));
  for (const value of [map, new Set(map.keys())]) {
    assert.equal(refusalOf(value, MiB).reason, "size");
    const text = encode(value, bytesMax);
    assert.ok(text.length < MiB);
    assert.match(malformedOf(readAtOnce(text, MiB)), /too costly/);
    assert.deepEqual(readAtOnce(text, bytesMax), { value });
  }
});

suite("a long value", () => {
  const slicing = slicingFor({ tenant: "a", sandbox: "s" });
  // Every look at the clock is a slice's end.
  const counting = (): Slicing & { pauses: number } => {
    let now = 0;
    const own = { ...slicing, pauses: 0, nowMs: () => (now += 10), pause: async () => void own.pauses++ };
    return own;
  };

  test("is read in slices, and is the same", async () => {
    const value = {
      list: numbers(3_000),
      map: new Map(numbers(3_000).map((i) => [`k${i}`, { i }])),
      u: undefined,
    };
    const own = counting();
    assert.deepEqual(await readInSlices(encode(value, bytesMax), bytesMax, own), { value });
    assert.ok(own.pauses > 20, `${own.pauses} pauses`);
  });

  test("is begun when the one before it of the same tenant is read, sandbox by sandbox", async () => {
    const order: string[] = [];
    const text = encode(numbers(30_000), bytesMax);
    const read = async (tenant: string, sandbox: string, name: string): Promise<void> => {
      const own = slicingFor({ tenant, sandbox });
      const begin = async (length: number): Promise<() => void> => {
        const end = await own.begin(length);
        order.push(`${name} begins`);
        return () => {
          order.push(`${name} ends`);
          end();
        };
      };
      await readInSlices(text, bytesMax, { ...own, begin });
    };
    const works = [read("a", "s", "1"), read("a", "s", "2"), read("a", "s", "3"), read("a", "t", "other")];
    await Promise.all([...works, read("b", "s", "b")]);
    const ofA = order.filter((entry) => !entry.startsWith("b"));
    assert.deepEqual(
      ofA,
      ["1", "2", "other", "3"].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
    assert.ok(order.indexOf("b begins") < order.indexOf("2 begins"), order.join());
  });

  test("is given up when nobody waits for it any more, and lets the next one begin", async () => {
    const owner = { tenant: "a", sandbox: "s" };
    let pauses = 0;
    const given = slicingFor(owner, () => pauses < 2);
    const pause = async (): Promise<void> => void pauses++;
    const text = encode(new Map(numbers(50_000).map((i) => [`k${i}`, { i }])), bytesMax);
    assert.deepEqual(await readInSlices(text, bytesMax, { ...given, pause }), { value: undefined });
    assert.equal(pauses, 2);
    const value = numbers(30_000);
    assert.deepEqual(await readInSlices(encode(value, bytesMax), bytesMax, slicing), { value });
  });

  test("whose reading throws lets the next one begin", async () => {
    const text = encode(numbers(30_000), bytesMax);
    const broken = { ...slicing, nowMs: () => assert.fail("no clock") };
    await assert.rejects(async () => readInSlices(text, bytesMax, broken), /no clock/);
    assert.deepEqual(await readInSlices(text, bytesMax, slicing), { value: numbers(30_000) });
  });

  test("of less than a megabyte does not wait for a longer one of its tenant", async () => {
    const end = await slicing.begin(2_000_000);
    const value = numbers(30_000);
    assert.deepEqual(await readInSlices(encode(value, bytesMax), bytesMax, slicing), { value });
    let hasBegun = false;
    const next = slicing.begin(1_000_000).then((endNext) => {
      hasBegun = true;
      endNext();
    });
    await Promise.resolve();
    assert.equal(hasBegun, false);
    end();
    await next;
  });

  test("that is malformed lets the next one begin", async () => {
    const broken = `V[0,["?"${",1".repeat(50_000)}]]`;
    malformedOf(await readInSlices(broken, bytesMax, slicing));
    const value = numbers(30_000);
    assert.deepEqual(await readInSlices(encode(value, bytesMax), bytesMax, slicing), { value });
  });

  test("that is a string is the same with and without what must be escaped, and malformed where it does not end", () => {
    const plain = "ä".repeat(20_000);
    for (const value of [
      plain,
      `${plain}"`,
      `"${plain}`,
      `${plain}\\`,
      `${plain}\n${plain}`,
      `\u0000${plain}`,
    ])
      assert.deepEqual(readAtOnce(encode(value, bytesMax), bytesMax), { value });
    for (const text of [`"${plain}`, `"${plain}"${plain}"`, `"${plain}\\"`, `"${plain}",1`, `"${plain}""`])
      malformedOf(readAtOnce(text, bytesMax));
  });

  test("with many numbers as keys is read", async () => {
    const value = new Set(numbers(20_000).map((i) => i * 7));
    assert.deepEqual(await readInSlices(encode(value, bytesMax), bytesMax, slicing), { value });
  });

  test("whose keys were chosen to have the same hash is refused", async () => {
    const text = `V[0,["s",${colliding(20_000)
      .map((i) => `[${i}]`)
      .join()}]]`;
    assert.match(malformedOf(await readInSlices(text, bytesMax, slicing)), /keys have the same hash/);
  });
});
