// What is just outside of a guest's reach: a file beside the folder that is open, a server beside the one that is.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reached } from "./programs/escape.ts";

/** The addresses and paths that guests get. */
export interface Places {
  /** The origin of the server that may be used, and that redirects on request. */
  readonly open: string;
  /** The host and port of the server that may not be used. */
  readonly closed: string;
  /** Holds secrets, and the folder `tree`. */
  readonly folder: string;
}

export interface Setup extends AsyncDisposable {
  readonly places: Places;
}

export async function openStage(): Promise<Setup> {
  const folder = mkdtempSync(join(tmpdir(), "vivarium-escapes-"));
  mkdirSync(join(folder, "tree"));
  writeFileSync(join(folder, "tree", "a.txt"), "a page");
  for (const name of ["secret.txt", "secret.key"])
    writeFileSync(join(folder, name), `${reached} a file of the host's`);
  const closed = await listen((_, response) => response.end(`${reached} a server of the host's`));
  const open = await listen(({ url = "" }, response) => {
    const target = url.split("?to=")[1];
    if (target === undefined) response.end("a page");
    else response.writeHead(302, { location: decodeURIComponent(target) }).end();
  });
  return {
    places: { open: `http://${addressOf(open)}`, closed: addressOf(closed), folder },
    [Symbol.asyncDispose]: async () => {
      for (const each of [closed, open]) each.close().closeAllConnections();
      rmSync(folder, { recursive: true });
    },
  };
}

async function listen(answer: RequestListener): Promise<Server> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  return server;
}

function addressOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `${address}:${port}`;
}
