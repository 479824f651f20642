// The least that hono on Node costs: a server that answers with a part of what it was sent.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { answer } from "../peers/child.ts";

const app = new Hono();
app.post("/echo", async (context) => {
  const { args } = await context.req.json<{ readonly args: readonly number[] }>();
  return context.json({ ok: true, value: (args[0] ?? 0) * 2 });
});

answer({
  listen: () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => resolve(port));
    return promise;
  },
});
