// Sources of guests that many tests use: they count, spin, wait and hold memory on demand.
import { runInThisContext } from "node:vm";

/** `bump` shows whether module variables are kept; `spin` uses the processor; `wait` only the clock. */
export const busySource = `
let count = 0;
export const bump = (): number => ++count;
export function spin(ms: number): number {
  const end = Date.now() + ms;
  while (Date.now() < end);
  return ms;
}
export const spinForever = (): never => { for (;;); };
export const wait = (ms: number): Promise<number> => new Promise((resolve) => setTimeout(resolve, ms, ms));
export const never = (): Promise<never> => new Promise(() => {});
export async function ticking(): Promise<never> {
  for (;;) await wait(5);
}`;

/** Reads `n` keys of a JSON text in one step that the engine cannot interrupt; about 0.2 ms per thousand. */
export const uninterruptible = `
const parse = (n: number): number => Object.keys(JSON.parse("{" + '"a":1,'.repeat(n) + '"b":1}')).length;`;

/** A function of the caller's own, made from a text: for functions too long to be written out. */
export function functionOf<R>(text: string): () => R {
  return runInThisContext(`(${text})`) as () => R;
}
