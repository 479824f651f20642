// What can go wrong with generated code: one statement each, put into an ordinary program by mutation.

export const hostileCode = {
  "forever loop": "while (true) {}",
  "memory leak": "for (const kept: number[][] = []; ; ) kept.push(new Array(10_000).fill(x));",
  crash: "(null as never as { die(): void }).die();",
  "console flood": 'while (true) console.log("flood ".repeat(100));',
  "huge result": "return new Array(100_000).fill(7) as never;",
  "stack overflow": "const dive = (): number => 1 + dive(); a += dive();",
  "endless promise": "return new Promise(() => {}) as never;",
  "broken syntax": "a += = x;",
  "unstoppable builtin": '"x".repeat(2 ** 28).split("");',
} as const;

export type HostileName = keyof typeof hostileCode;

// The last one cannot be interrupted: its whole cell is killed and the others in it are moved. So it is drawn rarely.
const common = Object.keys(hostileCode).filter((name) => name !== "unstoppable builtin") as HostileName[];

/** The kinds to draw from: each common one ten times as often as the rare one. */
export const hostileDraw: readonly HostileName[] = [
  ...Array.from({ length: 10 }, () => common).flat(),
  "unstoppable builtin",
];
