// The language's own objects, saved before any guest code: a guest may give their names another meaning, as a script of a session
// does with what it declares. The build makes variables of these names around the guest runtime.

/** Every name that the guest runtime uses of the language, separated by commas, as the parameters of a function are. */
export const languageNames =
  "globalThis,Object,Function,Array,Number,Boolean,String,Symbol,BigInt,Date,Promise,RegExp,Math,JSON,Reflect,Intl,Map,Set,WeakMap," +
  "Error,EvalError,RangeError,ReferenceError,SyntaxError,TypeError,URIError,encodeURIComponent,ArrayBuffer,DataView," +
  "Int8Array,Uint8Array,Uint8ClampedArray,Int16Array,Uint16Array,Int32Array,Uint32Array," +
  "Float16Array,Float32Array,Float64Array,BigInt64Array,BigUint64Array";

const global = globalThis as Record<string, unknown>;

/** What the names mean, in the same order. */
export const languageValues: readonly unknown[] = languageNames.split(",").map((name) => global[name]);
