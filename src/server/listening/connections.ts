// The connections of a server: how many there may be, which are busy, and which are given up as their reader takes nothing.
import type { Server as NodeServer } from "node:http";
import type { Socket } from "node:net";
import type { RefusalReason } from "../guard/guard.ts";
import { bare } from "../guard/addresses.ts";
import type { ReadListenOptions } from "./options.ts";

type Refuse = (reason: RefusalReason, status: number, remote: string) => void;

export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #byRemote = new Map<string, number>();
  readonly #busy = new Map<Socket, number>();
  readonly #bounds: ReadListenOptions["bounds"];
  readonly #refuse: Refuse;

  constructor(server: NodeServer, bounds: ReadListenOptions["bounds"], refuse: Refuse) {
    this.#bounds = bounds;
    this.#refuse = refuse;
    server.maxConnections = bounds.connections;
    server.on("connection", (socket: Socket) => this.#add(socket));
    server.on("drop", (data) => refuse("connections", 0, data?.remoteAddress ?? ""));
    // Node tells of a connection on which nothing has moved for `stallMs`, and leaves it alone where somebody listens.
    server.timeout = bounds.stallMs;
    server.on("timeout", (socket: Socket) => this.#onIdle(socket));
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** Requests that are not answered yet. */
  get requests(): number {
    let sum = 0;
    for (const count of this.#busy.values()) sum += count;
    return sum;
  }

  /** A request is under way on this connection until the returned function is called. */
  begin(socket: Socket): () => void {
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    return () => {
      const left = (this.#busy.get(socket) ?? 1) - 1;
      if (left > 0) this.#busy.set(socket, left);
      else this.#busy.delete(socket);
    };
  }

  /** Ends all of them; the signals of their requests are aborted. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #add(socket: Socket): void {
    const remote = bare(socket.remoteAddress ?? "");
    const open = this.#byRemote.get(remote) ?? 0;
    if (open >= this.#bounds.connectionsPerRemote) {
      socket.destroy();
      this.#refuse("connections", 0, remote);
      return;
    }
    this.#byRemote.set(remote, open + 1);
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#busy.delete(socket);
      const left = (this.#byRemote.get(remote) ?? 1) - 1;
      if (left > 0) this.#byRemote.set(remote, left);
      else this.#byRemote.delete(remote);
    });
  }

  #onIdle(socket: Socket): void {
    const isStalled = socket.writableLength > 0;
    if (isStalled) this.#refuse("stalled", 0, bare(socket.remoteAddress ?? ""));
    // A request whose answer is still being made may take as long as it does.
    if (isStalled || !this.#busy.has(socket)) socket.destroy();
    else socket.setTimeout(this.#bounds.stallMs);
  }
}
