// A capability: something that the host does for guests that were granted it, by name. Off unless granted.
import type { CapabilityQuota, GrantInfo } from "../model/sandboxes/sandbox-info.ts";

/** Which sandbox asks, and until when an answer is wanted. */
export interface CapabilityContext {
  readonly sandboxId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Aborted when the time is up, or the sandbox that asked is gone. */
  readonly signal: AbortSignal;
  /** Aborted when the isolate that asked is gone: for what outlasts the call. */
  readonly lifetime: AbortSignal;
}

/** Looks at a value: true when it is good, or what it must be. Also any schema that keeps to Standard Schema. */
export type Check = ((value: unknown) => boolean | string | Promise<boolean | string>) | StandardSchema;

/** The part of Standard Schema that is used here. */
export interface StandardSchema {
  readonly "~standard": {
    readonly validate: (value: unknown) => StandardSchemaResult | Promise<StandardSchemaResult>;
  };
}

export type StandardSchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** Does something for a guest. What it throws stays here, but for a `CapabilityRefusal`, whose message the guest may read. */
export type CapabilityFunction = (args: readonly unknown[], context: CapabilityContext) => unknown;

export interface Capability {
  /** The function, which runs here, on the host. */
  readonly run: CapabilityFunction;
  /** What the list of arguments must be. */
  readonly args?: Check;
  /** What the result must be. */
  readonly result?: Check;
  /** How long one call may take. Default: 5,000. */
  readonly timeoutMs?: number;
  /** How long an encoded result may be. Default: 1 MiB. */
  readonly resultBytes?: number;
}

/** A refusal whose message is meant for the guest. */
export class CapabilityRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CapabilityRefusal";
  }
}

/** The guest is gone that waited for an answer: nothing failed. */
export class Abandoned extends Error {}

/** The guest itself wants no answer any more: nothing failed. */
export class Withdrawn extends Error {}

/** One grant with what was used of it. */
export interface Grant {
  readonly quota: CapabilityQuota;
  calls: number;
  bytes: number;
  open: number;
}

/** What one sandbox was granted. */
export class GrantUsage {
  readonly grants: ReadonlyMap<string, Grant>;
  /** Calls under way. */
  readonly underway: Set<AbortController> = new Set();
  /** The name of the granted capability that serves the guest's `fetch`. */
  readonly fetchBy: string | undefined;
  #life: AbortController | undefined;

  constructor(
    quotas: ReadonlyMap<string, CapabilityQuota> = new Map(),
    fetchNames: ReadonlySet<string> = new Set(),
  ) {
    this.fetchBy = [...quotas.keys()].find((name) => fetchNames.has(name));
    this.grants = new Map(
      [...quotas].map(([name, quota]) => [name, { quota, calls: 0, bytes: 0, open: 0 }] as const),
    );
  }

  /** The same grants, unused. */
  renewed(): ReadonlyMap<string, CapabilityQuota> {
    return new Map([...this.grants].map(([name, { quota }]) => [name, quota] as const));
  }

  /** Aborted when what is under way is ended, for what outlasts a call. */
  get lifetime(): AbortSignal {
    return (this.#life ??= new AbortController()).signal;
  }

  /** Ends what is under way: no guest waits for it any more. */
  abandon(reason: string): void {
    for (const controller of this.underway) controller.abort(new Abandoned(reason));
    this.underway.clear();
    this.#life?.abort(new Error(reason));
    this.#life = undefined;
  }

  toInfo(): Readonly<Record<string, GrantInfo>> {
    return Object.fromEntries(
      [...this.grants].map(([name, { quota, calls, bytes }]) => [name, { quota, calls, bytes }] as const),
    );
  }
}
