// How a call says which function it means and how its arguments cross, in one number: each more that crosses costs every call.

/** The target's number is above these bits. */
export const slotShift = 3;
/** In them: how many arguments cross as they are, or that they cross as text. */
export const slotMask: number = 2 ** slotShift - 1;
/** All arguments are one text. */
export const asText = 4;

/** The slot of a call of this target. */
export function slotOf(target: number, args: string | readonly unknown[]): number {
  return target * 2 ** slotShift + (typeof args === "string" ? asText : args.length);
}
