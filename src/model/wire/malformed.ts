// Why an encoded text is refused.

/** The text was not made by encode(). */
export class MalformedError extends Error {}

/** The text costs more to read than any value within its bound may. */
export const tooCostly = (): MalformedError => new MalformedError("the encoded value is too costly to read");

/** Refuses a text for what it has; an empty text is no reason. */
export const refuseIf = (what: string): void => {
  if (what !== "") throw new MalformedError(`the encoded value has ${what}`);
};

export const bad = (what: string): MalformedError =>
  new MalformedError(`the encoded value is malformed: ${what}`);
