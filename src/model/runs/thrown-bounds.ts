// How long the texts about a failure may be: the guest's runtime cuts them, and the host checks that it did.

/** Of a thrown error. */
export const thrownMax = { name: 100, message: 2_000, stack: 8_000 } as const;

/** Of what a thrown value has besides: its causes, the errors that it joins, and its other properties. */
export const thrownMoreMax = {
  /** How many causes and joined errors lie inside each other. */
  depth: 4,
  /** Of one AggregateError. */
  errors: 10,
  /** Of one value. */
  properties: 20,
  /** The length of a property's name. */
  key: 100,
  /** The encoded value of one property. */
  propertyBytes: 4_096,
  /** All of it together, in characters before they are quoted. */
  length: 24_000,
} as const;

/** Of the path to the part of a result that cannot be encoded. */
export const pathMax = 200;
