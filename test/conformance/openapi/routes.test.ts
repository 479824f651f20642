// The routes of the server and its document are the same, in both directions.
import { Hono } from "hono";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiDocument } from "../../../src/contract/document.ts";
import { addRoutes, type AppParts } from "../../../src/server/app.ts";

test("the server has a route for each operation of the document, and no other", () => {
  const app = new Hono();
  // Routes are only added; none is asked for anything.
  addRoutes(app, {} as unknown as AppParts);
  // What answers any method says which there are.
  const routes = app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  const { paths } = openApiDocument() as { readonly paths: Readonly<Record<string, object>> };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual([...new Set(routes)].toSorted(), documented.toSorted());
  assert.equal(routes.length, documented.length);
  const open = app.routes.filter(({ method }) => method === "ALL").map(({ path }) => path);
  assert.deepEqual(
    open.map((path) => path.replaceAll(/:(\w+)/g, "{$1}")).toSorted(),
    Object.keys(paths).toSorted(),
  );
});
