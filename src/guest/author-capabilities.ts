// The "./capabilities" entry: the capabilities that guests import by name, as their authors' editors see them. Only the host
// knows which there are: those of the presets are declared here, and all others where they are used, by an augmentation of this
// module. Inside a sandbox every name gives a function; outside, those that are declared here throw an error that says so.

/** A capability as a guest calls it. Without types of its own it takes and gives anything. */
export type CapabilityFunction<Args extends readonly unknown[] = readonly unknown[], Result = unknown> = (
  ...args: Args
) => Promise<Result>;

/** What a guest catches where a capability fails. */
export interface CapabilityError extends Error {
  readonly name: "CapabilityError";
  readonly code: "denied" | "invalid" | "refused" | "failed" | "timeout";
  /** The name of the capability. */
  readonly capability: string;
}

/** What `fetch` gives, where the host grants `fetchCapability`. */
export interface FetchedPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A page of an origin that the host allows. For sandboxes that are granted `fetchCapability` under this name. */
export function fetch(_url: string): Promise<FetchedPage> {
  return outside("fetch");
}

/** Reads a tree of files that the host provides. For sandboxes that are granted `filesCapability` under this name. */
export function files(verb: "read", path: string): Promise<string | Uint8Array>;
export function files(verb: "list", folder: string): Promise<string[]>;
export function files(verb: "has", path: string): Promise<boolean>;
export function files(_verb: "read" | "list" | "has", _path: string): Promise<unknown> {
  return outside("files");
}

// Rejects, as a capability does.
function outside(name: string): Promise<never> {
  const message = `Cannot use ${name} here as it must be called inside a sandbox: this is the host`;
  return Promise.reject(new TypeError(message));
}
