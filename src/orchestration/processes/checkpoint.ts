// The states of a sandbox's processes as they were last captured: they begin with them when their isolate is made anew.
import { InvalidOptionsError } from "../../model/errors.ts";
import { isStateCapture, type StateCapture } from "../../model/sandboxes/process.ts";
import { show } from "../../model/show.ts";

type Server = StateCapture["servers"][number];

/** What others may read of it. */
export type CheckpointView = Pick<Checkpoint, "isThere" | "changes" | "toCapture" | "toText">;

export class Checkpoint {
  #servers = new Map<string, Server>();
  #children: StateCapture["children"] = [];
  #isThere = false;
  #changes = 0;

  /** How often it has changed, other than by a refresh. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether anything was captured at all. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** Takes a whole capture, or one in part: without children it changes only the servers that it names. */
  take(text: string): void {
    this.#changes++;
    this.#put(text);
  }

  /** As `take`. The returned function takes back the servers in it, and leaves others as they are. */
  tryOut(text: string): () => void {
    const old = (read(text)?.servers ?? []).map(({ path }) => [path, this.#servers.get(path)] as const);
    this.take(text);
    return () => {
      this.#changes++;
      for (const [path, server] of old)
        if (server === undefined) this.#servers.delete(path);
        else this.#servers.set(path, server);
    };
  }

  /** Takes a capture that was requested after so many changes; where there are more by now, it is out of date. */
  refresh(text: string, changes: number): void {
    if (changes === this.#changes) this.#put(text);
  }

  /** Takes exactly this, or nothing where the text is empty. */
  replace(text: string): void {
    this.#servers = new Map();
    this.#children = [];
    this.#isThere = false;
    this.#changes++;
    if (text !== "") this.#put(text);
  }

  toCapture(): StateCapture {
    return { servers: [...this.#servers.values()], children: this.#children };
  }

  /** As it is sent to a cell; empty where there is nothing. */
  toText(): string {
    return this.#isThere ? JSON.stringify(this.toCapture()) : "";
  }

  #put(text: string): void {
    const capture = read(text);
    if (capture === undefined) return;
    const { servers, children } = capture;
    if (children !== undefined) {
      this.#children = children;
      this.#servers = new Map();
    }
    for (const server of servers ?? []) this.#servers.set(server.path, server);
    this.#isThere = true;
  }
}

// From a cell: what is no capture, whole or in part, is ignored.
function read(text: string): Partial<StateCapture> | undefined {
  try {
    const value = JSON.parse(text) as Partial<StateCapture>;
    return isStateCapture({ servers: [], children: [], ...value }) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The capture that a value is; throws `INVALID_OPTIONS` for what is none. */
export function checkCapture(value: unknown): StateCapture {
  if (isStateCapture(value)) return value;
  throw new InvalidOptionsError(
    `Cannot restore the state as it must be a capture: got ${show(value)}`,
    "capture",
  );
}
