// The language's classes that tables need, saved before any guest code can replace or remove them. Apart from the other intrinsics
// (intrinsics.ts), as those are read again by scripts that come when some of these are gone.

export const classes = {
  Int8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float16Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  EvalError,
  RangeError,
  URIError,
  Number,
  String,
  Boolean,
  BigInt,
  Symbol,
  WeakMap,
  WeakSet,
  WeakRef,
  SharedArrayBuffer,
} as const;
