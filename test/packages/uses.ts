// Popular npm packages of pure JavaScript, each with a small real use of it and what that must give. Chosen by downloads, before
// any of them was tried.

export interface PackageUse {
  readonly name: string;
  readonly version: string;
  readonly beside?: Readonly<Record<string, string>>;
  readonly imports: string;
  /** The body of an async function that uses it. */
  readonly body: string;
  readonly expected: unknown;
}

type Use = Omit<PackageUse, "name" | "version">;
const use = (name: string, version: string, rest: Use): PackageUse => ({ name, version, ...rest });

export const packageUses: readonly PackageUse[] = [
  use("lodash", "4.18.1", {
    imports: `import _, { chunk } from "lodash"; import { map } from "lodash/fp"; import debounce from "lodash/debounce.js";`,
    body: `return [chunk([1, 2, 3], 2), _.groupBy([1.2, 1.8, 2.1], Math.floor), map((n) => n + 1)([1]), typeof debounce];`,
    expected: [[[1, 2], [3]], { 1: [1.2, 1.8], 2: [2.1] }, [2], "function"],
  }),
  use("lodash-es", "4.18.1", {
    imports: `import { sortBy, template } from "lodash-es";`,
    body: `return sortBy([{ n: 2 }, { n: 1 }], "n");`,
    expected: [{ n: 1 }, { n: 2 }],
  }),
  use("uuid", "14.0.3", {
    imports: `import { v4, v5, validate } from "uuid";`,
    body: `return [validate(v4()), v5("hello", v5.DNS)];`,
    expected: [true, "9342d47a-1bab-5709-9869-c840b2eac501"],
  }),
  use("nanoid", "6.0.2", {
    imports: `import { nanoid, customAlphabet } from "nanoid";`,
    body: `return [nanoid().length, /^[ab]{5}$/.test(customAlphabet("ab", 5)())];`,
    expected: [21, true],
  }),
  use("immer", "11.2.10", {
    imports: `import { produce, enableMapSet } from "immer";`,
    body: `enableMapSet(); const next = produce({ a: 1, b: new Map([[1, 2]]) }, (draft) => { draft.a = 2; draft.b.set(1, 3); }); return [next.a, next.b.get(1), Object.isFrozen(next)];`,
    expected: [2, 3, true],
  }),
  use("mathjs", "15.2.0", {
    imports: `import { evaluate, derivative, matrix, det } from "mathjs";`,
    body: `return [evaluate("2 inch to cm").toString(), derivative("x^2", "x").toString(), det(matrix([[1, 2], [3, 4]]))];`,
    expected: ["5.08 cm", "2 * x", -2],
  }),
  use("zod", "4.6.7", {
    imports: `import { z } from "zod";`,
    body: `const schema = z.object({ name: z.string().min(2), age: z.coerce.number().int() }); return [schema.parse({ name: "Ann", age: "7" }), schema.safeParse({ name: "A" }).success];`,
    expected: [{ name: "Ann", age: 7 }, false],
  }),
  use("ajv", "8.20.0", {
    imports: `import Ajv from "ajv";`,
    body: `const validate = new Ajv().compile({ type: "object", properties: { n: { type: "integer" } }, required: ["n"] }); return [validate({ n: 1 }), validate({ n: "x" })];`,
    expected: [true, false],
  }),
  use("date-fns", "4.4.0", {
    imports: `import { formatISO9075, differenceInDays } from "date-fns"; import { addDays } from "date-fns/addDays";`,
    body: `const day = new Date(2020, 1, 28); return [formatISO9075(addDays(day, 2)), differenceInDays(addDays(day, 2), day)];`,
    expected: ["2020-03-01 00:00:00", 2],
  }),
  use("dayjs", "1.11.23", {
    imports: `import dayjs from "dayjs"; import utc from "dayjs/plugin/utc.js";`,
    body: `dayjs.extend(utc); return dayjs.utc("2024-02-29T10:00:00Z").add(1, "year").format("YYYY-MM-DD HH:mm");`,
    expected: "2025-02-28 10:00",
  }),
  use("luxon", "3.7.2", {
    imports: `import { DateTime, Duration } from "luxon";`,
    body: `return [DateTime.fromISO("2024-01-31T00:00:00Z", { zone: "Europe/Berlin" }).plus({ months: 1 }).toISO(), Duration.fromObject({ minutes: 90 }).as("hours")];`,
    expected: ["2024-02-29T01:00:00.000+01:00", 1.5],
  }),
  use("moment", "2.31.0", {
    imports: `import moment, { utc } from "moment";`,
    body: `return [moment.utc("2020-01-31").add(1, "month").format("YYYY-MM-DD"), utc(0).year()];`,
    expected: ["2020-02-29", 1970],
  }),
  use("ramda", "0.32.0", {
    imports: `import * as R from "ramda";`,
    body: `return R.pipe(R.filter((n) => n > 1), R.map(R.multiply(2)), R.sum)([1, 2, 3]);`,
    expected: 10,
  }),
  use("rxjs", "7.8.2", {
    imports: `import { from, lastValueFrom, timer } from "rxjs"; import { map, scan, delayWhen } from "rxjs/operators";`,
    body: `return lastValueFrom(from([1, 2, 3]).pipe(map((n) => n * 2), scan((a, b) => a + b, 0), delayWhen(() => timer(1))));`,
    expected: 12,
  }),
  use("yaml", "2.9.1", {
    imports: `import { parse, stringify } from "yaml";`,
    body: `return [parse("a: [1, 2]\\nb: {c: yes}"), stringify({ x: [1] })];`,
    expected: [{ a: [1, 2], b: { c: "yes" } }, "x:\n  - 1\n"],
  }),
  use("js-yaml", "5.5.0", {
    imports: `import { load, dump } from "js-yaml";`,
    body: `return [load("- 1\\n- a: b"), dump({ k: [true] })];`,
    expected: [[1, { a: "b" }], "k:\n  - true\n"],
  }),
  use("marked", "18.2.0", {
    imports: `import { marked } from "marked";`,
    body: `return marked.parse("# Hi *there*");`,
    expected: "<h1>Hi <em>there</em></h1>\n",
  }),
  use("markdown-it", "15.0.3", {
    imports: `import MarkdownIt from "markdown-it";`,
    body: `return new MarkdownIt({ linkify: true }).render("**b** https://x.org");`,
    expected: '<p><strong>b</strong> <a href="https://x.org">https://x.org</a></p>\n',
  }),
  use("semver", "7.8.6", {
    imports: `import semver, { satisfies } from "semver";`,
    body: `return [satisfies("1.2.3", "^1.0.0"), semver.inc("1.2.3", "minor"), semver.sort(["2.0.0", "1.0.0"])];`,
    expected: [true, "1.3.0", ["1.0.0", "2.0.0"]],
  }),
  use("ms", "2.1.3", {
    imports: `import ms from "ms";`,
    body: `return [ms("2 days"), ms(60_000, { long: true })];`,
    expected: [172_800_000, "1 minute"],
  }),
  use("debug", "4.4.3", {
    imports: `import debug from "debug";`,
    body: `const lines = []; const log = debug("app"); debug.enable("app"); log.log = (...args) => lines.push(args.length > 0); log("x %d", 1); return [log.enabled, lines];`,
    expected: [true, [true]],
  }),
  use("chalk", "6.0.1", {
    imports: `import { Chalk } from "chalk";`,
    body: `return new Chalk({ level: 1 }).red.bold("x");`,
    expected: "\u001b[31m\u001b[1mx\u001b[22m\u001b[39m",
  }),
  use("picomatch", "4.0.7", {
    imports: `import picomatch from "picomatch";`,
    body: `return [picomatch("*.{js,ts}")("a.ts"), picomatch("src/**")("lib/a")];`,
    expected: [true, false],
  }),
  use("minimatch", "11.0.8", {
    imports: `import { minimatch } from "minimatch";`,
    body: `return [minimatch("a/b/c.js", "a/**/*.js"), minimatch("x", "y")];`,
    expected: [true, false],
  }),
  use("acorn", "8.19.0", {
    imports: `import { parse } from "acorn";`,
    body: `return parse("const a = b ?? 1", { ecmaVersion: "latest" }).body[0].declarations[0].init.operator;`,
    expected: "??",
  }),
  use("esprima", "4.0.1", {
    imports: `import { parseScript, tokenize } from "esprima";`,
    body: `return [parseScript("f(1)").body[0].expression.type, tokenize("a+1").length];`,
    expected: ["CallExpression", 3],
  }),
  use("escodegen", "2.1.0", {
    imports: `import { generate } from "escodegen";`,
    body: `return generate({ type: "BinaryExpression", operator: "+", left: { type: "Literal", value: 1 }, right: { type: "Identifier", name: "x" } });`,
    expected: "1 + x",
  }),
  use("decimal.js", "10.6.0", {
    imports: `import Decimal, { Decimal as Named } from "decimal.js";`,
    body: `return [new Decimal("0.1").plus("0.2").toString(), Named.sqrt(2).toFixed(5)];`,
    expected: ["0.3", "1.41421"],
  }),
  use("bignumber.js", "11.1.5", {
    imports: `import { BigNumber } from "bignumber.js";`,
    body: `return new BigNumber("123456789012345678901234567890").times(3).toFixed();`,
    expected: "370370367037037036703703703670",
  }),
  use("validator", "13.15.35", {
    imports: `import validator from "validator"; import isEmail from "validator/lib/isEmail.js";`,
    body: `return [isEmail("a@b.co"), validator.isURL("https://x.org/y"), validator.isIP("1.2.3.400")];`,
    expected: [true, true, false],
  }),
  use("qs", "6.17.1", {
    imports: `import qs, { stringify } from "qs";`,
    body: `return [qs.parse("a[b]=c&d=1&d=2"), stringify({ x: [1, 2] }, { arrayFormat: "repeat" })];`,
    expected: [{ a: { b: "c" }, d: ["1", "2"] }, "x=1&x=2"],
  }),
  use("query-string", "10.0.0", {
    imports: `import queryString from "query-string";`,
    body: `return [{ ...queryString.parse("a=1&b=x%20y") }, queryString.stringify({ b: 2, a: [1, 2] })];`,
    expected: [{ a: "1", b: "x y" }, "a=1&a=2&b=2"],
  }),
  use("classnames", "2.5.1", {
    imports: `import classNames from "classnames"; import bind from "classnames/bind.js";`,
    body: `return [classNames("a", { b: true, c: false }, ["d"]), bind.bind({ a: "x" })("a")];`,
    expected: ["a b d", "x"],
  }),
  use("eventemitter3", "5.0.4", {
    imports: `import EventEmitter, { EventEmitter as Named } from "eventemitter3";`,
    body: `const e = new EventEmitter(); const got = []; e.once("x", (n) => got.push(n)); e.emit("x", 1); e.emit("x", 2); return [got, Named === EventEmitter];`,
    expected: [[1], true],
  }),
  use("async", "3.2.6", {
    imports: `import async, { mapLimit } from "async";`,
    body: `return [await mapLimit([1, 2, 3], 2, async (n) => n * 2), await async.parallel([async () => 1])];`,
    expected: [[2, 4, 6], [1]],
  }),
  use("bluebird", "3.7.2", {
    imports: `import Bluebird from "bluebird";`,
    body: `return Bluebird.map([1, 2, 3], (n) => Bluebird.delay(1).then(() => n * 3), { concurrency: 2 });`,
    expected: [3, 6, 9],
  }),
  use("papaparse", "5.7.1", {
    imports: `import Papa from "papaparse";`,
    body: `return [Papa.parse('a,b\\n1,"x, y"', { header: true, dynamicTyping: true }).data, Papa.unparse([{ a: 1, b: "c,d" }])];`,
    expected: [[{ a: 1, b: "x, y" }], 'a,b\r\n1,"c,d"'],
  }),
  use("csv-parse", "7.0.3", {
    imports: `import { parse } from "csv-parse";`,
    body: `return new Promise((resolve, reject) => parse("a,b\\n1,2", { columns: true }, (error, rows) => (error ? reject(error) : resolve(rows))));`,
    expected: [{ a: "1", b: "2" }],
  }),
  use("handlebars", "4.7.10", {
    imports: `import Handlebars from "handlebars";`,
    body: `return Handlebars.compile("{{#each items}}<{{name}}>{{/each}}")({ items: [{ name: "a&b" }] });`,
    expected: "<a&amp;b>",
  }),
  use("mustache", "4.2.0", {
    imports: `import Mustache from "mustache";`,
    body: `return Mustache.render("{{#xs}}{{.}};{{/xs}}{{{raw}}}", { xs: [1, 2], raw: "<b>" });`,
    expected: "1;2;<b>",
  }),
  use("nunjucks", "3.2.4", {
    imports: `import nunjucks from "nunjucks";`,
    body: `return nunjucks.renderString("{% for x in xs %}{{ x | upper }}{% endfor %}", { xs: ["a", "b"] });`,
    expected: "AB",
  }),
  use("fast-deep-equal", "3.1.3", {
    imports: `import equal from "fast-deep-equal"; import es6 from "fast-deep-equal/es6/index.js";`,
    body: `return [equal({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), es6(new Map([[1, 2]]), new Map([[1, 3]]))];`,
    expected: [true, false],
  }),
  use("deepmerge", "4.3.1", {
    imports: `import deepmerge from "deepmerge";`,
    body: `return [deepmerge({ a: { x: 1 } }, { a: { y: [2] } }), deepmerge.all([{ a: 1 }, { b: 2 }])];`,
    expected: [{ a: { x: 1, y: [2] } }, { a: 1, b: 2 }],
  }),
  use("graphql", "17.1.0", {
    imports: `import { buildSchema, graphql, parse } from "graphql";`,
    body: `const schema = buildSchema("type Query { double(n: Int!): Int }"); const { data } = await graphql({ schema, source: "{ double(n: 21) }", rootValue: { double: ({ n }) => n * 2 } }); return [data.double, parse("{ a }").kind];`,
    expected: [42, "Document"],
  }),
  use("react", "19.3.1", {
    beside: { "react-dom": "19.3.1" },
    imports: `import React, { createElement as h, useState } from "react"; import { renderToString, renderToStaticMarkup } from "react-dom/server";`,
    body: `const App = ({ name }) => { const [n] = useState(3); return h("p", { className: "x" }, name, " ", n); }; return [renderToStaticMarkup(h(App, { name: "<Ann>" })), renderToString(h(React.Fragment, null, "a"))];`,
    expected: ['<p class="x">&lt;Ann&gt; 3</p>', "a"],
  }),
  use("preact", "11.2.0", {
    imports: `import { h, createContext } from "preact"; import { useState } from "preact/hooks";`,
    body: `const vnode = h("p", { id: "x" }, "a"); return [vnode.type, vnode.props.id, typeof createContext(1), typeof useState];`,
    expected: ["p", "x", "function", "function"],
  }),
  use("cheerio", "1.2.0", {
    imports: `import * as cheerio from "cheerio";`,
    body: `const $ = cheerio.load("<ul><li class=a>1</li><li>2</li></ul>"); $("li.a").text("x"); return [$("li").length, $("ul").html()];`,
    expected: [2, '<li class="a">x</li><li>2</li>'],
  }),
  use("tslib", "2.9.1", {
    imports: `import { __assign, __rest, __awaiter } from "tslib"; import * as tslib from "tslib";`,
    body: `return [__assign({ a: 1 }, { b: 2 }), __rest({ a: 1, b: 2 }, ["a"]), typeof tslib.__decorate];`,
    expected: [{ a: 1, b: 2 }, { b: 2 }, "function"],
  }),
  use("core-js-pure", "3.51.0", {
    imports: `import groupBy from "core-js-pure/actual/object/group-by.js"; import structured from "core-js-pure/actual/structured-clone.js"; import flat from "core-js-pure/actual/array/flat.js";`,
    body: `return [{ ...groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even")) }, flat([[1], [2, [3]]]), typeof structured];`,
    expected: [{ odd: [1, 3], even: [2] }, [1, 2, [3]], "function"],
  }),
  use("redux", "5.0.1", {
    imports: `import { createStore, combineReducers } from "redux";`,
    body: `const store = createStore(combineReducers({ n: (n = 0, { type }) => (type === "inc" ? n + 1 : n) })); store.dispatch({ type: "inc" }); return store.getState();`,
    expected: { n: 1 },
  }),
  use("pako", "3.0.3", {
    imports: `import { deflate, inflate } from "pako";`,
    body: `const text = "abc".repeat(500); const packed = deflate(text); return [packed.length < 60, inflate(packed, { to: "string", toText: true }).length];`,
    expected: [true, 1_500],
  }),
  use("crypto-js", "4.2.0", {
    imports: `import CryptoJS, { SHA256 } from "crypto-js"; import aes from "crypto-js/aes.js";`,
    body: `return [SHA256("abc").toString().slice(0, 8), aes.decrypt(aes.encrypt("hi", "key").toString(), "key").toString(CryptoJS.enc.Utf8)];`,
    expected: ["ba7816bf", "hi"],
  }),
  use("fuse.js", "7.5.0", {
    imports: `import Fuse from "fuse.js";`,
    body: `return new Fuse([{ t: "apple" }, { t: "banana" }], { keys: ["t"] }).search("aple")[0].item.t;`,
    expected: "apple",
  }),
  use("seedrandom", "3.0.5", {
    imports: `import seedrandom from "seedrandom";`,
    body: `return seedrandom("hello.")().toFixed(6);`,
    expected: "0.928258",
  }),
  use("iconv-lite", "0.7.3", {
    imports: `import iconv from "iconv-lite";`,
    body: `return iconv.decode(new Uint8Array([0xe9]), "latin1");`,
    expected: "é",
  }),
  use("lru-cache", "11.5.3", {
    imports: `import { LRUCache } from "lru-cache";`,
    body: `const cache = new LRUCache({ max: 2 }); cache.set("a", 1).set("b", 2).get("a"); cache.set("c", 3); return [...cache.keys()].toSorted();`,
    expected: ["a", "c"],
  }),
];
