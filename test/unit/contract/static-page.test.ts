// A page as one file: what it is made of cannot end a script or a style, and its policy names both by their hashes.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { EvolutionDump } from "../../../src/contract/evolution-bodies.ts";
import { filesOf, staticPage } from "../../../src/contract/static-page.ts";
import { sha256Base64 } from "../../../src/contract/sha256.ts";

const index = `<!doctype html><html><head>
    <meta name="vivarium-source" content="live" />
    <link rel="icon" href="data:image/svg+xml,x" />
    <script type="module" crossorigin src="./assets/index-1.js"></script>
    <link rel="stylesheet" crossorigin href="./assets/index-2.css">
  </head><body></body></html>`;
const dump = { format: "vivarium-dump", texts: ["</script><script>alert(1)</script><!-- $& -->"] };
const files = {
  "./assets/index-1.js": 'const a = "</script>", b = "<!--", c = "$&"; import("./editor-3.js");',
  "./assets/index-2.css": 'a::after { content: "</style>$1" }',
};

function pageOf(texts: Readonly<Record<string, string>>, from = index): string {
  return staticPage({
    index: from,
    fileOf: (address) => texts[address],
    dump: dump as unknown as EvolutionDump,
  });
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");

test("a static page has script, style and data in it, and says that its data is there", () => {
  const page = pageOf(files);
  assert.match(page, /<meta name="vivarium-source" content="inline" \/>/);
  const [, script = ""] = /<script type="module">(.*?)<\/script>/s.exec(page) ?? [];
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  assert.equal(script, String.raw`const a = "<\/script>", b = "\x3c!--", c = "$&"; import("./editor-3.js");`);
  assert.equal(style, String.raw`a::after { content: "<\/style>$1" }`);
  const [, data = ""] = /<script type="application\/json" id="dump">(.*?)<\/script>/s.exec(page) ?? [];
  assert.deepEqual(JSON.parse(data), dump);
  assert.doesNotMatch(data, /</);
  assert.ok(page.indexOf('id="dump"') < page.indexOf('type="module"'));
});

test("its policy allows that script and that style alone", () => {
  const page = pageOf(files);
  const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  const [, script = ""] = /<script type="module">(.*?)<\/script>/s.exec(page) ?? [];
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  assert.match(policy, /^default-src 'none'; /);
  assert.ok(policy.includes(`script-src 'sha256-${digestOf(script)}';`), policy);
  assert.ok(policy.includes(`style-src 'sha256-${digestOf(style)}';`), policy);
  assert.doesNotMatch(policy, /unsafe/);
  assert.ok(page.indexOf("Content-Security-Policy") < page.indexOf("<script"));
});

test("it names the files that it needs, and is refused without them, or where its script is several", () => {
  assert.deepEqual(filesOf(index), ["./assets/index-1.js", "./assets/index-2.css"]);
  assert.throws(() => pageOf({}), /as its file \.\/assets\/index-1\.js must be there: got nothing$/);
  const split = { ...files, "./assets/index-1.js": 'import{a}from"./shared-4.js";a();' };
  assert.throws(() => pageOf(split), /as its script must be one file: got one that imports others$/);
  assert.throws(() => pageOf(files, "<html></html>"), /as it must say where its data is from: got none$/);
});

test("SHA-256 without Node is that of Node, whatever the length", () => {
  for (let length = 0; length < 200; length++) {
    const text = "é😀a".repeat(length).slice(0, length);
    assert.equal(sha256Base64(text.toWellFormed()), digestOf(text.toWellFormed()), `${length}`);
  }
  const long = "x".repeat(300_001);
  assert.equal(sha256Base64(long), digestOf(long));
});
