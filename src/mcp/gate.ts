// What bounds a caller beyond the bounds of an agent: the quotas, profiles and capabilities of its token, as a server's gate knows
// them.
import type { PlacementSpec } from "../index.ts";
import type { McpCaller } from "./owner.ts";

/** A sandbox that is to be made. */
export interface McpNeed {
  readonly id: string;
  readonly memoryBytes: number;
}

interface Asked {
  readonly placement?: PlacementSpec;
  readonly profile?: string;
}

export interface McpGate {
  /** What is asked for, as the token lets the caller have it. Throws `FORBIDDEN`. */
  admit<S extends Asked>(caller: McpCaller, asked: S): S;
  /** Counts runs; throws `QUOTA_EXCEEDED` where they are too many within a minute. */
  countEvaluations(caller: McpCaller, count?: number): void;
  /** Counts something that stays open until the returned function is called; throws `QUOTA_EXCEEDED`. */
  openStream(caller: McpCaller): () => void;
  /** Sets room aside for sandboxes, all of it or none; throws `QUOTA_EXCEEDED`. */
  reserve(
    caller: McpCaller,
    needs: readonly McpNeed[],
    options?: { readonly atOnce?: number },
  ): Promise<{ release(): Promise<void> }>;
  /** What a sandbox takes of the quota of memory. */
  memoryOf(spec: { readonly limits?: unknown; readonly profile?: string | undefined }): number;
}

/** Of a process that serves one agent: nothing bounds it but the runtime. */
export const openGate: McpGate = {
  admit: (_caller, asked) => asked,
  countEvaluations: () => {},
  openStream: () => () => {},
  reserve: async () => ({ release: async () => {} }),
  memoryOf: () => 0,
};
