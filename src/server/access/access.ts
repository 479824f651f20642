// Who asks, and what may be asked for: tokens, scopes, tenants and quotas, in one place for every operation.
import { timingSafeEqual } from "node:crypto";
import { LocalRuntime } from "../../api/handles/local-runtime.ts";
import { scopes, type Operation, type Scope } from "../../contract/operations.ts";
import type { PlacementSpec } from "../../index.ts";
import { SandboxNotFoundError, VivariumError } from "../../model/errors.ts";
import { defaultLimits } from "../../model/limits.ts";
import { isRecord, readGiven } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import type { Clock } from "../../std/clock.ts";
import { randomName, randomSecret } from "../../std/random.ts";
import type { Need } from "./account.ts";
import { Ledger, type Counted, type Reservation, type ReserveOptions } from "./ledger.ts";
import { Rate } from "./rate.ts";
import { forbidden, QuotaExceededError } from "./refusals.ts";
import { digestOf, readTokens, type CompleteQuotas, type Token, type TokenSpec } from "./token-specs.ts";

export interface AccessOptions {
  /** Who may use the server. Default: one token that may do everything, made up and told once. */
  readonly tokens?: readonly TokenSpec[] | undefined;
}

/** Whose request it is, once its token is known. */
export interface Caller {
  /** Names the token in logs; never the token. */
  readonly tokenId: string;
  readonly scope: Scope;
  readonly tenant: string | null;
  /** When its token ends. */
  readonly expiresAt: number;
  readonly quotas: CompleteQuotas;
  /** The capabilities that it may grant; null for all. */
  readonly capabilities: readonly string[] | null;
  /** The profiles that it may name, the usual one first; null for all. */
  readonly profiles: readonly string[] | null;
}

/** What is the same of a spec, a fork, an import and a session, as far as it matters who asks. */
export interface Asked {
  readonly placement?: PlacementSpec;
  readonly profile?: string;
  readonly capabilities?: unknown;
}

const bearerForm = /^Bearer +([A-Za-z0-9._~+/-]{1,1024}=*)$/i;

interface Use {
  readonly caller: Caller;
  readonly requests: Rate | null;
  readonly evaluations: Rate | null;
  openStreams: number;
}

export class Access {
  readonly #clock: Clock;
  readonly #tokens: readonly Token[];
  readonly #uses = new Map<string, Use>();
  #ledger: Ledger | undefined;
  #runtime: Counted | undefined;
  /** The token that was made up, where none was given. */
  readonly generatedToken: string | null;

  constructor(given: AccessOptions, clock: Clock) {
    const options: { readonly tokens?: unknown } = readGiven(given, "access", ["tokens"]);
    this.#clock = clock;
    this.generatedToken = options.tokens === undefined ? randomSecret() : null;
    this.#tokens = readTokens(
      this.generatedToken === null
        ? options.tokens
        : [{ token: this.generatedToken, name: "admin", scope: "admin" }],
    );
    for (const token of this.#tokens) this.#uses.set(token.id, useOf(token, clock));
  }

  /** Counts the sandboxes of this runtime from now on. */
  attach(runtime: Counted): void {
    this.#ledger?.close();
    this.#runtime = runtime;
    const counted = this.#tokens.filter(
      ({ quotas }) => quotas.sandboxes !== null || quotas.memoryBytes !== null,
    );
    this.#ledger = new Ledger(new Set(counted.map(({ tenant }) => tenant)), runtime);
  }

  /** Ends what `attach` began; quotas of sandboxes are no longer looked at. */
  close(): void {
    this.#ledger?.close();
  }

  /**
   * Whose token the request has. Throws `UNAUTHENTICATED`, in the same words for a token that is missing, unknown or over, and
   * `QUOTA_EXCEEDED` where its requests come too quickly.
   */
  authenticate(request: { readonly headers: Headers }): Caller {
    const { caller, requests } = this.#useOf(request.headers.get("authorization"));
    const waitMs = requests?.take(1) ?? 0;
    if (waitMs > 0) throw tooMany("requests", requests, waitMs);
    return caller;
  }

  #useOf(header: string | null): Use {
    const [, given = ""] = bearerForm.exec(header ?? "") ?? [];
    const digest = digestOf(given);
    let found: Token | undefined;
    // Every token is compared, and each in the same time.
    for (const token of this.#tokens) if (timingSafeEqual(token.digest, digest)) found = token;
    const use = found === undefined ? undefined : this.#uses.get(found.id);
    if (found !== undefined && use !== undefined && this.#clock.now() < found.expiresAtMs) return use;
    throw new VivariumError(
      "UNAUTHENTICATED",
      "Cannot serve the request as it must have a valid token, as in Authorization: Bearer TOKEN: it has none that is known and not over",
    );
  }

  /** Whether the scope and the tenant allow an operation; throws `FORBIDDEN`. */
  require(caller: Caller, operation: Pick<Operation, "scope" | "wholeRuntime">): void {
    if (scopes.indexOf(caller.scope) < scopes.indexOf(operation.scope)) {
      throw forbidden(
        "do this",
        `the token must have the scope ${operation.scope}`,
        `the scope ${caller.scope}`,
      );
    }
    if (operation.wholeRuntime === true && caller.tenant !== null) {
      throw forbidden(
        "do this",
        "the token must be for the runtime as a whole",
        `one of tenant ${caller.tenant}`,
      );
    }
  }

  /** Whether a sandbox of this id, living or not, is the caller's to see. */
  ownsId(caller: Caller, id: string): boolean {
    return caller.tenant === null || id.startsWith(`${caller.tenant}:`);
  }

  /** Throws `SANDBOX_NOT_FOUND` for an id of another owner, just as for one that is not there. */
  requireId(caller: Caller, id: string): void {
    if (!this.ownsId(caller, id)) throw new SandboxNotFoundError(id);
  }

  /** The id of a sandbox to be made: the one that was given, which must be the caller's, or a new one. */
  newId(caller: Caller, given?: string): string {
    const prefix = caller.tenant === null ? "" : `${caller.tenant}:`;
    if (given === undefined) return `${prefix}${randomName("sandbox")}`;
    if (given.startsWith(prefix)) return given;
    throw forbidden("use this id", `those of the token must begin with ${show(prefix)}`, show(given));
  }

  /**
   * What is asked for, as the caller may have it: with its tenant and its usual profile. Throws `FORBIDDEN` for another tenant,
   * and for a profile or a capability that the token does not allow.
   */
  admit<S extends Asked>(caller: Caller, asked: S): S {
    const { tenant, profiles, capabilities } = caller;
    const { placement, profile = profiles?.[0] } = asked;
    if (tenant !== null && placement?.tenant !== undefined && placement.tenant !== tenant)
      throw forbidden(
        "use placement.tenant",
        `it must be that of the token, ${tenant}`,
        show(placement.tenant),
      );
    if (profiles !== null && profile !== undefined && !profiles.includes(profile))
      throw forbidden("use profile", `the token allows ${profiles.join(", ")}`, show(profile));
    const refused =
      capabilities === null
        ? undefined
        : grantedBy(asked.capabilities).find((name) => !capabilities.includes(name));
    if (refused !== undefined) {
      const rule = capabilities?.length === 0 ? "none" : capabilities?.join(", ");
      throw forbidden("grant a capability", `the token allows ${rule}`, show(refused));
    }
    return {
      ...asked,
      ...(tenant !== null && { placement: { ...placement, tenant } }),
      ...(profile !== undefined && { profile }),
    };
  }

  /** Counts calls, runs, parts or items; throws `QUOTA_EXCEEDED` where they are too many within a minute: then none is counted. */
  countEvaluations(caller: Caller, count = 1): void {
    const rate = this.#uses.get(caller.tokenId)?.evaluations ?? null;
    const waitMs = rate?.take(count) ?? 0;
    if (waitMs > 0) throw tooMany("evaluations", rate, waitMs);
  }

  /** Counts an event stream, a stream of a guest, a session or an answer in lines until the returned function is called. */
  openStream(caller: Caller): () => void {
    const use = this.#uses.get(caller.tokenId);
    const { openStreams: most } = caller.quotas;
    if (use === undefined) return () => {};
    if (most !== null && use.openStreams >= most) {
      const message = `Cannot open another stream as there must be at most ${most} open ones (the token's quota): they are`;
      throw new QuotaExceededError(message, null);
    }
    use.openStreams++;
    let isOpen = true;
    return () => {
      if (isOpen) use.openStreams--;
      isOpen = false;
    };
  }

  /**
   * Sets room aside for sandboxes, all of it or none; throws `QUOTA_EXCEEDED`. To be released when they are made, or are not. An id
   * that lives already counts only with what it is to become.
   */
  async reserve(caller: Caller, needs: readonly Need[], options?: ReserveOptions): Promise<Reservation> {
    const by = { owner: caller.tenant, quotas: caller.quotas };
    return (await this.#ledger?.reserve(by, needs, options)) ?? { release: async () => {} };
  }

  /** What a sandbox takes of the quota of memory: what its spec says, or what it has under its profile. */
  memoryOf(spec: { readonly limits?: unknown; readonly profile?: string | undefined }): number {
    const own = isRecord(spec.limits) ? spec.limits["memoryBytes"] : undefined;
    if (typeof own === "number" && own >= 0) return own;
    const runtime = this.#runtime;
    const usual = runtime === undefined ? undefined : LocalRuntime.usualLimits(runtime, spec.profile);
    return (usual ?? defaultLimits).memoryBytes;
  }
}

function useOf(token: Token, clock: Clock): Use {
  const { id: tokenId, scope, tenant, expiresAtMs: expiresAt, quotas, capabilities, profiles } = token;
  const { requestsPerMinute, evaluationsPerMinute } = quotas;
  return {
    caller: Object.freeze({ tokenId, scope, tenant, expiresAt, quotas, capabilities, profiles }),
    requests: requestsPerMinute === null ? null : new Rate(requestsPerMinute, clock),
    evaluations: evaluationsPerMinute === null ? null : new Rate(evaluationsPerMinute, clock),
    openStreams: 0,
  };
}

function tooMany(what: string, rate: Rate | null, waitMs: number): QuotaExceededError {
  const rule = `there must be at most ${rate?.perMinute ?? 0} ${what} within a minute (the token's quota)`;
  if (waitMs === Infinity) {
    const message = `Cannot do so many at a time as ${rule}: these are more, divide them`;
    return new QuotaExceededError(message, null);
  }
  const message = `Cannot go on as ${rule}: the next is possible in ${Math.ceil(waitMs / 1_000)} s`;
  return new QuotaExceededError(message, waitMs);
}

// Names, or quotas by name; what is neither is refused by the runtime itself.
function grantedBy(capabilities: unknown): readonly string[] {
  if (Array.isArray(capabilities)) return capabilities.map(String);
  return isRecord(capabilities) ? Object.keys(capabilities) : [];
}
