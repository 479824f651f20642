// What can go wrong with generated code: one statement each, put at the top of an ordinary program.

export const hostileCode = {
  forever: "while (true) {}",
  leak: "for (const kept: number[][] = []; ; ) kept.push(new Array(10_000).fill(1));",
  crash: "(null as never as { die(): void }).die();",
  flood: 'while (true) console.log("flood ".repeat(100));',
  "patch the scorer":
    "Math.ceil = () => 1; Array.isArray = () => true as never; Object.prototype.toString = () => '0'; Array.prototype.map = () => [0];",
} as const;

export type HostileName = keyof typeof hostileCode;

export const hostileNames: readonly HostileName[] = Object.keys(hostileCode) as HostileName[];

interface Story {
  readonly tried: string;
  /** How evaluations of it end. */
  readonly expected: readonly string[];
  readonly end: string;
}

/** What each tried, and what came of it, for the reader of the summary. */
export const hostileStories: Readonly<Record<HostileName, Story>> = {
  forever: { tried: "to run forever", expected: ["fuel"], end: "stopped when its fuel was used up" },
  leak: { tried: "to use up the memory", expected: ["memory"], end: "stopped at its memory limit" },
  crash: { tried: "to crash the process", expected: ["crashed"], end: "failed alone" },
  flood: { tried: "to flood the console", expected: ["output-limit"], end: "stopped at its output limit" },
  "patch the scorer": {
    tried: "to patch the scorer",
    // A program that has returned its answer before its patches are used is scored for that answer.
    expected: ["invalid-score", "ok"],
    end: "had no effect: the host counts the score",
  },
};

/** The program with this statement at the top of its function. */
export function poison(program: string, name: HostileName): string {
  return program.replace(/^(export function .*\{)$/m, (line) => `${line}\n  ${hostileCode[name]}`);
}
