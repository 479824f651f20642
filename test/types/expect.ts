// Statements about types, checked by the compiler alone.

/** True only for types that are the same, not merely assignable. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only for true. */
export type Expect<T extends true> = T;
