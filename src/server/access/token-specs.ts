// Tokens as whoever starts a server gives them: their fields, checked and complete.
import { createHash } from "node:crypto";
import { scopes, type Scope } from "../../contract/operations.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import {
  at,
  custom,
  fields,
  integer,
  isTexts,
  leaf,
  oneOf,
  optional,
  refuseOption,
  required,
  type Leaf,
  type Schema,
  type Shape,
} from "../../model/schema.ts";
import { show } from "../../model/show.ts";

/** What the tokens of one owner may use; what is left out has no bound but those of the runtime. */
export interface Quotas {
  /** Sandboxes at a time, of its tenant or, without a tenant, of the runtime. */
  readonly sandboxes?: number;
  /** The sum of their `memoryBytes`. */
  readonly memoryBytes?: number;
  /** Calls, runs, parts of streams and items of batches within a minute. */
  readonly evaluationsPerMinute?: number;
  /** Requests within a minute. */
  readonly requestsPerMinute?: number;
  /** Event streams, streams of guests, sessions and answers in lines at a time. Default: 64. */
  readonly openStreams?: number;
}

/** One token and what it allows. */
export interface TokenSpec {
  /** The token itself, at least 16 letters, digits or - . _ ~ + /; either this or `sha256`. */
  readonly token?: string;
  /** Instead of the token: its SHA-256 in hexadecimal digits. */
  readonly sha256?: string;
  /** How logs and answers name it. Default: `token-` and its place in the list. */
  readonly name?: string;
  /** What it may do: each of read, evaluate, admin includes those before it. */
  readonly scope: Scope;
  /** Whose sandboxes it may use: those whose ids begin with this name and a colon. Default: all. */
  readonly tenant?: string;
  /** When it ends: milliseconds since the epoch, or a date as in 2030-01-31T00:00:00Z. Default: never. */
  readonly expiresAt?: number | string;
  /** Default: no quotas, but for the open streams. */
  readonly quotas?: Quotas;
  /** The capabilities that its sandboxes may be granted. Default: all of the runtime. */
  readonly capabilities?: readonly string[];
  /** The profiles that its sandboxes may have; the first is that of those that name none. Default: all of the runtime. */
  readonly profiles?: readonly string[];
}

/** A quota for each, or null where there is none. */
export type CompleteQuotas = { readonly [K in keyof Required<Quotas>]: number | null };

/** A token as the server has it: without its text. */
export interface Token {
  readonly id: string;
  readonly digest: Buffer;
  readonly scope: Scope;
  readonly tenant: string | null;
  readonly expiresAtMs: number;
  readonly quotas: CompleteQuotas;
  readonly capabilities: readonly string[] | null;
  readonly profiles: readonly string[] | null;
}

const tokensMax = 1_000;
const tokenForm = /^[A-Za-z0-9._~+/-]{16,1024}=*$/;
const digestForm = /^[0-9a-fA-F]{64}$/;
const nameForm = /^[A-Za-z0-9._-]{1,64}$/;
const nameRule = "1–64 of A–Z a–z 0–9 . _ -";
const openStreamsUsual = 64;
const countMax = Number.MAX_SAFE_INTEGER;
const rateMax = 1_000_000_000;

const quotaOptions = fields({
  sandboxes: integer({ min: 0, max: countMax }),
  memoryBytes: integer({ min: 0, max: countMax }),
  evaluationsPerMinute: integer({ min: 1, max: rateMax }),
  requestsPerMinute: integer({ min: 1, max: rateMax }),
  openStreams: integer({ min: 0, max: 100_000, default: openStreamsUsual }),
} satisfies Shape<Quotas>);

// What was given instead of a token is not shown: it may be one that was mistyped.
const secret = (form: RegExp, rule: string): Schema<string | undefined> =>
  custom((value, path) => {
    if (value === undefined || (typeof value === "string" && form.test(value))) return value;
    const got = typeof value === "string" ? `a text of ${value.length} characters` : show(typeof value);
    throw new InvalidOptionsError(`Cannot use ${path} as it must be ${rule}: got ${got}`, path);
  });

const name: Leaf<string | undefined> = leaf({
  kind: "name",
  verb: "use",
  rule: nameRule,
  accepts: (value) => typeof value === "string" && nameForm.test(value),
});

const moment: Schema<number> = custom((value, path, refuse = refuseOption) => {
  if (value === undefined) return Infinity;
  const ms = typeof value === "string" ? Date.parse(value) : value;
  if (typeof ms === "number" && Number.isFinite(ms)) return ms;
  throw refuse({ verb: "use", path, rule: "milliseconds since the epoch, or an ISO 8601 date", got: value });
});

const allowed: Schema<readonly string[] | undefined> = optional(
  custom((value, path, refuse = refuseOption) => {
    if (isTexts(value)) return Object.freeze([...value]);
    throw refuse({ verb: "set", path, rule: "a list of names", got: value });
  }),
);

const tokenOptions = fields({
  token: secret(tokenForm, "16–1,024 of A–Z a–z 0–9 - . _ ~ + /"),
  sha256: secret(digestForm, "64 hexadecimal digits"),
  name,
  scope: required(oneOf(scopes)),
  tenant: name,
  expiresAt: moment,
  quotas: at("quotas", quotaOptions),
  capabilities: allowed,
  profiles: allowed,
} satisfies Shape<TokenSpec>);

/** The tokens of a list; throws `INVALID_OPTIONS` without ever showing one of them. */
export function readTokens(given: unknown, path = "tokens"): readonly Token[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > tokensMax) {
    const got = Array.isArray(given) ? `a list of ${given.length}` : show(given);
    const message = `Cannot use ${path} as it must be a list of 1–${tokensMax} tokens: got ${got}`;
    throw new InvalidOptionsError(message, path);
  }
  const tokens = Array.from(given, (spec, index) => readToken(spec, path, index));
  refuseTwice(tokens, path);
  return Object.freeze(tokens);
}

function readToken(spec: unknown, path: string, index: number): Token {
  const place = `${path}[${index}]`;
  const read = tokenOptions.read(spec ?? null, place);
  const { token, sha256, scope, tenant = null, profiles = null, capabilities = null } = read;
  if ((token === undefined) === (sha256 === undefined)) {
    const got = token === undefined ? "neither" : "both";
    throw new InvalidOptionsError(
      `Cannot use ${place} as it must have either token or sha256: got ${got}`,
      place,
    );
  }
  if (profiles?.length === 0) {
    throw new InvalidOptionsError(
      `Cannot use ${place}.profiles as it must not be empty: it is`,
      `${place}.profiles`,
    );
  }
  return Object.freeze({
    id: read.name ?? `token-${index + 1}`,
    digest: token === undefined ? Buffer.from(sha256 ?? "", "hex") : digestOf(token),
    scope,
    tenant,
    expiresAtMs: read.expiresAt,
    quotas: completeQuotas(read.quotas, { isBounded: tenant !== null || wasGiven(spec, "quotas") }),
    capabilities,
    profiles,
  });
}

// Ids name tokens in logs and keep the streams and keys of one apart from those of the others.
function refuseTwice(tokens: readonly Token[], path: string): void {
  for (const [what, keyOf] of [
    ["names", ({ id }: Token) => id],
    ["tokens", ({ digest }: Token) => digest.toString("hex")],
  ] as const) {
    if (new Set(tokens.map(keyOf)).size === tokens.length) continue;
    const message = `Cannot use ${path} as its ${what} must differ: two are equal`;
    throw new InvalidOptionsError(message, path);
  }
}

/** What is compared: never the text itself. */
export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}

function completeQuotas(
  given: { readonly [K in keyof Required<Quotas>]: number | undefined },
  { isBounded }: { readonly isBounded: boolean },
): CompleteQuotas {
  const { sandboxes = null, memoryBytes = null } = given;
  const { evaluationsPerMinute = null, requestsPerMinute = null } = given;
  const openStreams = isBounded ? (given.openStreams ?? null) : null;
  return Object.freeze({ sandboxes, memoryBytes, evaluationsPerMinute, requestsPerMinute, openStreams });
}

function wasGiven(spec: unknown, option: string): boolean {
  return typeof spec === "object" && spec !== null && option in spec;
}
