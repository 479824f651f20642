// What some runs are about: few operations that get in each other's way, and what makes that worse. Everything at once, as
// in the other runs, meets the same pairs too seldom.
import type { OperationName, Plan } from "./plan.ts";
import type { ExportName } from "./program.ts";
import type { TroubleName } from "./trouble.ts";

export interface Theme {
  readonly operations: readonly OperationName[];
  readonly troubles: readonly TroubleName[];
  readonly exports?: readonly ExportName[];
  readonly shares?: Partial<Plan["shares"]>;
  readonly cells?: Partial<Plan["cells"]>;
  readonly ids: readonly number[];
  readonly deathsMs?: readonly number[];
}

export const themes = {
  /** New code and states for what is about to go. */
  reloads: {
    operations: ["create", "hotReload", "destroy", "ask", "restart", "rollback"],
    troubles: ["migrate-slow", "death", "store-slow", "compile-slow"],
    shares: { server: 1 },
    ids: [1, 2],
  },
  /** Who waits for a lane, who holds it, and who is moved. */
  lanes: {
    operations: ["call", "restart"],
    troubles: ["delay"],
    exports: ["ask", "spin", "echo"],
    shares: { server: 0, granted: 1, placed: 0 },
    cells: { count: 2, sandboxesMax: 100, waitMs: 3_000 },
    ids: [5, 8],
  },
  /** Runs that outlive their cells. */
  deaths: {
    operations: ["call", "batchCall", "ask", "restart"],
    troubles: ["death", "guilt", "start-slow"],
    exports: ["wait", "never", "spin", "ask"],
    shares: { repeatable: 0.9, long: 1 },
    cells: { count: 1, waitMs: 400, spare: 0 },
    deathsMs: [1_000, 2_000, 4_000],
    ids: [2, 3],
  },
  /** What stands still, and what happens to it meanwhile. */
  holds: {
    operations: ["suspend", "resume", "look", "call", "captureState", "updateLimits", "restart"],
    troubles: ["death", "delay"],
    shares: { ticking: 1 },
    ids: [1, 3],
  },
  /** What is written down while it changes. */
  writes: {
    operations: ["create", "hotReload", "updateLimits", "checkpoint", "ask", "destroy", "batchDestroy"],
    troubles: ["store-slow", "store-fail", "store-hang"],
    ids: [1, 3],
  },
  /** What is written in groups, and what of it a machine still has that lost its power. */
  groups: {
    operations: ["create", "call", "hotReload", "ask", "destroy", "reopen", "suspend", "resume", "restart"],
    troubles: ["store-group", "power-cut", "crash", "store-slow", "store-fail"],
    ids: [2, 4],
  },
  /** What comes back after an end. */
  ends: {
    operations: ["create", "call", "hotReload", "ask", "destroy", "reopen", "updateLimits"],
    troubles: ["crash", "close", "grant-lost", "start-fail", "store-slow"],
    shares: { granted: 1 },
    ids: [3, 5],
  },
} as const satisfies Readonly<Record<string, Theme>>;

export type ThemeName = keyof typeof themes;

export const themeNames = Object.keys(themes) as readonly ThemeName[];
