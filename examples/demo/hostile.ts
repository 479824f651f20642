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

/** The program with this statement at the top of its function. */
export function poison(program: string, name: HostileName): string {
  return program.replace(/^(export function .*\{)$/m, (line) => `${line}\n  ${hostileCode[name]}`);
}
