// What piscina's threads run.

export const double = (n: number): number => n * 2;
