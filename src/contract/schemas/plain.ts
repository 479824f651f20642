// A type of ours as a schema has it: nothing is read-only, and what may be left out may be undefined.

/** What schemas infer knows neither `readonly` nor exact optional properties. */
export type Plain<T> = unknown extends T
  ? unknown
  : T extends readonly unknown[]
    ? { -readonly [K in keyof T]: Plain<T[K]> }
    : T extends object
      ? {
          -readonly [K in keyof T]: {} extends Pick<T, K>
            ? Plain<Exclude<T[K], undefined>> | undefined
            : Plain<T[K]>;
        }
      : T;
