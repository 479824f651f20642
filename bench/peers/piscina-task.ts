// What piscina's threads run.

export const double = (n: number): number => n * 2;

/** What a candidate of the suite of tests does. */
export function price({
  items,
  discount,
}: {
  readonly items: readonly { readonly count: number; readonly cents: number }[];
  readonly discount: number;
}): number {
  let sum = 0;
  for (const { count, cents } of items) sum += count * cents;
  return Math.round(sum * (1 - discount));
}

/** Makes the function that a script returns, and calls it: a new program each time. */
export function runScript({
  script,
  args,
}: {
  readonly script: string;
  readonly args: readonly unknown[];
}): unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- a thread is not isolated otherwise either
  return (new Function(script) as () => (...args: readonly unknown[]) => unknown)()(...args);
}
