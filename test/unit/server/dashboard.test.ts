// The files of the dashboard as the server gives them: those of its folder and no others, packed where that is taken.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { DashboardFiles } from "../../../src/server/dashboard.ts";
import { dashboardFiles } from "../../../src/server/index.ts";
import { Folder } from "../../support/folders.ts";
import { builtDashboard } from "../../support/dashboards.ts";
import { mistakeOf } from "../../support/errors.ts";
import { serve } from "../../support/served.ts";

const folder = builtDashboard();
after(() => folder[Symbol.dispose]());
const { ask, give, refuse, runtime } = await serve({ dashboard: new DashboardFiles("live", folder.path) });

test("/ is the page, which may load its own files and nothing else", async () => {
  const response = await ask("GET /");
  assert.equal(response.status, 200);
  assert.match(await response.text(), /<meta name="vivarium-source" content="live">/);
  const { headers } = response;
  assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(
    headers.get("content-security-policy"),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
});

test("assets have their types and are kept for good, as their names change with them", async () => {
  for (const [name, type] of [
    ["index-1a2b.js", "text/javascript; charset=utf-8"],
    ["index-3c4d.css", "text/css; charset=utf-8"],
    ["mono-5e6f.woff2", "font/woff2"],
    ["strange", "application/octet-stream"],
  ]) {
    const { status, headers } = await ask(`GET /assets/${name}`);
    assert.deepEqual(
      [status, headers.get("content-type"), headers.get("cache-control")],
      [200, type, "public, max-age=31536000, immutable"],
    );
  }
});

test("texts are packed for who takes gzip, and fonts never", async () => {
  const lengths: number[] = [];
  for (const [accepted, isPacked] of [
    ["gzip", true],
    ["br, GZIP;q=0.5", true],
    ["gzip;q=0, br", false],
    ["gzip; q=0.000", false],
    ["identity", false],
  ] as const) {
    const response = await ask("GET /assets/index-1a2b.js", { headers: { "accept-encoding": accepted } });
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(response.headers.get("content-encoding"), isPacked ? "gzip" : null, accepted);
    assert.equal(Number(response.headers.get("content-length")), bytes.length);
    assert.match(response.headers.get("vary") ?? "", /accept-encoding/);
    assert.match((isPacked ? gunzipSync(bytes) : bytes).toString(), /console\.log/);
    lengths.push(bytes.length);
  }
  assert.ok(Number(lengths[0]) < Number(lengths[4]));
  const font = await ask("GET /assets/mono-5e6f.woff2", { headers: { "accept-encoding": "gzip" } });
  assert.equal(font.headers.get("content-encoding"), null);
});

test("what is not among the files of the folder is not there", async () => {
  folder.write({ "secret.txt": "no", "assets/later.js": "no" });
  symlinkSync(folder.at("secret.txt"), folder.at("assets/linked.txt"));
  const linked = new DashboardFiles("live", folder.path);
  assert.ok((await linked.all()).every(({ path }) => !path.includes("linked")));
  for (const path of [
    "/index.html",
    "/assets",
    "/assets/",
    "/assets/none.js",
    "/assets/inner",
    "/assets/inner/deep.js",
    "/assets/..%2fsecret.txt",
    "/secret.txt",
    "/assets/__proto__",
    "/assets/later.js",
  ]) {
    const problem = await refuse(`GET ${path}`, "REQUEST_REFUSED");
    assert.equal(problem.status, 404, path);
  }
  const head = await ask("HEAD /");
  assert.equal(head.status, 405);
});

test("a page of a recorded document says so", async () => {
  const [page, ...others] = await new DashboardFiles("dump", folder.path).all();
  assert.match(new TextDecoder().decode(page?.bytes), /<meta name="vivarium-source" content="dump">/);
  assert.deepEqual([page?.path, others.some(({ path }) => path === "/assets/index-1a2b.js")], ["/", true]);
  await mistakeOf(() => dashboardFiles({ source: "none" as "dump" }), "INVALID_OPTIONS");
});

test("a folder that was not built is said to be missing until it is there", async () => {
  using empty = new Folder();
  const { ask: asked, refuse: refused } = await serve(
    { dashboard: new DashboardFiles("live", empty.path) },
    runtime,
  );
  const problem = await refused("GET /", "REQUEST_REFUSED");
  assert.equal(problem.status, 404);
  assert.match(problem.detail, /it must be built: run `npm run build`/);
  using built = builtDashboard(empty);
  assert.equal((await asked("GET /")).status, 200);
  built.write({ "index.html": "<p>another</p>" });
  await assert.rejects(new DashboardFiles("live", built.path).all(), /vivarium-source/);
});

test("without a dashboard there is nothing at /, and the operations are what they were", async () => {
  const plain = await serve({ dashboard: false }, runtime);
  const { detail } = await plain.refuse("GET /", "REQUEST_REFUSED");
  assert.match(detail, /one of the API/);
  assert.equal((await give("GET /v1/about"))["name"], "vivarium");
  await mistakeOf(() => serve({ dashboard: "yes" as unknown as boolean }, runtime), "INVALID_OPTIONS");
});
