// The last that was written down of a sandbox's processes: what they begin with when their isolate is made anew.
import { InvalidOptionsError } from "../../model/errors.ts";
import { isStateCapture, type StateCapture } from "../../model/process.ts";
import { show } from "../../model/show.ts";

type Server = StateCapture["servers"][number];

/** What others may know of it. */
export type CheckpointView = Pick<Checkpoint, "isThere" | "changes" | "toCapture" | "toText">;

export class Checkpoint {
  #servers = new Map<string, Server>();
  #children: StateCapture["children"] = [];
  #isThere = false;
  #changes = 0;

  /** How often it has changed by what the processes did or were given. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether anything was written down at all. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** Takes all, or what changed: a capture without children leaves the tree as it is. */
  take(text: string): void {
    this.#changes++;
    this.#put(text);
  }

  /** As `take`, until what is returned is called: then the servers in it are as they were, and others as they are. */
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

  /** Takes a capture that was asked for when there were so many changes. Where there are more by now, it is out of date. */
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

  /** As a sandbox is given it; empty where there is nothing. */
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

// A cell's word: what is no capture, whole or in part, is nothing.
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
