// Whose a sandbox is: each agent owns the ids that begin with its prefix, so that who may see what is told by the id alone.
import { createHash } from "node:crypto";
import type { Scope } from "../contract/operations.ts";
import { InvalidOptionsError } from "../model/errors.ts";
import { show } from "../model/show.ts";
import { randomName } from "../std/random.ts";

/** Who asks over HTTP, as the server authenticated it. */
export interface McpCaller {
  /** Names the token, and is not the token. */
  readonly tokenId: string;
  readonly scope: Scope;
  readonly tenant: string | null;
}

export interface Owner {
  /** What all of its ids begin with. */
  readonly prefix: string;
  /** Its sandboxes share no cell with those of another tenant. */
  readonly tenant: string;
  readonly scope: Scope;
  readonly caller: McpCaller;
}

/** The header in which agents that share a token say which of them they are. */
export const agentHeader = "vivarium-agent";

const labelForm = /^[A-Za-z0-9_-]{1,32}$/;
const hashLength = 12;

/** Admits the name that an agent gives itself or throws `INVALID_OPTIONS`. */
function readLabel(label: string, what: string): string {
  if (labelForm.test(label)) return label;
  throw new InvalidOptionsError(
    `Cannot use ${what} as it must be 1–32 of A–Z a–z 0–9 _ -: got ${show(label)}`,
    what,
  );
}

/**
 * The owner of a request. A session of a 2025-era client is an agent of its own; without one all requests of a token are one
 * agent's, unless they have labels. No two of these can be confused, as labels and hashes have no full stop in them.
 */
export function ownerOfCaller(caller: McpCaller, label: string | null, sessionId?: string): Owner {
  const own = label === null ? "" : readLabel(label, agentHeader);
  const session = sessionId === undefined ? "" : `.${hashOf(sessionId)}`;
  const name = `mcp-${hashOf(caller.tokenId)}${own === "" && session === "" ? "" : `.${own}`}${session}`;
  const { tenant, scope } = caller;
  return { ...placed(name, tenant), scope, caller };
}

/** The owner of a process that serves one agent. Without a name it is one that never comes again. */
export function ownerOfProcess(label: string | undefined, tenant: string | null): Owner {
  const own = label === undefined ? randomName("mcp") : `agent-${readLabel(label, "agent")}`;
  const caller: McpCaller = { tokenId: own, scope: "admin", tenant };
  return { ...placed(own, tenant), scope: "admin", caller };
}

function placed(name: string, tenant: string | null): Pick<Owner, "prefix" | "tenant"> {
  return tenant === null ? { prefix: `${name}:`, tenant: name } : { prefix: `${tenant}:${name}:`, tenant };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, hashLength);
}
