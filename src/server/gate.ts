// Who asks, and what they may: what the server needs of the part that reads tokens, and a gate that is open, for a server that
// is mounted behind its owner's own.
import { scopes, type Operation, type Scope } from "../contract/operations.ts";
import type { PlacementSpec } from "../index.ts";
import { SandboxNotFoundError } from "../model/errors.ts";
import { show } from "../model/show.ts";
import { randomName } from "../std/random.ts";
import { forbidden } from "./access/refusals.ts";

/** Whoever holds a token. */
export interface Caller {
  /** Names the token, and says nothing of its text. */
  readonly tokenId: string;
  readonly scope: Scope;
  /** What the sandboxes of this token belong to; null where it may use all. */
  readonly tenant: string | null;
  /** When the token ends, in milliseconds since the epoch: streams of events end with it. Default: never. */
  readonly expiresAt?: number;
}

/** What is the same of a spec, a fork, an import and a session, as far as it matters who asks. */
export interface Granted {
  readonly placement?: PlacementSpec;
  readonly profile?: string;
  readonly capabilities?: unknown;
}

/** A sandbox that is to be, or one whose limits are to change. */
export interface Need {
  readonly id: string;
  readonly memoryBytes: number;
}

/** Lets requests in, or throws. */
export interface Gate {
  /** It lets everybody in: a server with it listens for this machine alone. */
  readonly isOpen?: boolean;
  /** Throws `UNAUTHENTICATED`, or `QUOTA_EXCEEDED` where requests come too quickly. */
  authenticate(request: Request): Caller;
  /** Throws `FORBIDDEN` for what the scope or the tenant does not allow. */
  require(caller: Caller, operation: Operation): void;
  /** Whether a sandbox of this id, living or not, is the caller's to see. */
  ownsId(caller: Caller, id: string): boolean;
  /** Throws `SANDBOX_NOT_FOUND` for an id of another owner. */
  requireId(caller: Caller, id: string): void;
  /** The id of a sandbox to be made: the one that was given, which must be the caller's, or a new one. */
  newId(caller: Caller, given?: string): string;
  /** What is asked for, as the caller may have it. Throws `FORBIDDEN`. */
  admit<S extends Granted>(caller: Caller, asked: S): S;
  /** Counts runs; throws `QUOTA_EXCEEDED` where they are too many within a minute. */
  countEvaluations(caller: Caller, count?: number): void;
  /** Counts something that stays open until the returned function is called; throws `QUOTA_EXCEEDED`. */
  openStream(caller: Caller): () => void;
  /** Sets room aside for sandboxes, all of it or none; throws `QUOTA_EXCEEDED`. */
  reserve(
    caller: Caller,
    needs: readonly Need[],
    options?: { readonly atOnce?: number },
  ): Promise<{ release(): Promise<void> }>;
  /** What a sandbox takes of the quota of memory. */
  memoryOf(spec: { readonly limits?: unknown; readonly profile?: string | undefined }): number;
}

/** Everybody is this caller, without quotas. */
export function openGate(caller: Caller = { tokenId: "anyone", scope: "admin", tenant: null }): Gate {
  const owns: Gate["ownsId"] = ({ tenant }, id) => tenant === null || id.startsWith(`${tenant}:`);
  return {
    isOpen: true,
    authenticate: () => caller,
    require: checkScope,
    ownsId: owns,
    requireId: (by, id) => {
      if (!owns(by, id)) throw new SandboxNotFoundError(id);
    },
    newId: (by, given) => {
      const prefix = by.tenant === null ? "" : `${by.tenant}:`;
      if (given === undefined) return `${prefix}${randomName("sandbox")}`;
      if (given.startsWith(prefix)) return given;
      throw forbidden("use this id", `those of the token must begin with ${show(prefix)}`, show(given));
    },
    admit: ({ tenant }, asked) => {
      if (tenant === null) return asked;
      const { placement } = asked;
      if (placement?.tenant === undefined || placement.tenant === tenant)
        return { ...asked, placement: { ...placement, tenant } };
      throw forbidden("use placement.tenant", `it must be ${show(tenant)}`, show(placement.tenant));
    },
    countEvaluations: () => {},
    openStream: () => () => {},
    reserve: async () => ({ release: async () => {} }),
    memoryOf: () => 0,
  };
}

function checkScope({ scope, tenant }: Caller, operation: Operation): void {
  if (scopes.indexOf(scope) < scopes.indexOf(operation.scope))
    throw forbidden("do this", `the token must have the scope ${operation.scope}`, `the scope ${scope}`);
  if (operation.wholeRuntime === true && tenant !== null)
    throw forbidden("do this", "the token must be for the runtime as a whole", `one of ${show(tenant)}`);
}
