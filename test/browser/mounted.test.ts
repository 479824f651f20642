// The page below a path of somebody's own server, which takes the path away before it asks ours: all that the page loads and asks
// for is found there, and the token of a link opens it.
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  createServer as createPlainServer,
  request,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { browserTest, openPage } from "./support/browser.ts";
import { serveLive, tokens } from "./support/served.ts";

const prefix = "/vivarium/";
const live = await serveLive({ generations: 1 });

/** A server whose other paths are not ours, and the paths that it was asked for there. */
async function serveBelow(): Promise<{ readonly url: string; readonly strays: readonly string[] }> {
  const strays: string[] = [];
  const own = new URL(live.url);
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { url: path = "/", method, headers } = incoming;
    if (!path.startsWith(prefix)) {
      strays.push(path);
      return void outgoing.writeHead(404).end();
    }
    const asked = request(
      {
        ...{ host: own.hostname, port: own.port, method, path: path.slice(prefix.length - 1) },
        headers: { ...headers, host: own.host, ...(headers.origin && { origin: own.origin }) },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    asked.on("error", () => outgoing.destroy());
    outgoing.on("close", () => asked.destroy());
    incoming.pipe(asked);
  };
  const server = createPlainServer(pass).listen(0, "127.0.0.1");
  await once(server, "listening");
  after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo; // As it listens at a port.
  return { url: `http://127.0.0.1:${port}${prefix}`, strays };
}

browserTest("the page works below a path that another server takes away", async () => {
  const { url, strays } = await serveBelow();
  await using opened = await openPage({ url: `${url}#token=${tokens.admin.token}` });
  const { page } = opened;
  await page.getByText("● live").waitFor();
  assert.ok(page.url().startsWith(`${url}#/`), page.url());
  assert.ok(!page.url().includes(tokens.admin.token), page.url());
  // Pages of individuals and events: a generation that comes while it is open.
  const ids = await live.evolve();
  await page.evaluate(`location.hash = "#/events?q=${ids[7]}"`);
  await page.getByText("fitness.computed").first().waitFor();
  // A part of the page that is loaded when it is needed, and an action.
  await page.evaluate(`location.hash = "#/sandboxes/${ids[5]}?tab=code"`);
  await page.getByText("It multiplies.").first().waitFor();
  // The token is kept for the tab.
  await page.reload();
  await page.getByText("● live").waitFor();
  assert.deepEqual(
    strays.filter((path) => path !== "/favicon.ico"),
    [],
  );
  opened.assertQuiet({ except: [/favicon/] });
});
