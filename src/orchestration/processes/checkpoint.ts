// The last that was written down of a sandbox's processes: what they begin with when their isolate is made anew.
import { InvalidOptionsError } from "../../model/errors.ts";
import { isStateCapture, type StateCapture } from "../../model/process.ts";
import { show } from "../../model/show.ts";

type Server = StateCapture["servers"][number];

/** What others may know of it. */
export type CheckpointView = Pick<Checkpoint, "isThere" | "toCapture" | "toText">;

export class Checkpoint {
  #servers = new Map<string, Server>();
  #children: StateCapture["children"] = [];
  #isThere = false;

  /** Whether anything was written down at all. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** Takes all, or what changed: a capture without children leaves the tree as it is. */
  take(text: string): void {
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

  /** Takes exactly this, or nothing where the text is empty. */
  replace(text: string): void {
    this.#servers = new Map();
    this.#children = [];
    this.#isThere = false;
    if (text !== "") this.take(text);
  }

  toCapture(): StateCapture {
    return { servers: [...this.#servers.values()], children: this.#children };
  }

  /** As a sandbox is given it; empty where there is nothing. */
  toText(): string {
    return this.#isThere ? JSON.stringify(this.toCapture()) : "";
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
