// TextEncoder, TextDecoder, URL, URLSearchParams, timers and Intl of guests: as Node has them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testAlike } from "../../support/alike.ts";
import { valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const decode = (label: string, bytes: readonly number[], options = "{}"): string =>
  `new TextDecoder("${label}", ${options}).decode(new Uint8Array([${bytes.join(", ")}]))`;
const streamed = (label: string, chunks: readonly (readonly number[])[], options = "{}"): string =>
  `((d) => [...[${chunks.map((chunk) => `[${chunk.join(",")}]`).join(",")}].map((chunk) => d.decode(new Uint8Array(chunk), { stream: true })), d.decode()])(new TextDecoder("${label}", ${options}))`;
const mark = [0xef, 0xbb, 0xbf];
const smile = [0xf0, 0x9f, 0x98, 0x80];

testAlike(runtime, "texts are encoded and decoded", [
  "[new TextEncoder().encoding, String(new TextEncoder()), String(new TextDecoder())]",
  "new TextEncoder().encode('aé€😀\\ud800x')",
  "new TextEncoder().encode()",
  "new TextEncoder().encode(null)",
  "((b) => [new TextEncoder().encodeInto('aé€😀', b), b])(new Uint8Array(6))",
  "new TextEncoder().encodeInto('a', [])",
  "((d) => [d.encoding, d.fatal, d.ignoreBOM])(new TextDecoder('UTF8', { fatal: 1, ignoreBOM: 'x' }))",
  ...[
    "utf-8",
    " Utf-8\\n",
    "latin1",
    "ascii",
    "ISO-8859-1",
    "utf-16",
    "utf-16be",
    "ucs-2",
    "nope",
    "",
    "windows-1252",
  ].map((label) => `new TextDecoder("${label}").encoding`),
  ...[
    smile,
    [...mark, 97],
    [0xff],
    [0xc3, 0x28],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x98],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xc0, 0xaf],
    [0xe0, 0x80, 0x80],
    [97, 0x80, 98],
    [0xf0, 0x90, 0x41],
  ].flatMap((bytes) => [
    decode("utf-8", bytes),
    decode("utf-8", bytes, "{ fatal: true }"),
    decode("utf-8", bytes, "{ ignoreBOM: true }"),
  ]),
  ...[
    [0x61, 0, 0x3d, 0xd8, 0, 0xde],
    [0xff, 0xfe, 0x61, 0],
    [0x3d, 0xd8],
    [0, 0xde, 0x61, 0],
    [0x61],
    [0x61, 0, 0x62],
    [0x3d, 0xd8, 0x61, 0],
  ].flatMap((bytes) => [decode("utf-16le", bytes), decode("utf-16le", bytes, "{ fatal: true }")]),
  decode("utf-16be", [0, 0x61, 0xd8, 0x3d, 0xde, 0]),
  decode(
    "latin1",
    Array.from({ length: 256 }, (_, byte) => byte),
  ),
  streamed("utf-8", [[0xe2, 0x82], [0xac], [0xe2]]),
  streamed("utf-8", [[0xef], [0xbb, 0xbf, 97], mark]),
  streamed(
    "utf-8",
    smile.map((byte) => [byte]),
  ),
  streamed("utf-8", [[0xf0, 0x9f], [0x41]]),
  streamed("utf-8", [[0xe2], [], [0x82, 0xac]]),
  streamed("utf-8", [[0xe2, 0x82]], "{ fatal: true }"),
  streamed("utf-8", [[0xed], [0xa0], [0x80]]),
  streamed("utf-16le", [[0x61], [0, 0x3d], [0xd8, 0], [0xde]]),
  "((d) => { d.decode(new Uint8Array([0xe2]), { stream: true }); return [d.decode(new Uint8Array([97])), d.decode(new Uint8Array([98]))]; })(new TextDecoder())",
  "new TextDecoder().decode(new Uint16Array([0x6161, 0x6262]))",
  "new TextDecoder().decode(new DataView(new Uint8Array([97, 98, 99]).buffer, 1))",
  "new TextDecoder().decode(new Uint8Array([97]).buffer)",
  "new TextDecoder().decode()",
  "new TextDecoder().decode(5)",
  "new TextDecoder().decode(null)",
  "new TextDecoder().decode(new TextEncoder().encode('é€😀'.repeat(10_000))) === 'é€😀'.repeat(10_000)",
]);

const url = "http://user:pw@a.example:81/p/q?x=1&y=2&x=3#h";
testAlike(runtime, "addresses are read and changed", [
  "[URL.name, URLSearchParams.name, String(Object.prototype.toString.call(new URL('http://a'))), Object.prototype.toString.call(new URLSearchParams())]",
  `((u) => [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash, String(u), JSON.stringify(u)])(new URL("${url}"))`,
  "[URL.canParse('http://a'), URL.canParse('a'), URL.canParse('a', 'http://b'), URL.parse('nope'), URL.parse('/x', 'http://b').href]",
  "new URL('nope')",
  "new URL()",
  "URL('http://a')",
  "new URL('x', 'http://b/c/d').href",
  "new URL(new URL('http://a'), undefined).href",
  ...[
    "href = 'http://n/'",
    "protocol = 'https'",
    "username = 'é'",
    "password = 'p:w'",
    "host = 'h:99'",
    "hostname = 'n'",
    "port = '0'",
    "pathname = 'a b'",
    "search = 'q=1'",
    "hash = 'z'",
    "search = ''",
    "port = 'x'",
    "href = 'nope'",
    "origin = 'x'",
  ].map((change) => `((u) => { u.${change}; return [u.href, [...u.searchParams]]; })(new URL("${url}"))`),
  `((u) => { u.searchParams.append("z", "a b"); u.searchParams.delete("x"); return [u.href, u.search]; })(new URL("${url}"))`,
  `((u) => { const p = u.searchParams; u.search = "?n=1"; return [p === u.searchParams, [...p], p.size]; })(new URL("${url}"))`,
  `((u) => { u.searchParams.sort(); u.searchParams.set("x", "9"); return u.href; })(new URL("${url}"))`,
  ...[
    "'a=1&b=2&a=3'",
    "'?a=1'",
    "''",
    "'a&b='",
    "'a=%20+%zz%C3%A9'",
    "'=x'",
    "'a=b=c'",
    "{ a: 1, b: 'é &' }",
    "[['a', 'b'], ['c', 'd']]",
    "new Map([['a', 'b']])",
    "new URLSearchParams('a=1')",
    "'&&a&&'",
    "'a=%E9'",
    "'%61=%ff%fe'",
    "null",
    "undefined",
    "[['a']]",
    "[1]",
    "5",
  ].map((init) => `((p) => [String(p), [...p], p.size])(new URLSearchParams(${init}))`),
  "((p) => [p.get('a'), p.get('z'), p.getAll('a'), p.has('a'), p.has('a', '1'), p.has('a', '9')])(new URLSearchParams('a=1&a=2'))",
  "((p) => { p.delete('a', '1'); return String(p); })(new URLSearchParams('a=1&a=2'))",
  "((p) => { p.set('a', 'x'); p.set('n', '~!*()\\''); return String(p); })(new URLSearchParams('a=1&b=2&a=3'))",
  "((p) => { const all = []; p.forEach((value, name, of) => all.push(value, name, of === p)); return [all, [...p.keys()], [...p.values()], [...p.entries()]]; })(new URLSearchParams('a=1&b=2'))",
  "((p) => { p.sort(); return String(p); })(new URLSearchParams('z=1&é=2&a=3&z=0&\\ud83d\\ude00=5'))",
  "((p) => { const seen = []; for (const [name] of p) { seen.push(name); if (seen.length < 4) p.append('n' + seen.length, ''); } return seen; })(new URLSearchParams('a=1'))",
  "new URLSearchParams('a=1').get()",
  "new URLSearchParams('a=1').append('a')",
]);

testAlike(runtime, "timers and the language's own work", [
  "new Promise((resolve) => setTimeout((...args) => resolve(args), '1', 'a', 2))",
  "new Promise((resolve) => { let n = 0; const id = setInterval(() => { if (++n === 3) { clearInterval(id); resolve(n); } }, 1); })",
  "new Promise((resolve) => queueMicrotask(() => resolve('micro')))",
  "setTimeout(5)",
  "queueMicrotask()",
  "clearTimeout(undefined)",
  "clearTimeout({})",
  "new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234.5)",
  "new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', dateStyle: 'full' }).format(new Date(0))",
  "new Intl.Collator('sv').compare('ä', 'z')",
  "new Intl.PluralRules('pl').select(3)",
  "new Intl.ListFormat('en').format(['a', 'b', 'c'])",
  "new Intl.RelativeTimeFormat('fr').format(-3, 'day')",
  "[...new Intl.Segmenter('th', { granularity: 'word' }).segment('สวัสดีชาวโลก')].length",
  "new Intl.DisplayNames('es', { type: 'region' }).of('JP')",
  "Object.getOwnPropertyNames(Intl).filter((name) => name !== 'v8BreakIterator').sort()",
  "'I'.toLocaleLowerCase('tr')",
]);

test("Intl formats the virtual time of a deterministic sandbox, in a replay too", async () => {
  const main = `export const f = () => [new Intl.DateTimeFormat("en-GB", { timeZone: "UTC" }).format(), new Date().toLocaleString("en-GB", { timeZone: "UTC" }),
    new Intl.DateTimeFormat("en-GB", { timeZone: "UTC" }).formatToParts().length];`;
  await using sandbox = await runtime.create({
    modules: { main },
    deterministic: { seed: 1, now: Date.UTC(2020, 1, 2) },
  });
  const outcome = await sandbox.call("main.f", { record: true });
  assert.deepEqual(valueOf(outcome), ["02/02/2020", "02/02/2020, 00:00:00", 5]);
  assert.equal((await sandbox.replay(outcome.recording)).difference, null);
});

test("what cannot be decoded says which encodings there are", async () => {
  await using sandbox = await createMain(
    runtime,
    `export const f = () => { try { new TextDecoder("koi8-r"); } catch (error) { return error.message; } };`,
  );
  assert.equal(
    valueOf(await sandbox.call("main.f")),
    "Cannot decode as the encoding must be one of utf-8, utf-16le, utf-16be, windows-1252: got koi8-r",
  );
});
